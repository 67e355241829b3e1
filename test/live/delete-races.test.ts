import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { type Backup, backupIndexFile } from '../../src/restore/backup/backup.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TestProxy } from './proxy.ts';
import { momentFrom, type Race, racesFor, runRaces } from './races/run-races.ts';
import type { Random } from './seeded-random.ts';

/**
 * While `delete` works on a random tree, somebody else changes the tree, before one of its requests
 * reaches the API server. Whatever the moment: only what was asked for goes, what goes is in the backup
 * or named, and the exit code tells the truth.
 */
const races = { ...racesFor(24), lanes: 3 };

const plane = sharedControlPlane();
const folder = temporaryFolder();

const kinds = ['ConfigMap', 'Secret'] as const;

interface Grown {
  readonly name: string;
  readonly kind: (typeof kinds)[number];
  readonly path: string;
  readonly uid: string;
}

const referenceTo = ({ kind, name, uid }: Grown) => {
  return { apiVersion: 'v1', kind, name, uid, blockOwnerDeletion: true };
};

async function grow(namespace: string, name: string, owners: readonly Grown[], random: Random) {
  const kind = kinds[random(2)] ?? 'Secret';
  const path = `${kind} ${namespace}/${name}`;
  const ownerReferences = owners.map(referenceTo);
  const { metadata } = await plane.make(path, {
    metadata: { ownerReferences, labels: { race: 'yes' } },
  });
  return { name, kind, path, uid: String(metadata.uid) };
}

/** `o0` is the root, all others have owners in the tree; `stranger` has none, `keeper` may become an owner. */
async function plant(namespace: string, random: Random) {
  await plane.make(`Namespace ${namespace}`);
  const tree = [await grow(namespace, 'o0', [], random)];
  for (let index = 1, size = 3 + random(6); index < size; index++) {
    const owners = new Set([tree[random(tree.length)], tree[random(tree.length)]]);
    tree.push(await grow(namespace, `o${index}`, [...owners] as Grown[], random));
  }
  const keeper = await grow(namespace, 'keeper', [], random);
  const stranger = await grow(namespace, 'stranger', [], random);
  return { tree, keeper, stranger };
}

type Garden = Awaited<ReturnType<typeof plant>>;

/** What the other one did: what it deleted itself, and what it made. */
interface Deeds {
  readonly removed: Set<string>;
  /** New dependents of the tree. */
  readonly made: Grown[];
  /** What must still be there in the end, whatever else goes. */
  readonly safe: Grown[];
  /** What took the name of something of the tree; it goes only where it was shown and saved itself. */
  readonly again: Grown[];
}

/** One of the tree, but not its root. */
const below = ({ tree }: Garden, random: Random) => tree[1 + random(tree.length - 1)] as Grown;

const disturbances: Readonly<
  Record<string, (garden: Garden, deeds: Deeds, namespace: string, random: Random) => Promise<void>>
> = {
  'the root is replaced': ({ tree: [root] }, deeds) => replace(root as Grown, deeds),
  'a dependent is replaced': (garden, deeds, _, random) => replace(below(garden, random), deeds),
  'a dependent is added': async ({ tree }, deeds, namespace, random) => {
    const owner = tree[random(tree.length)] as Grown;
    deeds.made.push(await grow(namespace, 'late', [owner], random));
  },
  'dependent without owners': async (garden, deeds, _, random) => {
    const one = below(garden, random);
    if (await change(one, { ownerReferences: null })) deeds.safe.push(one);
  },
  'dependent of another owner': async (garden, deeds, _, random) => {
    const one = below(garden, random);
    const {
      uid,
      deletionTimestamp,
      ownerReferences = [],
    } = (await plane.find(one.path))?.metadata ?? {};
    if (uid === undefined || deletionTimestamp) return;
    const owners = [...(ownerReferences as object[]), referenceTo(garden.keeper)];
    if (await change(one, { uid, ownerReferences: owners })) deeds.safe.push(one);
  },
  'a dependent goes before': (garden, deeds, _, random) => remove(below(garden, random), deeds),
  'labels change': async ({ tree }, _deeds, _namespace, random) => {
    await change(tree[random(tree.length)] as Grown, { labels: { touched: 'yes' } });
  },
};

/** Answers whether it was there, not being deleted, and was changed. */
async function change({ path, uid }: Grown, metadata: object): Promise<boolean> {
  const { status, body } = await plane.merge(path, { metadata: { uid, ...metadata } });
  return status === 200 && !(JSON.parse(body) as KubeObject).metadata.deletionTimestamp;
}

/** Deletes it and leaves its dependents alone; waits until it is gone. */
async function remove({ path, uid }: Grown, { removed }: Deeds): Promise<void> {
  const body = { propagationPolicy: 'Orphan', preconditions: { uid } };
  const { status } = await plane.remove(path, body);
  if (status === 200) removed.add(uid);
  await eventually(`the end of ${path}`, async () => (await uidAt(path)) !== uid);
}

async function replace(one: Grown, deeds: Deeds): Promise<void> {
  await remove(one, deeds);
  const { metadata } = await plane.make(one.path);
  deeds.again.push({ ...one, uid: String(metadata.uid) });
}

