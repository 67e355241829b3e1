import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan, PlannedObject } from '../../src/deletion/plan/plan.ts';
import { canDisappear, disappearingIn } from '../../src/deletion/plan/plan-totals.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import { type Backup, backupIndexFile } from '../../src/restore/backup/backup.ts';
import { blockerOf } from '../deletion/plan/planned.ts';
import type { Run } from '../support/command-line.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { showServers } from '../support/control-plane-pod.ts';
import { eventually } from '../support/eventually.ts';
import { playedMinor } from '../support/played-minor.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { chooseWorkload, plantWorkloads } from './overlapping-workloads.ts';
import { type Restored, restoreBackup } from './restored-backup.ts';
import { type Random, randomFrom } from './seeded-random.ts';
import { type Agents, pathOf, startAgents } from './upper-bound-agents.ts';
import {
  collectionOf,
  definitionFor,
  type Planting,
  plant,
  plantedDefinitions,
  plantNeighbours,
  type TargetKind,
  targetKindFrom,
  typeNamed,
} from './upper-bound-clusters.ts';
import { flagsNamed, lastingFinalizer, type Plant } from './upper-bound-flags.ts';
import { lifeOf, orphaningPart, type Planted } from './upper-bound-others.ts';
import { caseOf, type Seen, type WatchedCluster, watchCluster } from './watched-cluster.ts';

/**
 * A plan names at least what goes: random clusters where every controller deletes, and where an operator,
 * played by the test, removes its finalizers after a while. Whatever is gone in the end was planned to go,
 * is in the backup and comes back from it; what was planned to stay is there; and a plan names nothing of
 * the other clusters in which something is deleted at the same time. Every second cluster is left to the real `kubectl
 * delete`, which makes no backup: whatever is gone was planned to go. UPPER_SEED, UPPER_CASES,
 * UPPER_LANES and UPPER_QUIET repeat a run, UPPER_FLAGS plays servers with other flags, which Pods of the servers show with
 * UPPER_SEEN=yes. Pod garbage collection waits more than a minute for a Node to
 * come back, so Nodes are deleted only with UPPER_NODES=yes; `delete-unfinished.test.ts` deletes one every
 * time.
 */
const { UPPER_SEED: wantedSeed = '1001', UPPER_CASES: wantedCases = '32' } = process.env;
const seed = wantedSeed === 'new' ? Math.floor(Date.now() / 1_000) % 1_000_000 : Number(wantedSeed);
const count = Number(wantedCases);
const withNodes = process.env.UPPER_NODES === 'yes';
const flags = flagsNamed(process.env.UPPER_FLAGS ?? 'none');
const areSeen = process.env.UPPER_SEEN === 'yes';
const collectsGarbage = !flags.controllerManager.includes('--enable-garbage-collector=false');
const seeds = Array.from({ length: count }, (_, index) => seed + index);
/** How many deletions run at the same time. */
const lanes = flags.areAlone ? 1 : Number(process.env.UPPER_LANES ?? 8);
/** A cluster in which nothing has changed for so long has settled; on a busy machine that takes longer. */
const quiet = Number(process.env.UPPER_QUIET ?? flags.quiet ?? 3_000);

let plane: ControlPlane;
let world: WatchedCluster;
let agents: Agents;
const folder = temporaryFolder();

beforeAll(async () => {
  const own = seeds.flatMap((one) =>
    drawn(one).wanted === 'CustomResourceDefinition' ? definitionFor(`upper-${one}`) : [],
  );
  const controllers = ['*', 'bootstrap-signer-controller', 'token-cleaner-controller'];
  plane = await startControlPlane({
    controllers,
    // The test watches with initial events, which a server of v1.33 sends where it is told to.
    apiServerArgs: [
      ...(playedMinor < 34 ? ['--feature-gates=WatchList=true'] : []),
      ...flags.apiServer,
    ],
    controllerArgs: [
      ...['--pvclaimbinder-sync-period=2s', '--concurrent-namespace-syncs=20'],
      ...flags.controllerManager,
    ],
    definitions: [...plantedDefinitions, ...own],
  });
  if (areSeen) await showServers(plane, flags);
  agents = startAgents(plane, () => world, randomFrom(seed));
  world = await watchCluster(plane, (object, isGone) => agents.see(object, isGone));
});
afterAll(async () => {
  world?.stop();
  await agents?.idle();
  await plane?.stop();
});

