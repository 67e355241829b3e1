import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mayGo } from '../../src/deletion/plan/going.ts';
import type { Plan, PlannedObject } from '../../src/deletion/plan/plan.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { type Backup, backupIndexFile } from '../../src/restore/backup/backup.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { gc } from '../support/run-gc.ts';
import { randomFrom } from './restore-trees.ts';
import {
  collectionOf,
  isForeign,
  kinds,
  type Planted,
  type Planting,
  plant,
  type TargetKind,
  targetKindFrom,
} from './upper-bound-clusters.ts';

/**
 * A plan names at least what goes: random clusters where every controller deletes, and where an operator,
 * played by the test, removes its finalizers after a while. Whatever is gone in the end was planned to go
 * and is in the backup, and what was planned to stay is there. UPPER_SEED and UPPER_CASES repeat a run.
 * Pod garbage collection waits more than a minute for a Node to come back, so Nodes are deleted only with
 * UPPER_NODES=yes; `delete-node.test.ts` deletes one every time.
 */
const seed = Number(process.env.UPPER_SEED ?? 1001);
const count = Number(process.env.UPPER_CASES ?? 6);
const withNodes = process.env.UPPER_NODES === 'yes';
/** How many deletions run at the same time. */
const lanes = Number(process.env.UPPER_LANES ?? 1);

/** An object as it was seen last. */
interface Seen {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isTerminating: boolean;
  readonly finalizers: readonly string[];
  readonly nodeName: string;
  /** Of a volume that has a claim and is not bound to it yet. */
  readonly waitingClaim: string;
  /** What has to be the same for a while until a cluster counts as still. */
  readonly signature: string;
}

let plane: ControlPlane;
let world: ReadonlyMap<string, Seen> = new Map();
let looks = 0;
/** Where the operator works: nowhere until the plan has been made. */
const operated = new Set<string>();
const over = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-upper-bound-'));
let working: Promise<void> | undefined;

beforeAll(async () => {
  // Nothing renews the Leases of these Nodes: what judges Nodes would take all of them for dead.
  const controllers = ['*', '-node-lifecycle-controller', '-taint-eviction-controller'];
  plane = await startControlPlane({ controllers, definitions: exampleDefinitions });
  working = work();
});
afterAll(async () => {
  over.abort();
  await working;
  await plane?.stop();
  rmSync(folder, { recursive: true });
});

/** Which case an object belongs to: that of its namespace, else that of its name. */
function caseOf({ kind, namespace, name }: Pick<Seen, 'kind' | 'namespace' | 'name'>): string {
  if (kind !== 'Lease' && namespace !== '') return namespace;
  return /^upper-\d+/.exec(name)?.[0] ?? '';
}

async function look(): Promise<Map<string, Seen>> {
  const seen = new Map<string, Seen>();
  for (const kind of Object.keys(kinds)) {
    const { items } = await plane.get<{ items: KubeObject[] }>(collectionOf(kind, ''));
    for (const { metadata, spec, status } of items) {
      const { uid, name, namespace = '', resourceVersion, finalizers = [] } = metadata;
      const { ownerReferences = [], deletionTimestamp } = metadata;
      const { nodeName = '', claimRef } = (spec ?? {}) as {
        readonly nodeName?: string;
        readonly claimRef?: { readonly name: string };
      };
      const { phase = '' } = (status ?? {}) as { phase?: string };
      const isTerminating = deletionTimestamp !== undefined;
      const state = [uid, isTerminating, finalizers, ownerReferences, phase];
      seen.set(String(uid), {
        kind,
        namespace: String(namespace),
        name: String(name),
        uid: String(uid),
        resourceVersion: String(resourceVersion),
        isTerminating,
        finalizers: finalizers as string[],
        nodeName,
        waitingClaim: phase === 'Available' || phase === 'Pending' ? (claimRef?.name ?? '') : '',
        signature: JSON.stringify(state),
      });
    }
  }
  return seen;
}

/** Looks at everything again and again, and plays the operator and the kubelets. */
async function work(): Promise<void> {
  const due = new Map<string, number>();
  const random = randomFrom(seed);
  while (!over.signal.aborted) {
    world = await look();
    looks += 1;
    const nodes = new Set(
      [...world.values()].flatMap(({ kind, name }) => (kind === 'Node' ? name : [])),
    );
    for (const object of world.values()) {
      if (!object.isTerminating) continue;
      const path = `${collectionOf(object.kind, object.namespace)}/${object.name}`;
      if (object.finalizers.some(isForeign) && operated.has(caseOf(object))) {
        const time = due.get(object.uid) ?? performance.now() + random(600);
        due.set(object.uid, time);
        if (performance.now() >= time) await release(path, object);
      } else if (object.kind === 'Pod' && nodes.has(object.nodeName)) {
        const preconditions = { uid: object.uid };
        await plane.request(path, {
          method: 'DELETE',
          body: { gracePeriodSeconds: 0, preconditions },
        });
      }
    }
    await sleep(250);
  }
}

