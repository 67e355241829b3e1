import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validDocument } from '../contract/valid-document.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { workload } from '../support/workload.ts';
import { type Named, playground } from './delete-playground.ts';

/** Deletions that a finalizer holds until a small operator, played by the test, removes it. */
const plane = sharedControlPlane();
const namespace = 'delete-past-finalizers';
const { folder, run, familyIn, namesIn, release, grant, remove } = playground(plane);
const operators = 'keeper-system';
const deployments = `/apis/apps/v1/namespaces/${operators}/deployments`;
afterAll(async () => {
  await remove();
  await plane.request(`/api/v1/namespaces/${operators}`, { method: 'DELETE' });
});

interface Held extends Named {
  readonly metadata: Named['metadata'] & { readonly deletionTimestamp?: string };
}

let path: string;
beforeAll(async () => {
  path = await familyIn(namespace, ['ex.com/data']);
  await plane.patch(`${path}/top`, { metadata: { finalizers: ['ex.com/cleanup'] } });
});

test('the plan goes on past the finalizers, and says what waits for which', async () => {
  const { code, stdout } = await run(`cm/top -n ${namespace} --preview -o json`);
  const plan = validDocument('plan', stdout);
  expect(code).toBe(0);
  interface Planned {
    readonly name: string;
    readonly fate: string;
    readonly then?: string;
    readonly waitsFor?: readonly { readonly finalizer: string }[];
  }
  const told = (plan.objects as Planned[]).map(({ name, fate, then, waitsFor = [] }) =>
    [name, fate, then, ...waitsFor.map(({ finalizer }) => finalizer)].join(' '),
  );
  expect(told).toEqual([
    'top terminating deleted ex.com/cleanup',
    'left kept deleted ex.com/cleanup',
    'right kept deleted ex.com/cleanup',
    'bottom kept deleted ex.com/data ex.com/cleanup',
  ]);
  const table = await run(`cm/top -n ${namespace} --preview`);
  expect(table.stdout).toContain(
    '4 objects go: 4 ConfigMaps; only once ex.com/cleanup is removed from ConfigMap/top and ex.com/data is removed from ConfigMap/bottom.\n',
  );
});

test('what goes then counts', async () => {
  expect(await run(`cm/top -n ${namespace} --yes --max-deletes 3`)).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/^error: 4 objects would be deleted, and --max-deletes allows 3/),
  });
  const { stdout } = await run(`cm/top -n ${namespace} --compare -o json`);
  const { policies } = JSON.parse(stdout);
  expect([policies.background.deleted, policies.foreground.deleted]).toEqual([4, 4]);
  expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
});

test('it is followed until the operator has removed the finalizers, and all of it is in the backup', async () => {
  const directory = join(folder, 'kept');
  const operator = new AbortController();
  const working = operate(operator.signal);
  const { code, stdout, stderr } = await run(
    `cm/top -n ${namespace} --yes --timeout 60s --backup ${directory}`,
  );
  operator.abort();
  await working;
  expect([code, stdout], stderr).toEqual([
    0,
    `configmap "top" deleted from ${namespace} namespace\n`,
  ]);
  expect(stderr).toBe(
    `Backup of 4 objects: ${directory}\nTo bring back what was deleted: kubectl gc restore ${directory}\n`,
  );
  expect(existsSync(join(directory, 'backup.json'))).toBe(true);
});

describe('whether the program lives that removes a finalizer', () => {
  const home = 'delete-kept';

  beforeAll(async () => {
    const configMaps = await familyIn(home, ['keeper.io/cleanup']);
    await plane.patch(`${configMaps}/top`, {
      metadata: { finalizers: ['velero.io/data-upload-download-finalizer'] },
    });
    await grant(home, 'ann', ['*'], ['*']);
    await plane.make(`Namespace ${operators}`);
    await plane.create(deployments, workload('keeper-operator'));
    await eventually('the Deployment has a status', async () => {
      const { status } = await plane.get<{ status: { observedGeneration?: number } }>(
        `${deployments}/keeper-operator`,
      );
      return status.observedGeneration;
    });
  });

  interface Wait {
    readonly finalizer: string;
    readonly removedBy?: string;
    readonly alive?: string;
    readonly aliveBecause?: string;
  }

  /** Of each finalizer of the family: who removes it, and whether that lives. */
  async function livesOf(flags = ''): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await run(
      `cm/top -n ${home} --preview --allow-incomplete -o json ${flags}`,
    );
    expect(stdout, stderr).not.toBe('');
    const waits = (JSON.parse(stdout).objects as { waitsFor?: Wait[] }[]).flatMap(
      ({ waitsFor = [] }) => waitsFor,
    );
    return Object.fromEntries(
      waits.map(({ finalizer, removedBy, alive, aliveBecause }) => [
        finalizer,
        [removedBy, alive, aliveBecause],
      ]),
    );
  }

  const down = `Deployment ${operators}/keeper-operator has no ready pod`;
  const unseen = ['Velero', 'unknown', 'pods were not read in every namespace'];

  test('its pods tell, in whatever namespace', async () => {
    expect(await livesOf()).toEqual({
      'velero.io/data-upload-download-finalizer': unseen,
      'keeper.io/cleanup': ['keeper-operator', 'no', down],
    });
    const table = await run(`cm/top -n ${home} --preview`);
    expect(table.stdout.replace(/\n +/g, ' ')).toContain(
      `keeper-operator (not alive: ${down}) removes keeper.io/cleanup from ConfigMap/bottom`,
    );
  });

  test('it is not known to a user who may not look', async () => {
    expect(await livesOf('--as ann')).toEqual({
      'velero.io/data-upload-download-finalizer': [
        'Velero',
        'unknown',
        'deployments.apps, statefulsets.apps, daemonsets.apps, pods were not read in every namespace',
      ],
      'keeper.io/cleanup': [undefined, undefined, undefined],
    });
  });
});

/** Removes the finalizers of what is being deleted, a second after it was first seen so. */
async function operate(signal: AbortSignal): Promise<void> {
  const since = new Map<string, number>();
  while (!signal.aborted) {
    const { items } = await plane.get<{ items: Held[] }>(path);
    for (const { metadata } of items) {
      if (metadata.deletionTimestamp === undefined) continue;
      const first = since.get(metadata.uid) ?? performance.now();
      since.set(metadata.uid, first);
      if (performance.now() - first > 1000)
        await release(path, metadata.name).catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