/** What to delete; the planting has at least one of every kind that is asked for. */
function choose(
  wanted: TargetKind,
  { planted, nodes }: Planting,
  before: readonly Seen[],
  random: (below: number) => number,
): { readonly kind: string; readonly name: string } {
  const oneOf = (list: readonly Pick<Seen, 'kind' | 'name'>[]) => {
    const found = list[random(list.length)];
    if (!found) throw new Error(`there is no ${wanted}`);
    return found;
  };
  if (wanted === 'Node') return nodes[0];
  if (wanted === 'any') return oneOf(planted);
  if (wanted === 'orphaning') {
    return oneOf(planted.filter((one) => one.name.includes(orphaningPart)));
  }
  if (wanted === 'root') return oneOf(planted.filter(({ hasOwner }) => !hasOwner));
  const isNamed = ({ name }: Pick<Planted, 'name'>) => name !== 'default';
  const byName = (a: Seen, b: Seen) => (a.name < b.name ? -1 : 1);
  const ofKind = before.filter((one) => one.kind === wanted && isNamed(one)).sort(byName);
  // A claim for which no volume was made has none.
  return oneOf(ofKind.length > 0 ? ofKind : planted);
}

interface Outcome {
  readonly id: string;
  readonly faults: readonly string[];
  /** What was surely to go, and is there: what it is, and why it was to go. */
  readonly stayed: readonly string[];
  readonly code: number;
  /**
   * Objects: planned to go, planned so once finalizers are removed, gone, restored, and left out of a restoration as their
   * controllers make them again.
   */
  readonly counts: Readonly<Record<'planned' | 'later' | 'gone' | 'restored' | 'skipped', number>>;
  /** What the commands printed, where something is wrong. */
  readonly said?: string;
}

const ways = ['--cascade=background', '--cascade=foreground', '--cascade=orphan'];

const gcThere = (line: string) => gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });

/** Half of the deletions are those of kubectl, of which nothing is saved. */
const isByKubectl = (seed: number) => (flags.isByKubectl && !areSeen) || seed % 2 === 1;

async function deleteOne(seed: number): Promise<Outcome> {
  const { random, isCrowded, ...chosen } = drawn(seed);
  const isOurs = !isByKubectl(seed);
  const name = `upper-${seed}`;
  const { line, before, wanted } = flags.plant
    ? await flagged(name, chosen, flags.plant, random)
    : isCrowded
      ? await crowded(name, chosen.wanted === 'Node', random)
      : await planted(name, chosen, random);
  const expiring = await expiringOf(name, before);
  const preview = await gcThere(`${line} --preview -o json`);
  const plan = planIn(preview);
  const { objects } = plan;
  const backup = join(folder, name);
  agents.awaitDeletion(name, before);
  const begun = performance.now();
  // Pod garbage collection looks every 20 s, and waits 40 s for a missing Node.
  const isSlow = wanted === 'Node';
  const timeout = `--timeout ${isSlow ? '150s' : '120s'}`;
  const run = isOurs
    ? await gcThere(`${line} --yes --backup ${backup} ${timeout}`)
    : await plane.kubectl(`${line} ${timeout}`.split(' '));
  // kubectl waits for what it deletes itself.
  const remaining = isOurs && run.code === 0 ? await leftOf(plan) : [];
  const after = await world.still(name, quiet, begun + (isSlow ? 90_000 : 25_000));
  const saved = savedUids(backup);
  const faults = [
    ...faultsOf({ name, before, after, objects, expiring, saved: isOurs ? saved : undefined }),
    ...remaining.map((object) => `${object.kind} ${object.name}: left, with exit code 0`),
  ];
  if (isOurs && run.code !== 0 && !hangs(run) && !wentAlong(run)) {
    faults.push(`exit code ${run.code}`);
  }
  const left = new Set(after.map(({ uid }) => uid));
  const isGone = (uid: string) => !left.has(uid);
  // In a namespace that is still going nothing can be made; and what overlaps may be adopted, and deleted, in its turn.
  const isClosed = after.some(({ kind, isTerminating }) => kind === 'Namespace' && isTerminating);
  const restored =
    saved.size > 0 && !isCrowded && !isClosed
      ? await restoreBackup(backup, isGone, gcThere)
      : nothingSaved;
  const still = after.filter(({ uid }) => !expiring.has(uid));
  faults.push(...restored.faults, ...(await lost(name, still, objects, restored)));
  await cleanUp(name);
  return {
    id: `${seed}: ${isOurs ? 'gc' : 'kubectl'} ${line}`,
    faults,
    stayed: objects.filter(isSure).flatMap((one) => (isGone(one.uid) ? [] : classOf(one))),
    code: run.code,
    counts: {
      planned: disappearingIn({ objects }).length,
      later: objects.filter((object) => object.then !== undefined && canDisappear(object)).length,
      gone: before.filter(({ uid }) => isGone(uid)).length,
      restored: restored.there.length,
      skipped: restored.skipped,
    },
    ...(faults.length > 0 && {
      said: `${run.stdout}${run.stderr}\n${objects.map(toldOf).join('\n')}`,
    }),
  };
}

