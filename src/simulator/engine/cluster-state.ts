import type { Change } from '../../controllers/controller.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ResourceType, storedAs } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { type Owners, ownersAmong } from '../../snapshot/graph/owners.ts';
import { Causes } from './causes.ts';

/** Why admission refuses to delete an object, while the configuration exists that makes it. */
export interface RefusedDeletion {
  readonly because: string;
  readonly configuration?: ObjectRecord;
}

export type Watcher = (change: Change) => void;

/**
 * What is stored, during one run. Records are never changed but replaced, so that a record also
 * stands for the resourceVersion it was read at, and the snapshot stays as it is.
 */
export class ClusterState {
  types: ResourceTypes;
  /** What admission refuses to delete, by uid. */
  refused: ReadonlyMap<string, RefusedDeletion> = new Map();
  /** How many objects there were at the beginning. */
  count = 0;
  /** Counts writes, and whatever else may let a failed attempt succeed. */
  changes = 0;
  /** Every record that was replaced or removed. */
  readonly touched = new Set<ObjectRecord>();
  readonly created: ObjectRecord[] = [];
  readonly causes = new Causes();
  /** Of what was there at the beginning. */
  readonly first: Owners;
  /** What was left out: a second object of one name, or of one uid. */
  readonly contradicting: ObjectRecord[] = [];
  readonly #byResource = new Map<string, Map<string, Content>>();
  /** The same by type, as spelling its resource takes time. */
  readonly #byType = new Map<ResourceType, Map<string, Content>>();
  readonly #watchers: { readonly watcher: Watcher; readonly resource: string | undefined }[] = [];
  /** Those of a type, in their order. */
  readonly #watchersOf = new Map<ResourceType, readonly Watcher[]>();
  #lastResourceVersion = 0;

