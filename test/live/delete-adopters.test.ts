import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mayGo } from '../../src/deletion/plan/going.ts';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { type Backup, backupIndexFile } from '../../src/restore/backup/backup.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { gc } from '../support/run-gc.ts';
import { chooseWorkload, nodes, plantWorkloads } from './adopter-clusters.ts';
import { randomFrom } from './restore-trees.ts';
import { type Agents, startAgents } from './upper-bound-agents.ts';
import { collectionOf, kinds } from './upper-bound-clusters.ts';
import { type WatchedCluster, watchCluster } from './watched-cluster.ts';

/**
 * Workloads whose selectors overlap, on a control plane with all controllers: whatever is gone after a
 * deletion was planned to go, or may go, and is in the backup. ADOPT_SEED, ADOPT_CASES and ADOPT_LANES choose other cases.
 */
const seed = Number(process.env.ADOPT_SEED ?? 1);
const count = Number(process.env.ADOPT_CASES ?? 16);
const lanes = Number(process.env.ADOPT_LANES ?? 8);

let plane: ControlPlane;
let world: WatchedCluster;
let agents: Agents;
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-adopters-'));

beforeAll(async () => {
  // Nothing renews the Leases of the Nodes: what judges Nodes would take both for dead.
  const controllers = ['*', '-node-lifecycle-controller', '-taint-eviction-controller'];
  plane = await startControlPlane({ controllers, definitions: exampleDefinitions });
  for (const name of nodes) await plane.create('/api/v1/nodes', { metadata: { name } });
  agents = startAgents(plane, () => world, randomFrom(seed));
  world = await watchCluster(plane, (object, isGone) => agents.see(object, isGone));
});
afterAll(async () => {
  world?.stop();
  await agents?.idle();
  await plane?.stop();
  rmSync(folder, { recursive: true });
});

interface Outcome {
  readonly id: string;
  readonly faults: readonly string[];
  readonly gone: number;
  readonly adopted: number;
  readonly planned: number;
}

const gcThere = (line: string) => gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });

async function deleteOne(seed: number): Promise<Outcome> {
  const random = randomFrom(seed * 7919);
  for (let skip = 0; skip < 5; skip++) random(2);
  const name = `adopt-${seed}`;
  await plantWorkloads(plane, world, name, random);
  const before = await world.still(name, 2_500, performance.now() + 2_500);
  const { target, cascade } = chooseWorkload(before, random);
  const { resource } = kinds[target.kind] ?? {};
  const line = `delete ${resource}/${target.name} -n ${name} --cascade=${cascade}`;
  const preview = await gcThere(`${line} --preview -o json`);
  if (preview.code !== 0) throw new Error(preview.stderr);
  const { objects } = JSON.parse(preview.stdout) as Plan;
  const backup = join(folder, name);
  const run = await gcThere(`${line} --yes --backup ${backup} --timeout 60s`);
  const after = await world.still(name, 5_000, performance.now() + 5_000);
  const left = new Map(after.map((one) => [one.uid, one]));
  const planned = new Map(objects.map((object) => [object.uid, object]));
  const saved = savedUids(backup);
  const faults = run.code === 0 ? [] : [`exit code ${run.code}: ${run.stderr}`];
  const gone = before.filter(({ uid }) => !left.has(uid));
  for (const { kind, name, uid } of gone) {
    const object = planned.get(uid);
    if (!object) faults.push(`${kind} ${name}: gone, and not in the plan`);
    else if (!mayGo(object)) faults.push(`${kind} ${name}: gone, and planned as ${object.fate}`);
    if (!saved.has(uid)) faults.push(`${kind} ${name}: gone, and not in the backup`);
  }
  for (const { kind, name, uid, fate } of objects) {
    if (fate === 'deleted' && left.has(uid))
      faults.push(`${kind} ${name}: left, and planned to go`);
  }
  await plane.request(`${collectionOf('Namespace', '')}/${name}`, { method: 'DELETE' });
  const isAdoption = ({ rule }: { readonly rule: string }) => rule.startsWith('ADOPT-');
  const said = objects.map(
    ({ kind, name, fate, because }) => `  ${kind} ${name}: ${fate}: ${because}`,
  );
  const there = before.map(({ kind, name, signature }) => `  ${kind} ${name} ${signature}`);
  return {
    id: `${seed}: ${line}`,
    faults: faults.length > 0 ? [...faults, ...said, ...there] : [],
    gone: gone.length,
    adopted: objects.filter(isAdoption).length,
    planned: objects.filter(mayGo).length,
  };
}

/** The uids of the objects whose manifests a backup holds. */
function savedUids(directory: string): Set<string> {
  const index = join(directory, backupIndexFile);
  if (!existsSync(index)) return new Set();
  const { objects } = JSON.parse(readFileSync(index, 'utf8')) as Backup;
  return new Set(objects.flatMap(({ uid, file }) => (file === undefined ? [] : uid)));
}

test(`nothing goes that the plan does not count as going, seed ${seed}`, {
  timeout: 240_000 + count * 20_000,
}, async () => {
  const seeds = Array.from({ length: count }, (_, index) => seed + index);
  const outcomes: Outcome[] = [];
  const uncompared: string[] = [];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) {
        const outcome = await deleteOne(next).catch((error) =>
          uncompared.push(`${next}: ${error}`),
        );
        if (typeof outcome === 'number') continue;
        const { id, gone, planned, adopted, faults } = outcome;
        const counts = `${gone} gone, ${planned} counted, ${adopted} by adopters`;
        console.log([`${id}: ${counts}`, ...faults].join('\n'));
        outcomes.push(outcome);
      }
    }),
  );
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  console.log(
    `adopters: seed ${seed}, ${outcomes.length} deletions; ${sum(({ gone }) => gone)} gone; ${sum(({ planned }) => planned)} counted; ${sum(({ adopted }) => adopted)} by adopters`,
  );
  const wrong = outcomes.filter(({ faults }) => faults.length > 0);
  expect([...wrong, ...uncompared]).toEqual([]);
  expect(sum(({ adopted }) => adopted)).toBeGreaterThan(count / 4);
});
