import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SimulationReport } from '../../src/questions/simulate/document.ts';
import { validDocument } from '../contract/valid-document.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What people read of a simulation stands in test/fixtures/transcripts/simulate.txt. */
const folder = temporaryFolder();
const shop = 'examples/clusters/shop.json.gz';

test('a document keeps to its schema, and its remaining objects can be read as input', async () => {
  const line = `simulate --delete deployment/web -n shop --cascade=orphan --from ${shop}`;
  const { code, stdout } = await gcHere(`${line} -o json`);
  expect(code).toBe(0);
  const { objects } = validDocument('simulate', stdout);
  const left = join(folder, 'left.json');
  writeFileSync(left, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const again = await gcHere(`orphans -n shop -o name --from ${left}`);
  expect([again.code, again.stdout.includes('replicaset.apps/web-')]).toEqual([0, true]);
  expect((await gcHere(`tree replicasets -n shop -o name --from ${left}`)).stdout).toContain(
    'replicaset.apps/web-86864d7b59',
  );
});

test('a page says that more may happen where the time was over', async () => {
  const last = async (more: string) => {
    const from = '--from test/fixtures/clusters/orphaned-replicaset.yaml --complete';
    const line = `simulate --delete rs/web-6c4f9d -n shop -o html ${from} ${more}`;
    return /"title":"After","text":"([^"]*)"/.exec((await gcHere(line)).stdout)?.[1];
  };
  expect(await last('')).toBe('Settled.');
  expect(await last('--duration 2ms')).toMatch(/^Stopped at the end of the simulated time/);
});

test('Pods of a Node whose kubelet is silent are evicted, and stay', async () => {
  const line = `simulate --silence-node worker-1 --from ${shop}`;
  const { code, stdout, stderr } = await gcHere(`${line} -o json --duration 10m`);
  const { steps, stuck } = JSON.parse(stdout) as SimulationReport;
  const isPod = ({ object }: { object: { kind: string } }) => object.kind === 'Pod';
  const evicted = steps.filter(({ rule, result }) => rule === 'NODE-7' && result === 'terminating');
  expect([code, steps.some(({ rule }) => rule === 'NODE-5')]).toEqual([0, true]);
  expect(evicted.length).toBeGreaterThan(0);
  expect(
    stuck
      .filter(isPod)
      .map(({ object }) => object.name)
      .sort(),
  ).toEqual(expect.arrayContaining(evicted.map(({ object }) => object.name).sort()));
  expect(stderr).toMatch(
    /^Controllers create other Pods in place of .*\nControllers create again .* once /m,
  );
  expect((await gcHere(line.replace('worker-1', 'worker-99'))).code).toBe(2);
});

test.each([
  [1, false],
  [3, true],
])('Pods of a StatefulSet with %d replicas are created again: %s', async (replicas, isRenewed) => {
  const file = join(folder, 'scenario.yaml');
  const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'shop', name: 'search' };
  const requests = [
    { verb: 'patch', ...set, patch: { spec: { replicas } } },
    ...[1, 2].map((at) => ({
      ...{ verb: 'delete', apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: `search-${at}` },
    })),
  ];
  writeFileSync(file, JSON.stringify({ apiVersion: 'kubectl-gc/v1', kind: 'Scenario', requests }));
  const { code, stderr } = await gcHere(`simulate --scenario ${file} --from ${shop}`);
  expect([code, /^Controllers create again .*search-/m.test(stderr)], stderr).toEqual([
    0,
    isRenewed,
  ]);
});
