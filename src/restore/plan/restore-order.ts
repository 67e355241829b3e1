import { locationKey } from '../../kube/object-reference.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import type { SavedObject } from '../backup/saved-object.ts';

/** What must be there first: without a hard one nothing works, a soft one may be added later. */
export interface Needs {
  /** Namespace and definition of the kind: positions in the list. */
  readonly hard: readonly number[];
  /** Owners. */
  readonly soft: readonly number[];
}

interface RestoreOrder {
  /** The wave of each, by position. */
  readonly waves: readonly number[];
  /** `dependent owner` of the references that close a circle. */
  readonly later: ReadonlySet<string>;
}

/**
 * Puts every object into the wave after all that it needs. Owners in a circle: the first one that
 * the circle can be cut at is created without that reference.
 * @internal
 */
export function restoreOrder(needs: readonly Needs[]): RestoreOrder {
  const waves: number[] = new Array(needs.length).fill(-1);
  const later = new Set<string>();
  const users: number[][] = needs.map(() => []);
  const unmet = needs.map(({ hard, soft }, index) => {
    const all = new Set([...hard, ...soft]);
    for (const need of all) users[need]?.push(index);
    return all;
  });
  let ready = [...needs.keys()].filter((index) => unmet[index]?.size === 0);
  let left = needs.length;
  for (let cursor = 0; left > 0; ) {
    if (ready.length === 0) {
      while (waves[cursor] !== -1) cursor += 1;
      const { dependent, owner } = cutOf(cursor, needs, unmet);
      later.add(`${dependent} ${owner}`);
      unmet[dependent]?.delete(owner);
      if (unmet[dependent]?.size !== 0) continue;
      ready = [dependent];
    }
    const next: number[] = [];
    for (const index of ready) {
      const { hard, soft } = needs[index] ?? { hard: [], soft: [] };
      const before = [...hard, ...soft].map((need) => waves[need] ?? -1);
      waves[index] = 1 + Math.max(-1, ...before);
      left -= 1;
      for (const user of users[index] ?? []) {
        // One that was cut free has its wave already, or will have it before this turn ends.
        if (unmet[user]?.delete(index) && unmet[user].size === 0) next.push(user);
      }
    }
    ready = next;
  }
  return { waves, later };
}

/**
 * Follows what is missing until that closes a circle: the first reference of that circle that may
 * come later.
 */
function cutOf(
  start: number,
  needs: readonly Needs[],
  unmet: readonly ReadonlySet<number>[],
): { readonly dependent: number; readonly owner: number } {
  const path: number[] = [];
  const seen = new Set<number>();
  let at = start;
  while (!seen.has(at)) {
    seen.add(at);
    path.push(at);
    at = [...(unmet[at] ?? [])][0] ?? at;
  }
  const circle = path.slice(path.indexOf(at));
  const edges = circle.map((dependent, index) => ({
    dependent,
    owner: circle[index + 1] ?? at,
  }));
  const soft = edges.find(({ dependent, owner }) => !needs[dependent]?.hard.includes(owner));
  return soft ?? { dependent: at, owner: circle[1] ?? at };
}

const first = new Set([
  'namespaces',
  'customresourcedefinitions.apiextensions.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'storageclasses.storage.k8s.io',
  'serviceaccounts',
  'secrets',
  'configmaps',
  'persistentvolumes',
  'persistentvolumeclaims',
  'services',
  // Their StatefulSet or DaemonSet would restart the numbering of the history.
  'controllerrevisions.apps',
]);

/** They decide about everything that is created after them, and need programs that run again. */
const last = new Set([
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
]);

/** Where a kind comes: what others use first, what refuses others last. */
export function kindRank(type: ResourceType): 'first' | 'middle' | 'last' {
  const resource = groupResourceOf(type);
  if (first.has(resource)) return 'first';
  return last.has(resource) ? 'last' : 'middle';
}

/** An object to be created, and the keys of the objects that it needs. */
interface NeedyObject {
  readonly saved: SavedObject;
  /** Without them it cannot be created. */
  readonly hard: readonly string[];
  /** Owners: a reference to one of them can be added later. */
  readonly soft: readonly string[];
}

interface RestorationOrder {
  /** The wave of each object, by key. */
  readonly waves: ReadonlyMap<string, number>;
  /** By key: the owners that come after the object, which is therefore created without them. */
  readonly later: ReadonlyMap<string, ReadonlySet<string>>;
  /** The first wave after all others. */
  readonly end: number;
}

const ranks = ['first', 'middle', 'last'] as const;

/**
 * What others use comes before everything else, even before its own owner: the controller of the
 * owner creates missing objects at once. A StatefulSet makes its claims
 * (createPersistentVolumeClaims, stateful_pod_control.go), and an empty volume may be bound to
 * them. Among objects of one rank owners come first.
 */
export function orderRestoration(objects: readonly NeedyObject[]): RestorationOrder {
  const rankOf = new Map(objects.map(({ saved }) => [locationKey(saved), rankAt(saved)]));
  const waves = new Map<string, number>();
  const later = new Map<string, ReadonlySet<string>>();
  let end = 0;
  for (const rank of ranks.keys()) {
    const members = objects.filter(({ saved }) => rankAt(saved) === rank);
    const positions = new Map(members.map(({ saved }, index) => [locationKey(saved), index]));
    const among = (keys: readonly string[]): number[] =>
      keys.flatMap((key) => positions.get(key) ?? []);
    const order = restoreOrder(
      members.map(({ hard, soft }) => ({ hard: among(hard), soft: among(soft) })),
    );
    for (const [index, { saved, soft }] of members.entries()) {
      const isLater = (owner: string): boolean =>
        (rankOf.get(owner) ?? rank) > rank ||
        order.later.has(`${index} ${positions.get(owner) ?? ''}`);
      waves.set(locationKey(saved), end + (order.waves[index] ?? 0));
      later.set(locationKey(saved), new Set(soft.filter(isLater)));
    }
    end += 1 + order.waves.reduce((last, wave) => Math.max(last, wave), -1);
  }
  return { waves, later, end };
}

function rankAt({ type }: SavedObject): number {
  return ranks.indexOf(kindRank(type));
}
