import { join } from 'node:path';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { Random } from '../seeded-random.ts';
import {
  configMap,
  type OtherClient,
  ownersOf,
  ownerTo,
  pathOf,
  type Reference,
  type World,
} from './other-client.ts';
import { type Course, changesOf, nameIn, unbound, type Write } from './race-stage.ts';

const names = ['root', 'mid', 'leaf', 'shared'] as const;
const known = ['keeper', 'gone', ...names];
const uid = (name: string) => `00000000-0000-4000-8000-00000000000${known.indexOf(name)}`;
const to = (name: string) => ownerTo(name, uid(name), { blockOwnerDeletion: true });
const pending = '/metadata/annotations/';

/** `root` owns `mid` and `shared`, `mid` owns `leaf`; `keeper` owns `shared`, too. */
function tree(): KubeObject[] {
  const owners: Readonly<Record<string, readonly string[]>> = {
    mid: ['root'],
    leaf: ['mid'],
    shared: ['keeper', 'root'],
  };
  return ['keeper', ...names].map((name) => {
    const ownerReferences = owners[name]?.map(to);
    return configMap(name, { uid: uid(name), ...(ownerReferences && { ownerReferences }) });
  });
}

/** A backup of a tree; some of the tree may have been left alive. */
export function restoreCourse(random: Random, folder: string): Course {
  const backup = join(folder, 'backup');
  const alive = names.filter((name) => name !== 'root' && random(4) === 0);
  const objects = tree();
  const living = objects.filter(({ metadata }) => alive.some((name) => name === metadata.name));
  return {
    objects,
    prepare: async (run, other) => {
      // No garbage collector runs here, so that each of them is named.
      const tree = ['root', 'mid', 'leaf'].map((name) => `configmap/${name}`).join(' ');
      const line = `delete ${tree} --yes --timeout 30s --backup ${backup}`;
      const { code, stderr } = await run(line);
      if (code !== 0) throw new Error(stderr);
      // `shared` has another owner and has only lost the reference to the one that went.
      await other.remove(pathOf(configMap('shared')));
      await other.put(...living);
    },
    line: () => `restore ${backup} --yes`,
    targets: names.map((name) => pathOf(configMap(name))),
    keeper: 'keeper',
    deeds: names.map((name) => ({
      name: `gets a new ${name}`,
      work: async (other: OtherClient) => {
        await other.remove(pathOf(configMap(name)));
        await other.put(configMap(name));
      },
    })),
    isDue: () => false,
    faultOf: (write) => faultOf(write),
    faultsOfEnd: unsound,
  };
}

function faultOf(write: Write): string | undefined {
  const { method, path, body, before, isTaken } = write;
  if (method === 'POST') {
    const name = nameIn(body);
    return names.some((one) => one === name) ? undefined : `${name} was created in ${path}`;
  }
  if (method !== 'PATCH') return `${method} ${path}`;
  if (!isTaken || !before) return unbound(write);
  const faults = changesOf(write).flatMap(({ op, path: field, value }) => {
    if (field === '/metadata/managedFields') return [];
    if (field.startsWith(pending) && op === 'remove') return [];
    if (field !== '/metadata/ownerReferences') return [`${op} ${field} of ${path}`];
    // References to the uids of the backup may be replaced; all others stay.
    const given = new Set((value as readonly Reference[]).map((one) => one.uid));
    const old = new Set<string>(names.map(uid));
    const dropped = ownersOf(before).filter((one) => !given.has(one.uid) && !old.has(one.uid));
    return dropped.map(({ name }) => `${path} has lost its owner ${name}`);
  });
  return faults[0] ?? unbound(write);
}

/** All is there again, and each reference leads to what has its owner's name now. */
function unsound(world: World): string[] {
  return names.flatMap((name) => {
    const object = world.get(pathOf(configMap(name)));
    if (!object) return name === 'shared' ? [] : [`${name} is not there, with exit code 0`];
    // What somebody else has made is theirs.
    const { managedFields = [] } = object.metadata as { managedFields?: { manager?: string }[] };
    const isOurs = managedFields.some(({ manager }) => manager === 'kubectl-gc');
    if (!isOurs && object.metadata.uid !== uid(name)) return [];
    const restored = ownersOf(object).filter((owner) => names.some((one) => one === owner.name));
    return restored.flatMap((reference) => {
      const owner = world.get(pathOf(configMap(reference.name)));
      return owner?.metadata.uid === reference.uid
        ? []
        : [`${name} refers wrongly to ${reference.name}, with exit code 0`];
    });
  });
}
