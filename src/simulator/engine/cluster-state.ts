import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ResourceType, storedAs } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';

/** One write as a watcher sees it; `before` is missing for a new object, `after` for a removed one. */
export interface Change {
  readonly before: ObjectRecord | undefined;
  readonly after: ObjectRecord | undefined;
}

export type Watcher = (change: Change) => void;

/**
 * What is stored, during one run. Records are never changed but replaced, so that a record also
 * stands for the resourceVersion it was read at, and the snapshot stays as it is.
 */
export class ClusterState {
  types: ResourceTypes;
  /** How many objects there were at the beginning. */
  count = 0;
  /** Counts writes, and whatever else may let a failed attempt succeed. */
  changes = 0;
  /** Every record that was replaced or removed. */
  readonly touched = new Set<ObjectRecord>();
  readonly created: ObjectRecord[] = [];
  /** What was there at the beginning, by uid. */
  readonly firstWithUid = new Map<string, ObjectRecord>();
  /** What was left out: a second object of one name, or of one uid. */
  readonly contradicting: ObjectRecord[] = [];
  readonly #byResource = new Map<string, Map<string, Map<string, ObjectRecord>>>();
  /** The same by type, as spelling its resource takes time. */
  readonly #byType = new Map<ResourceType, Map<string, Map<string, ObjectRecord>>>();
  readonly #watchers: Watcher[] = [];
  #lastResourceVersion = 0;

  constructor(types: ResourceTypes, records: Iterable<ObjectRecord>) {
    this.types = types;
    for (const record of records) {
      const names = this.#namesOf(record);
      // Of objects that contradict each other, the first counts.
      if (names.has(record.name) || (record.uid !== '' && this.firstWithUid.has(record.uid))) {
        this.contradicting.push(record);
        continue;
      }
      names.set(record.name, record);
      this.firstWithUid.set(record.uid, record);
      const version = Number(record.resourceVersion);
      if (version > this.#lastResourceVersion) this.#lastResourceVersion = version;
      this.count++;
    }
  }

  watch(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  /** What a GET finds, whatever version of the kind is asked for. */
  get(type: ResourceType, namespace: string, name: string): ObjectRecord | undefined {
    return this.#within(type)?.get(namespace)?.get(name);
  }

  /** The object as it is now; undefined when it is gone, or another one took its name. */
  current(record: ObjectRecord): ObjectRecord | undefined {
    const found = this.get(record.type, record.namespace, record.name);
    return found?.uid === record.uid ? found : undefined;
  }

  list(type: ResourceType, namespace: string): ObjectRecord[] {
    return [...(this.#within(type)?.get(namespace)?.values() ?? [])];
  }

  listAll(type: ResourceType): ObjectRecord[] {
    const namespaces = this.#within(type)?.values() ?? [];
    return [...namespaces].flatMap((names) => [...names.values()]);
  }

  isEmpty(type: ResourceType, namespace: string): boolean {
    return (this.#within(type)?.get(namespace)?.size ?? 0) === 0;
  }

  #within(type: ResourceType): Map<string, Map<string, ObjectRecord>> | undefined {
    return this.#byType.get(type) ?? this.#byResource.get(storedAs(type));
  }

  /** Is there an object of this kind, named as in `jobs.batch`? */
  holds(resource: string): boolean {
    for (const { size } of this.#byResource.get(resource)?.values() ?? [])
      if (size > 0) return true;
    return false;
  }

  /** Objects of a kind, named as in `jobs.batch`: of one namespace, or of all. */
  *ofResource(resource: string, namespace?: string): Iterable<ObjectRecord> {
    const namespaces = this.#byResource.get(resource);
    if (!namespaces) return;
    if (namespace !== undefined) yield* namespaces.get(namespace)?.values() ?? [];
    else for (const names of namespaces.values()) yield* names.values();
  }

  at(resource: string, namespace: string, name: string): ObjectRecord | undefined {
    return this.#byResource.get(resource)?.get(namespace)?.get(name);
  }

  *all(): Iterable<ObjectRecord> {
    for (const namespaces of this.#byResource.values()) {
      for (const names of namespaces.values()) yield* names.values();
    }
  }

  create(record: ObjectRecord): ObjectRecord {
    const after = { ...record, resourceVersion: this.#nextResourceVersion() };
    this.#place(after);
    this.created.push(after);
    this.#notify({ before: undefined, after });
    return after;
  }

  /** Stores `after` in place of `before`, under a new resourceVersion. */
  update(before: ObjectRecord, after: ObjectRecord): ObjectRecord {
    const stored = { ...after, resourceVersion: this.#nextResourceVersion() };
    this.#place(stored);
    this.#notify({ before, after: stored });
    return stored;
  }

  remove(record: ObjectRecord): void {
    this.#namesOf(record).delete(record.name);
    this.#notify({ before: record, after: undefined });
  }

  #nextResourceVersion(): string {
    return String(++this.#lastResourceVersion);
  }

  #place(record: ObjectRecord): void {
    this.#namesOf(record).set(record.name, record);
  }

  #namesOf({ type, namespace }: ObjectRecord): Map<string, ObjectRecord> {
    let namespaces = this.#byType.get(type);
    if (!namespaces) {
      namespaces = this.#namespacesOf(storedAs(type));
      this.#byType.set(type, namespaces);
    }
    let names = namespaces.get(namespace);
    if (!names) {
      names = new Map();
      namespaces.set(namespace, names);
    }
    return names;
  }

  #namespacesOf(resource: string): Map<string, Map<string, ObjectRecord>> {
    let namespaces = this.#byResource.get(resource);
    if (!namespaces) {
      namespaces = new Map();
      this.#byResource.set(resource, namespaces);
    }
    return namespaces;
  }

  #notify(change: Change): void {
    this.changes++;
    if (change.before) this.touched.add(change.before);
    for (const watcher of this.#watchers) watcher(change);
  }
}