/** Something that is planned to go waits for what nobody here does. */
function hangs({ code, stderr }: Run): boolean {
  return code === 4 && / is left/.test(stderr);
}

/** One target went with another before its own request came, which kubectl calls an error as well. */
function wentAlong({ code, stderr }: Run): boolean {
  const refusals = stderr.match(/^Error from server .*/gm) ?? [];
  return (
    (code === 3 || code === 4) &&
    refusals.length > 0 &&
    refusals.every((line) => line.includes('(NotFound)'))
  );
}

interface Chosen {
  readonly wanted: TargetKind;
  readonly way: string;
}

interface Case {
  readonly line: string;
  readonly before: readonly Seen[];
  readonly wanted: TargetKind;
}

const nothingSaved: Restored = { there: [], skipped: 0, faults: [] };

function planIn({ code, stdout, stderr }: Run): Plan {
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout) as Plan;
}

/** What is deleted by its time to live, as the forecast says. */
async function expiringOf(name: string, before: readonly Seen[]): Promise<ReadonlySet<string>> {
  const expected = before.filter(({ labels }) => lifeOf(labels) !== undefined);
  if (expected.length === 0) return new Set();
  const line = `forecast -n ${name} --collector time-to-live --within 1h -o json`;
  const { items } = JSON.parse((await gcThere(line)).stdout) as ForecastReport;
  return new Set(items.flatMap(({ object: { uid } }) => uid ?? []));
}

/** What some flags ask for. */
async function flagged(name: string, { way }: Chosen, plant: Plant, random: Random): Promise<Case> {
  if (flags.runsPods) agents.runPods(name);
  const target = await plant(plane, name, random);
  const before = await world.still(name, quiet);
  const place = typeNamed(target.kind).namespaced ? ` -n ${name}` : '';
  const line = `delete ${typeOf(target.kind)}/${target.name}${place} ${way}`;
  return { line, before, wanted: target.kind === 'Node' ? 'Node' : 'any' };
}

/** Objects of every kind, and what to delete of them. */
async function planted(name: string, { wanted, way }: Chosen, random: Random): Promise<Case> {
  const planting = await plant(plane, name, wanted, random, { collectsGarbage });
  const before = await world.still(name, quiet);
  const targets = [choose(wanted, planting, before, random)];
  // One that the first takes along is a target as well.
  if (random(3) === 0) targets.push(choose('any', planting, before, random));
  const named = targets.map((one) => `${typeOf(one.kind)}/${one.name}`);
  const cascade = wanted === 'orphaning' && random(3) > 0 ? '--cascade=orphan' : way;
  const line = `delete ${[...new Set(named)].join(' ')} -n ${name} ${cascade}`;
  return { line, before, wanted };
}

/** As `widgets.v1.example.com`. */
function typeOf(kind: string): string {
  const { group, version, resource } = typeNamed(kind);
  return group === '' ? resource : `${resource}.${version}.${group}`;
}

