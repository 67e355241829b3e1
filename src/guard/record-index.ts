import { isForeign } from '../deletion/plan/play/blocking-finalizers.ts';
import { claimsHeldBy, nameKeyOf, predecessorsOf } from '../deletion/plan/relations.ts';
import { toolOf } from '../delivery/tools.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { isBuiltInGroup } from '../kube/resource-types.ts';

type Records = ReadonlySet<ObjectRecord>;

const emptyIndex: Records = new Set();

/** Objects of a cluster by what a deletion follows: owners, namespaces, names; kept up to date one by one. */
export class RecordIndex {
  readonly #byUid = new Map<string, ObjectRecord>();
  readonly #dependents = new Map<string, Set<ObjectRecord>>();
  readonly #contents = new Map<string, Set<ObjectRecord>>();
  readonly #trailing = new Map<string, Set<ObjectRecord>>();
  readonly #users = new Map<string, Set<ObjectRecord>>();
  /** Objects of delivery tools. */
  readonly tools = new Set<ObjectRecord>();
  /** Custom resources with a finalizer that a program removes. */
  readonly held = new Set<ObjectRecord>();

  get size(): number {
    return this.#byUid.size;
  }

  put(record: ObjectRecord, before: ObjectRecord | undefined): void {
    if (before) this.remove(before);
    this.#byUid.set(record.uid, record);
    for (const [map, key] of this.#placesOf(record)) {
      const known = map.get(key);
      if (known) known.add(record);
      else map.set(key, new Set([record]));
    }
    if (toolOf(record)) this.tools.add(record);
    if (isHeld(record)) this.held.add(record);
  }

  remove(record: ObjectRecord): void {
    if (this.#byUid.get(record.uid) === record) this.#byUid.delete(record.uid);
    for (const [map, key] of this.#placesOf(record)) {
      const known = map.get(key);
      known?.delete(record);
      if (known?.size === 0) map.delete(key);
    }
    this.tools.delete(record);
    this.held.delete(record);
  }

  withUid(uid: string): ObjectRecord | undefined {
    return this.#byUid.get(uid);
  }

  dependentsOf(uid: string): Records {
    return this.#dependents.get(uid) ?? emptyIndex;
  }

  contentsOf(namespace: string): Records {
    return this.#contents.get(namespace) ?? emptyIndex;
  }

  /** The objects that a controller deletes after an object, which does not own them. */
  trailing(record: ObjectRecord): Records {
    return namedBy(this.#trailing, record);
  }

  /** The Pods that use a claim. */
  usersOf(record: ObjectRecord): Records {
    return namedBy(this.#users, record);
  }

  #placesOf(record: ObjectRecord): [Map<string, Set<ObjectRecord>>, string][] {
    const { namespace, ownerReferences } = record;
    const places = (map: Map<string, Set<ObjectRecord>>, keys: readonly string[]) =>
      keys.map((key): [Map<string, Set<ObjectRecord>>, string] => [map, key]);
    return [
      ...places(
        this.#dependents,
        ownerReferences.map(({ uid }) => uid),
      ),
      ...places(this.#trailing, predecessorsOf(record)),
      ...places(this.#users, claimsHeldBy(record)),
      ...places(this.#contents, namespace === '' ? [] : [namespace]),
    ];
  }
}

function namedBy(map: ReadonlyMap<string, Records>, record: ObjectRecord): Records {
  const key = nameKeyOf(record);
  return (key === undefined ? undefined : map.get(key)) ?? emptyIndex;
}

function isHeld({ type, finalizers }: ObjectRecord): boolean {
  return finalizers.length > 0 && !isBuiltInGroup(type.group) && finalizers.some(isForeign);
}