  /** `owners`: who owns whom among the records, where that is known already. */
  constructor(
    types: ResourceTypes,
    records: readonly ObjectRecord[],
    owners = ownersAmong(records),
  ) {
    this.types = types;
    const uids = owners.areDistinct() ? undefined : new Set<string>();
    // V8 compiles a function that is called often sooner than a loop.
    records.forEach((record) => {
      const { uid } = record;
      // Of objects that contradict each other, the first counts.
      if ((uid !== '' && uids?.has(uid)) || !this.#contentOf(record).add(record)) {
        this.contradicting.push(record);
        return;
      }
      uids?.add(uid);
      const version = Number(record.resourceVersion);
      if (version > this.#lastResourceVersion) this.#lastResourceVersion = version;
      this.count++;
    });
    const out = new Set(this.contradicting);
    this.first =
      out.size === 0 ? owners : ownersAmong(records.filter((record) => !out.has(record)));
  }

  /** Has nothing been written yet? */
  get isAsAtFirst(): boolean {
    return this.touched.size === 0 && this.created.length === 0;
  }

  /** Watches all objects, or those of a kind, named as in `jobs.batch`. */
  watch(watcher: Watcher, resource?: string): void {
    this.#watchers.push({ watcher, resource });
    this.#watchersOf.clear();
  }

  /** What a GET finds, whatever version of the kind is asked for. */
  get(type: ResourceType, namespace: string, name: string): ObjectRecord | undefined {
    return this.#within(type)?.get(namespace)?.get(name);
  }

  /** The object as it is now; undefined when it was removed, or another object has its name. */
  current(record: ObjectRecord): ObjectRecord | undefined {
    const found = this.get(record.type, record.namespace, record.name);
    return found?.uid === record.uid ? found : undefined;
  }

  list(type: ResourceType, namespace: string): ObjectRecord[] {
    return this.#within(type)?.get(namespace)?.list() ?? [];
  }

  listAll(type: ResourceType): ObjectRecord[] {
    return recordsIn(this.#within(type)?.values() ?? []);
  }

  isEmpty(type: ResourceType, namespace: string): boolean {
    return (this.#within(type)?.get(namespace)?.size ?? 0) === 0;
  }

  #within(type: ResourceType): Map<string, Content> | undefined {
    return this.#byType.get(type) ?? this.#byResource.get(storedAs(type));
  }

  /** Is there an object of this kind, named as in `jobs.batch`? */
  holds(resource: string): boolean {
    for (const { size } of this.#byResource.get(resource)?.values() ?? [])
      if (size > 0) return true;
    return false;
  }

  /** Is there, or was there, an object of this kind? Quicker than `holds`. */
  hasHeld(resource: string): boolean {
    return this.#byResource.has(resource);
  }

  /** Objects of a kind, named as in `jobs.batch`: of one namespace, or of all. */
  ofResource(resource: string, namespace?: string): ObjectRecord[] {
    const namespaces = this.#byResource.get(resource);
    if (namespace === undefined) return recordsIn(namespaces?.values() ?? []);
    return namespaces?.get(namespace)?.list() ?? [];
  }

  at(resource: string, namespace: string, name: string): ObjectRecord | undefined {
    return this.#byResource.get(resource)?.get(namespace)?.get(name);
  }

  all(): ObjectRecord[] {
    return recordsIn([...this.#byResource.values()].flatMap((one) => [...one.values()]));
  }

  create(record: ObjectRecord): ObjectRecord {
    const after = { ...record, resourceVersion: this.#nextResourceVersion() };
    this.#place(after);
    this.created.push(after);
    this.#notify(after.type, { before: undefined, after });
    return after;
  }

  /** Stores `after` in place of `before`, under a new resourceVersion. */
  update(before: ObjectRecord, after: ObjectRecord): ObjectRecord {
    const stored = { ...after, resourceVersion: this.#nextResourceVersion() };
    this.#place(stored);
    this.#notify(stored.type, { before, after: stored });
    return stored;
  }

  remove(record: ObjectRecord): void {
    this.#contentOf(record).delete(record.name);
    this.#notify(record.type, { before: record, after: undefined });
  }

  #nextResourceVersion(): string {
    return String(++this.#lastResourceVersion);
  }

  #place(record: ObjectRecord): void {
    this.#contentOf(record).set(record);
  }

  #contentOf({ type, namespace }: ObjectRecord): Content {
    let namespaces = this.#byType.get(type);
    if (!namespaces) {
      namespaces = this.#namespacesOf(storedAs(type));
      this.#byType.set(type, namespaces);
    }
    let content = namespaces.get(namespace);
    if (!content) {
      content = new Content();
      namespaces.set(namespace, content);
    }
    return content;
  }

  #namespacesOf(resource: string): Map<string, Content> {
    let namespaces = this.#byResource.get(resource);
    if (!namespaces) {
      namespaces = new Map();
      this.#byResource.set(resource, namespaces);
    }
    return namespaces;
  }

  #notify(type: ResourceType, change: Change): void {
    this.changes++;
    if (change.before) this.touched.add(change.before);
    let watchers = this.#watchersOf.get(type);
    if (!watchers) {
      const stored = storedAs(type);
      watchers = this.#watchers.flatMap(({ watcher, resource }) =>
        resource === undefined || resource === stored ? watcher : [],
      );
      this.#watchersOf.set(type, watchers);
    }
    const notified = watchers;
    this.causes.writing(change.before, change.after, () => {
      for (const watcher of notified) watcher(change);
    });
  }
}

function recordsIn(contents: Iterable<Content>): ObjectRecord[] {
  return [...contents].flatMap((content) => content.list());
}

/**
 * The objects of one kind in one namespace. Where they come in the order of their names, they are indexed at the first
 * look-up: most are never looked up.
 */
class Content {
  readonly #sorted: ObjectRecord[] = [];
  #byName: Map<string, ObjectRecord> | undefined;

  /** False for a second object of one name. */
  add(record: ObjectRecord): boolean {
    const last = this.#sorted.at(-1);
    if (!this.#byName && (!last || last.name < record.name)) {
      this.#sorted.push(record);
      return true;
    }
    if (this.get(record.name)) return false;
    this.set(record);
    return true;
  }

  get(name: string): ObjectRecord | undefined {
    return this.#names().get(name);
  }

  set(record: ObjectRecord): void {
    this.#names().set(record.name, record);
  }

  delete(name: string): void {
    this.#names().delete(name);
  }

  get size(): number {
    return this.#byName?.size ?? this.#sorted.length;
  }

  list(): ObjectRecord[] {
    return this.#byName ? [...this.#byName.values()] : [...this.#sorted];
  }

  #names(): Map<string, ObjectRecord> {
    if (this.#byName) return this.#byName;
    const names = new Map<string, ObjectRecord>();
    for (const record of this.#sorted) names.set(record.name, record);
    this.#byName = names;
    return names;
  }
}