/** Workloads whose selectors overlap, beside a few objects of every kind, and what to delete of them. */
async function crowded(name: string, isNode: boolean, random: Random): Promise<Case> {
  const { nodes } = await plant(plane, name, 'root', random, { collectsGarbage });
  const [first] = nodes;
  if (random(3) > 0) agents.runPods(name);
  if (random(4) === 0) await plantNeighbours(plane, name);
  const where = isNode ? random(2) : random(3);
  if (where === 0) agents.bindPods(name);
  await plantWorkloads(plane, world, name, where === 1 ? first.name : undefined, random);
  const before = await world.still(name, quiet);
  if (isNode) return { line: `delete node/${first.name}`, before, wanted: 'Node' };
  const here = before.filter(({ namespace }) => namespace === name);
  const { targets, cascade } = chooseWorkload(here, random);
  const named = targets.map((target) => `${typeNamed(target.kind).resource}/${target.name}`);
  const line = `delete ${named.join(' ')} -n ${name} --cascade=${cascade}`;
  return { line, before, wanted: 'any' };
}

/** Does the plan say that it goes, and no more than that? */
function isSure({ fate, likely }: PlannedObject): boolean {
  return (fate === 'deleted' || fate === 'recreated') && !likely;
}

function classOf({ kind, name, fate, rule, because }: PlannedObject): string {
  return `${kind} ${name}: ${fate} (${rule}) ${because}`;
}

/** `12 planned, 11 gone`. */
function inWords(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}

/** The same for the same seed. */
function drawn(seed: number) {
  const random = randomFrom(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let skip = 0; skip < 5; skip++) random(2);
  const drawn = targetKindFrom(random);
  const wanted = drawn === 'Node' && !withNodes ? 'root' : drawn;
  const way = ways[random(ways.length)] ?? '';
  const isOfOthers = wanted === 'orphaning' || wanted === 'Application';
  return { wanted, way, isCrowded: random(4) > 0 && !isOfOthers, random };
}

function toldOf({ kind, name, fate, then, waitsFor = [], likely }: PlannedObject): string {
  const waits = waitsFor.map((wait) => `${blockerOf(wait)} of ${wait.object.name}`).join();
  return `${kind} ${name}: ${fate}${then ? ` then ${then}` : ''}${likely ? ' (likely)' : ''} ${waits}`;
}

/**
 * What the command waits for, and is there after it has ended well: what goes at once, and what goes when
 * the finalizers of what was requested are removed.
 */
async function leftOf({ objects, requests }: Plan): Promise<PlannedObject[]> {
  const requested = new Set(requests.map(({ uid }) => uid));
  const left: PlannedObject[] = [];
  for (const one of objects) {
    const { fate, then = fate, waitsFor = [], likely } = one;
    const isDue = (then === 'deleted' || then === 'recreated') && !likely;
    if (!isDue || !waitsFor.every(({ object }) => requested.has(object.uid))) continue;
    const { status, body } = await plane.request(pathOf(one));
    if (status !== 200) continue;
    const { metadata } = JSON.parse(body) as KubeObject;
    if (metadata.uid === one.uid) left.push(one);
  }
  return left;
}

interface Ended {
  readonly name: string;
  readonly before: readonly Seen[];
  readonly after: readonly Seen[];
  readonly objects: readonly PlannedObject[];
  /** uids of what is deleted by its time to live. */
  readonly expiring: ReadonlySet<string>;
  /** Undefined: no backup was asked for. */
  readonly saved: ReadonlySet<string> | undefined;
}