/** Undefined: nothing is there. */
const uidAt = async (path: string) => (await plane.find(path))?.metadata.uid;

const ways = ['background', 'foreground', 'orphan', 'plan'] as const;

/** The commands to prepare, and the one to disturb. */
function linesFor(way: (typeof ways)[number], namespace: string, root: Grown, backup: string) {
  const target = `delete ${root.kind}/${root.name} -n ${namespace}`;
  const end = `--yes --backup ${backup} --timeout 20s`;
  if (way === 'plan') {
    const plan = join(folder, `${namespace}.json`);
    return { prepare: [`${target} --plan ${plan}`], line: `delete --plan ${plan} ${end}` };
  }
  return { prepare: [], line: `${target} --cascade=${way} ${end}` };
}

async function race(seed: number, random: Random, proxy: TestProxy): Promise<Race> {
  const namespace = `race-${seed}`;
  const backup = join(folder, namespace);
  const garden = await plant(namespace, random);
  const [root] = garden.tree as [Grown];
  const way = ways[random(ways.length)] ?? 'plan';
  const names = Object.keys(disturbances);
  const disturbance = names[random(names.length)] ?? '';
  const { prepare, line } = linesFor(way, namespace, root, backup);
  for (const first of prepare) await gc(`${first} --server ${proxy.address}`);
  const deeds: Deeds = { removed: new Set(), made: [], safe: [], again: [] };
  const moment = momentFrom(random, (method) => method === 'DELETE');
  let isDisturbed = false;
  let wasSent = false;
  proxy.before = async ({ method }) => {
    const { isNow, wasSent: isLate } = moment.isNow(method);
    if (!isNow || isDisturbed) return undefined;
    isDisturbed = true;
    wasSent = isLate;
    await disturbances[disturbance]?.(garden, deeds, namespace, random);
    return undefined;
  };
  const run = await gc(`${line} --server ${proxy.address}`);
  proxy.before = () => undefined;
  // What the garbage collector still has to do.
  await sleep(1_500);

  const alive = new Set<string>();
  for (const kind of kinds) {
    const items = await plane.list(`${kind} ${namespace}/`);
    for (const { metadata } of items) alive.add(String(metadata.uid));
  }
  const saved = savedFates(backup);
  const said = `${run.stdout}${run.stderr}`;
  const faults: string[] = [];
  const wasMissed = ({ uid, name }: Grown) =>
    !alive.has(uid) && !deeds.removed.has(uid) && !saved.has(uid) && !said.includes(name);
  for (const one of garden.tree) if (wasMissed(one)) faults.push(`${one.name}: gone, not saved`);
  // Who refers to an owner that is gone already has done so without us, and only the kinds of the plan
  // are watched while it is performed.
  const isWatched = ({ kind }: Grown) => garden.tree.some((one) => one.kind === kind);
  for (const one of wasSent ? [] : deeds.made.filter(isWatched)) {
    if (wasMissed(one)) faults.push(`${one.name}: gone, neither saved nor named`);
  }
  for (const one of [garden.keeper, garden.stranger, ...deeds.safe]) {
    if (!alive.has(one.uid)) faults.push(`${one.name}: deleted against the plan`);
  }
  for (const one of deeds.again) {
    if (!alive.has(one.uid) && !saved.has(one.uid)) faults.push(`${one.name}: gone, though new`);
  }
  if (run.code === 0) {
    const left = garden.tree.filter(({ uid }) => goes.has(saved.get(uid)) && alive.has(uid));
    for (const { name } of left) faults.push(`${name}: planned and left, with exit code 0`);
    if (alive.has(root.uid)) faults.push('the root is left, with exit code 0');
  } else if (run.code === 3 && !/ deleted /.test(run.stdout)) {
    const gone = garden.tree.filter(({ uid }) => !alive.has(uid) && !deeds.removed.has(uid));
    for (const { name } of gone) faults.push(`${name}: gone, with exit code 3`);
  } else if (run.code !== 3 && run.code !== 4) faults.push(`exit code ${run.code}`);
  await plane.remove(`/api/v1/namespaces/${namespace}`);
  const id = `${seed}: ${way}, ${disturbance}`;
  return { id, faults, code: run.code, isDisturbed, run };
}

const goes: ReadonlySet<string | undefined> = new Set(['deleted', 'recreated']);

/** The fates of the objects whose manifests a backup holds, by uid; none where there is no backup. */
function savedFates(directory: string): Map<string, string> {
  const index = join(directory, backupIndexFile);
  if (!existsSync(index)) return new Map();
  const { objects } = JSON.parse(readFileSync(index, 'utf8')) as Backup;
  const saved = objects.filter(({ file }) => file !== undefined);
  return new Map(saved.map(({ uid, fate }) => [uid, fate]));
}

test(
  `whatever happens meanwhile, only planned objects are deleted, seed ${races.seed}`,
  {
    timeout: 60_000 + races.count * 20_000,
  },
  () => runRaces('delete', plane, races, race),
);