/** Fails, and is tried again, when somebody else has changed the object meanwhile. */
async function release(path: string, { resourceVersion, finalizers }: Seen): Promise<void> {
  const left = finalizers.filter((finalizer) => !isForeign(finalizer));
  await plane.request(path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { resourceVersion, finalizers: left } },
  });
}

/** Everything of a case once nothing of it has changed for three seconds. */
async function still(name: string): Promise<Seen[]> {
  let before = '';
  let since = performance.now();
  let known = looks;
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; ) {
    await sleep(100);
    if (looks === known) continue;
    known = looks;
    const mine = [...world.values()].filter((object) => caseOf(object) === name);
    const now = mine
      .map(({ signature }) => signature)
      .sort()
      .join('\n');
    const claims = new Set(
      mine.flatMap((one) =>
        one.kind === 'PersistentVolumeClaim' && !one.isTerminating ? one.name : [],
      ),
    );
    // What binds volumes is no part of a plan.
    const isBinding = mine.some(({ waitingClaim }) => claims.has(waitingClaim));
    if (now !== before || isBinding) since = performance.now();
    else if (performance.now() - since > 3_000) return mine;
    before = now;
  }
  throw new Error(`${name} is never still`);
}

/** What to delete; the planting has at least one of every kind that is asked for. */
function choose(
  wanted: TargetKind,
  { planted, node }: Planting,
  before: readonly Seen[],
  random: (below: number) => number,
): { readonly kind: string; readonly name: string } {
  const oneOf = (list: readonly Pick<Seen, 'kind' | 'name'>[]) => {
    const found = list[random(list.length)];
    if (!found) throw new Error(`there is no ${wanted}`);
    return found;
  };
  if (wanted === 'Node') return node;
  if (wanted === 'any') return oneOf(planted);
  if (wanted === 'root') return oneOf(planted.filter(({ hasOwner }) => !hasOwner));
  const isNamed = ({ name }: Pick<Planted, 'name'>) => name !== 'default';
  const byName = (a: Seen, b: Seen) => (a.name < b.name ? -1 : 1);
  return oneOf(before.filter((one) => one.kind === wanted && isNamed(one)).sort(byName));
}

interface Outcome {
  readonly id: string;
  readonly faults: readonly string[];
  readonly code: number;
  readonly planned: number;
  readonly later: number;
  readonly gone: number;
  /** What the commands printed, where something is wrong. */
  readonly said?: string;
}

const ways = [
  '--cascade=background',
  '--cascade=foreground',
  '--cascade=orphan',
  '--order=leaf-first',
];

async function deleteOne(seed: number): Promise<Outcome> {
  const { random, wanted, way } = drawn(seed);
  const name = `upper-${seed}`;
  const planting = await plant(plane, name, wanted, random);
  const before = await still(name);
  const target = choose(wanted, planting, before, random);
  const resource = kinds[target.kind]?.resource;
  const line = `delete ${resource}/${target.name} -n ${name} ${way}`;
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const preview = await gc(`${line} --preview -o json`, { env });
  const id = `${seed}: ${line}`;
  const none = { planned: 0, later: 0, gone: 0 };
  if (preview.code !== 0) return { id, faults: [preview.stderr], code: preview.code, ...none };
  const { objects } = JSON.parse(preview.stdout) as Plan;
  const backup = join(folder, name);
  operated.add(name);
  // Pod garbage collection looks every 20 s, and waits 40 s for a missing Node.
  const timeout = wanted === 'Node' ? '150s' : '25s';
  const run = await gc(`${line} --yes --backup ${backup} --timeout ${timeout}`, { env });
  const atExit = await look();
  const after = new Map((await still(name)).map((object) => [object.uid, object]));
  const faults = faultsOf({ before, after, atExit, objects, saved: savedUids(backup), run });
  const gone = before.filter(({ uid }) => !after.has(uid)).length;
  const planned = objects.filter(mayGo).length;
  const later = objects.filter((object) => object.then !== undefined && mayGo(object)).length;
  await cleanUp(before, name);
  const said = `${run.stdout}${run.stderr}\n${objects.map(inWords).join('\n')}`;
  return { id, faults, code: run.code, planned, later, gone, ...(faults.length > 0 && { said }) };
}