function faultsOf({ name, before, after, objects, expiring, saved }: Ended): string[] {
  const faults: string[] = [];
  const left = new Set(after.map(({ uid }) => uid));
  const planned = new Map(objects.map((object) => [object.uid, object]));
  for (const { kind, name, uid, isTerminating } of before) {
    if (left.has(uid)) continue;
    const object = planned.get(uid);
    if (expiring.has(uid) && !(object && canDisappear(object))) continue;
    // What was being deleted and is no part of this deletion goes for its own reason.
    if (!object && isTerminating) continue;
    if (!object) faults.push(`${kind} ${name}: deleted, not planned`);
    else if (!canDisappear(object))
      faults.push(`${kind} ${name}: gone, and planned as ${object.fate}`);
    // What expires may be gone before the backup is written.
    if (saved && !saved.has(uid) && !expiring.has(uid))
      faults.push(`${kind} ${name}: deleted, not saved`);
  }
  const seen = new Map(before.map((object) => [object.uid, object]));
  for (const object of objects) {
    if (caseOf(seen.get(object.uid) ?? object) !== name)
      faults.push(`${object.kind} ${object.name}: is of another case`);
  }
  return faults;
}

/** What was restored or planned to stay, and has gone some seconds later. */
async function lost(
  name: string,
  after: readonly Seen[],
  objects: readonly PlannedObject[],
  { there }: Restored,
): Promise<string[]> {
  const now = new Set((await world.still(name, quiet)).map(({ uid }) => uid));
  const gone = there.filter((uid) => !now.has(uid)).map((uid) => `${uid}: restored, and gone`);
  const stays = new Set(objects.flatMap((object) => (canDisappear(object) ? [] : object.uid)));
  const kept = after.filter(({ uid }) => stays.has(uid) && !now.has(uid));
  return [...gone, ...kept.map((one) => `${one.kind} ${one.name}: gone late, planned to stay`)];
}

/** The uids of the objects whose manifests a backup holds. */
function savedUids(directory: string): Set<string> {
  const index = join(directory, backupIndexFile);
  if (!existsSync(index)) return new Set();
  const { objects } = JSON.parse(readFileSync(index, 'utf8')) as Backup;
  return new Set(objects.flatMap(({ uid, file }) => (file === undefined ? [] : uid)));
}

/** Not waited for. */
async function cleanUp(name: string): Promise<void> {
  const objects = world.of(name);
  agents.awaitDeletion(name, objects);
  for (const object of objects.filter((one) => one.finalizers.includes(lastingFinalizer))) {
    await plane.merge(pathOf(object), { metadata: { finalizers: [] } });
  }
  for (const object of objects) {
    if (object.namespace !== '' && object.kind !== 'Lease') continue;
    await plane.remove(pathOf(object));
  }
  await plane.remove(`${collectionOf('Namespace', '')}/${name}`);
  if (!flags.areAlone) return;
  await eventually('no pods of the case', async () => !world.of(name).some(isPod));
}

const isPod = ({ kind }: Seen) => kind === 'Pod';

test(`every deleted object was in the plan and is restored from the backup, seed ${seed}`, {
  timeout: 240_000 + count * (flags.areAlone ? 150_000 : 20_000),
}, async () => {
  const outcomes: Outcome[] = [];
  const uncompared: string[] = [];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) {
        const outcome = await deleteOne(next).catch((error) =>
          uncompared.push(`${next}: ${error}`),
        );
        if (typeof outcome === 'number') continue;
        const { id, code, counts, faults, stayed, said = '' } = outcome;
        const there = stayed.map((one) => `stayed: ${one}`);
        console.log(
          [`${id}: ${inWords(counts)}; exit ${code}`, ...faults, ...there, said].join('\n'),
        );
        outcomes.push(outcome);
      }
    }),
  );
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const names = ['planned', 'later', 'gone', 'restored', 'skipped'] as const;
  const all = Object.fromEntries(names.map((name) => [name, sum(({ counts }) => counts[name])]));
  const codes = Object.entries(Object.groupBy(outcomes, ({ code }) => code));
  const ended = codes.map(([code, list]) => `${list?.length} × exit ${code}`).join(', ');
  const stayed = sum((outcome) => outcome.stayed.length);
  console.log(
    `upper bound: seed ${seed}: ${inWords(all)}, ${stayed} certain deletions remain; ${ended}`,
  );
  const wrong = outcomes.filter(({ faults }) => faults.length > 0);
  expect([...wrong, ...uncompared]).toEqual([]);
  if (flags.plant) return;
  expect(all.gone).toBeGreaterThan(outcomes.length);
  if (!flags.isByKubectl) expect(all.restored).toBeGreaterThan(0);
});
