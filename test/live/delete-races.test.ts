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

const kinds = [
  { kind: 'ConfigMap', resource: 'configmaps' },
  { kind: 'Secret', resource: 'secrets' },
] as const;

interface Grown {
  readonly name: string;
  readonly kind: 'ConfigMap' | 'Secret';
  readonly path: string;
  uid: string;
}

const at = (namespace: string, resource: string) => `/api/v1/namespaces/${namespace}/${resource}`;
const referenceTo = ({ kind, name, uid }: Grown) => {
  return { apiVersion: 'v1', kind, name, uid, blockOwnerDeletion: true };
};

async function grow(namespace: string, name: string, owners: readonly Grown[], random: Random) {
  const { kind, resource } = kinds[random(2)] ?? kinds[0];
  const ownerReferences = owners.map(referenceTo);
  const collection = at(namespace, resource);
  const { metadata } = await plane.create<KubeObject>(collection, {
    metadata: { name, ownerReferences, labels: { race: 'yes' } },
  });
  return { name, kind, path: `${collection}/${name}`, uid: String(metadata.uid) };
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

const disturbances: readonly {
  readonly name: string;
  readonly work: (garden: Garden, deeds: Deeds, namespace: string, random: Random) => Promise<void>;
}[] = [
  {
    name: 'the root is replaced',
    work: async ({ tree: [root] }, deeds) => {
      if (!root) return;
      await remove(root, deeds);
      deeds.again.push(await growAgain(root));
    },
  },
  {
    name: 'a dependent is replaced',
    work: async ({ tree }, deeds, _namespace, random) => {
      const one = tree[1 + random(tree.length - 1)];
      if (!one) return;
      await remove(one, deeds);
      deeds.again.push(await growAgain(one));
    },
  },
  {
    name: 'a dependent is added',
    work: async ({ tree }, deeds, namespace, random) => {
      const owner = tree[random(tree.length)];
      if (owner) deeds.made.push(await grow(namespace, 'late', [owner], random));
    },
  },
  {
    name: 'a dependent loses its owners',
    work: async ({ tree }, deeds, _namespace, random) => {
      const one = tree[1 + random(tree.length - 1)];
      if (one && (await change(one, { ownerReferences: null }))) deeds.safe.push(one);
    },
  },
  {
    name: 'a dependent gets another owner',
    work: async ({ tree, keeper }, deeds, _namespace, random) => {
      const one = tree[1 + random(tree.length - 1)];
      if (!one) return;
      const { status, body } = await plane.request(one.path);
      const { metadata } = JSON.parse(body) as KubeObject;
      if (status !== 200 || metadata.deletionTimestamp) return;
      const owners = [...((metadata.ownerReferences ?? []) as object[]), referenceTo(keeper)];
      const uid = metadata.uid;
      if (await change(one, { uid, ownerReferences: owners })) deeds.safe.push(one);
    },
  },
  {
    name: 'a dependent goes before',
    work: async ({ tree }, deeds, _namespace, random) => {
      const one = tree[1 + random(tree.length - 1)];
      if (!one) return;
      await remove(one, deeds);
    },
  },
  {
    name: 'labels change',
    work: async ({ tree }, _deeds, _namespace, random) => {
      const one = tree[random(tree.length)];
      if (one) await change(one, { labels: { touched: 'yes' } });
    },
  },
];

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

async function growAgain(one: Grown): Promise<Grown> {
  const collection = one.path.slice(0, one.path.lastIndexOf('/'));
  const { metadata } = await plane.create<KubeObject>(collection, { metadata: { name: one.name } });
  return { ...one, uid: String(metadata.uid) };
}

/** Undefined: nothing is there. */
async function uidAt(path: string): Promise<string | undefined> {
  const { status, body } = await plane.request(path);
  return status === 200 ? String((JSON.parse(body) as KubeObject).metadata.uid) : undefined;
}

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
  const disturbance = disturbances[random(disturbances.length)];
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
    await disturbance?.work(garden, deeds, namespace, random);
    return undefined;
  };
  const run = await gc(`${line} --server ${proxy.address}`);
  proxy.before = () => undefined;
  // What the garbage collector still has to do.
  await sleep(1_500);

  const alive = new Set<string>();
  for (const { resource } of kinds) {
    const items = await plane.list(at(namespace, resource));
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
    if (!alive.has(one.uid)) faults.push(`${one.name}: gone, though it was not to go`);
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
  const id = `${seed}: ${way}, ${disturbance?.name}`;
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
  `whatever happens meanwhile, only what was shown goes, seed ${races.seed}`,
  {
    timeout: 60_000 + races.count * 20_000,
  },
  () => runRaces('delete', plane, races, race),
);