/** The same for the same seed. */
function drawn(seed: number) {
  const random = randomFrom(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let skip = 0; skip < 5; skip++) random(2);
  const drawn = targetKindFrom(random);
  const wanted = drawn === 'Node' && !withNodes ? 'root' : drawn;
  const way = ways[random(ways.length)] ?? '';
  return { wanted, way, random };
}

function inWords({ kind, name, fate, then, waitsFor = [], likely }: PlannedObject): string {
  const waits = waitsFor.map(({ finalizer, object }) => `${finalizer} of ${object.name}`).join();
  return `${kind} ${name}: ${fate}${then ? ` then ${then}` : ''}${likely ? ' (likely)' : ''} ${waits}`;
}

interface Ended {
  readonly before: readonly Seen[];
  readonly after: ReadonlyMap<string, Seen>;
  /** When the command had ended. */
  readonly atExit: ReadonlyMap<string, Seen>;
  readonly objects: readonly PlannedObject[];
  readonly saved: ReadonlySet<string>;
  readonly run: { readonly code: number; readonly stderr: string };
}

function faultsOf({ before, after, atExit, objects, saved, run }: Ended): string[] {
  const faults: string[] = [];
  const planned = new Map(objects.map((object) => [object.uid, object]));
  for (const { kind, name, uid, isTerminating } of before) {
    if (after.has(uid)) continue;
    const object = planned.get(uid);
    // What was being deleted and is no part of this deletion goes for its own reason.
    if (!object && isTerminating) continue;
    if (!object) faults.push(`${kind} ${name}: gone, and not in the plan`);
    else if (!mayGo(object)) faults.push(`${kind} ${name}: gone, and planned as ${object.fate}`);
    if (!saved.has(uid)) faults.push(`${kind} ${name}: gone, and not in the backup`);
  }
  const isDue = ({ fate, then = fate }: PlannedObject) =>
    then === 'deleted' || then === 'recreated';
  const left = objects.filter((object) => isDue(object) && atExit.has(object.uid));
  if (run.code === 0) {
    for (const { kind, name } of left) faults.push(`${kind} ${name}: left, with exit code 0`);
  } else if (run.code !== 4 || !/ is left/.test(run.stderr)) faults.push(`exit code ${run.code}`);
  return faults;
}

/** The uids of the objects whose manifests a backup holds. */
function savedUids(directory: string): Set<string> {
  const index = join(directory, backupIndexFile);
  if (!existsSync(index)) return new Set();
  const { objects } = JSON.parse(readFileSync(index, 'utf8')) as Backup;
  return new Set(objects.flatMap(({ uid, file }) => (file === undefined ? [] : uid)));
}

/** Not waited for. */
async function cleanUp(before: readonly Seen[], name: string): Promise<void> {
  for (const { kind, name: own, namespace } of before) {
    if (namespace !== '' && kind !== 'Lease') continue;
    await plane.request(`${collectionOf(kind, namespace)}/${own}`, { method: 'DELETE' });
  }
  await plane.request(`${collectionOf('Namespace', '')}/${name}`, { method: 'DELETE' });
}

test(`whatever goes was in the plan and is in the backup, seed ${seed}`, {
  timeout: 240_000 + count * 20_000,
}, async () => {
  // Those that take long begin first.
  const isSlow = (one: number) => drawn(one).wanted === 'Node';
  const all = Array.from({ length: count }, (_, index) => seed + index);
  const seeds = [...all.filter(isSlow), ...all.filter((one) => !isSlow(one))];
  const outcomes: Outcome[] = [];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) {
        const outcome = await deleteOne(next);
        if (outcome.faults.length > 0)
          console.log([outcome.id, ...outcome.faults, outcome.said].join('\n'));
        outcomes.push(outcome);
      }
    }),
  );
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const codes = Object.entries(Object.groupBy(outcomes, ({ code }) => code));
  console.log(
    [
      `upper bound: seed ${seed}, ${outcomes.length} deletions`,
      `${sum(({ planned }) => planned)} objects planned to go, ${sum(({ later }) => later)} of them then`,
      `${sum(({ gone }) => gone)} gone`,
      codes.map(([code, list]) => `${list?.length} × exit ${code}`).join(', '),
    ].join('; '),
  );
  const wrong = outcomes.filter(({ faults }) => faults.length > 0);
  expect(wrong).toEqual([]);
  expect(sum(({ gone }) => gone)).toBeGreaterThan(outcomes.length);
});
