import { locationKey } from '../../kube/object-reference.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { kindRank, restoreOrder } from './restore-order.ts';

/** An object to be created, and the keys of the objects that it needs. */
export interface NeedyObject {
  readonly saved: SavedObject;
  /** Without them it cannot be created. */
  readonly hard: readonly string[];
  /** Owners: a reference to one of them can be added later. */
  readonly soft: readonly string[];
}

export interface RestorationOrder {
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
    end += 1 + Math.max(-1, ...order.waves);
  }
  return { waves, later, end };
}

function rankAt({ type }: SavedObject): number {
  return ranks.indexOf(kindRank(type));
}
