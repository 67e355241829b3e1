import type { ObjectFacts } from '../facts/object-facts.ts';
import type {
  FieldManager,
  ObjectRecord,
  OwnerKind,
  OwnerReference,
  Place,
} from '../object-record.ts';
import type { ResourceType } from '../resource-type.ts';
import type { RecordBlock } from './record-block.ts';

/**
 * A record whose fields lie in the columns of a block, and are made when somebody looks. It has no
 * fields of its own: `withChanges` copies it, where `{ ...record }` would copy nothing.
 */
export class StoredRecord implements ObjectRecord {
  readonly #block: RecordBlock;
  readonly #row: number;

  constructor(block: RecordBlock, row: number) {
    this.#block = block;
    this.#row = row;
  }

  get type(): ResourceType {
    return this.#block.type(this.#row);
  }

  get namespace(): string {
    return this.#block.namespace(this.#row);
  }

  get name(): string {
    return this.#block.name(this.#row);
  }

  get uid(): string {
    return this.#block.uid(this.#row);
  }

  get resourceVersion(): string | undefined {
    return this.#block.resourceVersion(this.#row);
  }

  get creationTimestamp(): string | undefined {
    return this.#block.creationTimestamp(this.#row);
  }

  get deletionTimestamp(): string | undefined {
    return this.#block.deletionTimestamp(this.#row);
  }

  get deletionGracePeriodSeconds(): number | undefined {
    return this.#block.deletionGracePeriodSeconds(this.#row);
  }

  get ownerReferences(): readonly OwnerReference[] {
    return this.#block.ownerReferences(this.#row);
  }

  get finalizers(): readonly string[] {
    return this.#block.finalizers(this.#row);
  }

  get labels(): Readonly<Record<string, string>> | undefined {
    return this.#block.labels(this.#row);
  }

  get annotations(): Readonly<Record<string, string>> | undefined {
    return this.#block.annotations(this.#row);
  }

  get writers(): readonly FieldManager[] | undefined {
    return this.#block.writers(this.#row);
  }

  get facts(): ObjectFacts | undefined {
    return this.#block.facts(this.#row);
  }

  get place(): Place | undefined {
    return this.#block.place(this.#row);
  }

  /** The JSON of what a Kubernetes object has besides its metadata; undefined without facts. */
  get factsText(): string | undefined {
    return this.#block.factsText(this.#row);
  }

  /** Puts the packed uid of the object into `words`; false when it is no UUID. */
  copyUid(words: Uint32Array): boolean {
    return this.#block.copyUid(this.#row, words);
  }

  /** Puts the packed uid of the only owner into `words`; false when there is none, are several, or it is no UUID. */
  copyOwnerUid(words: Uint32Array): boolean {
    return this.#block.copyOwnerUid(this.#row, words);
  }

  get hasUid(): boolean {
    return this.#block.hasUid(this.#row);
  }

  /** Of references, none is made an object for this. */
  get hasOwners(): boolean {
    return this.#block.hasOwners(this.#row);
  }

  /** Its block, of which it is one row. */
  get block(): RecordBlock {
    return this.#block;
  }

  toJSON(): ObjectRecord {
    return plainRecord(this);
  }
}

/** The record with fields of its own, as it is. */
export function plainRecord(record: ObjectRecord): ObjectRecord {
  return {
    type: record.type,
    namespace: record.namespace,
    name: record.name,
    uid: record.uid,
    resourceVersion: record.resourceVersion,
    creationTimestamp: record.creationTimestamp,
    deletionTimestamp: record.deletionTimestamp,
    deletionGracePeriodSeconds: record.deletionGracePeriodSeconds,
    ownerReferences: record.ownerReferences,
    finalizers: record.finalizers,
    labels: record.labels,
    annotations: record.annotations,
    writers: record.writers,
    facts: record.facts,
    place: record.place,
  };
}

/** Was it stored by an API server? A manifest that was never applied has no uid. */
export function hasUid(record: ObjectRecord): boolean {
  return record instanceof StoredRecord ? record.hasUid : record.uid !== '';
}

export function hasOwners(record: ObjectRecord): boolean {
  return record instanceof StoredRecord ? record.hasOwners : record.ownerReferences.length > 0;
}

/** What the references of all these records are to, some of them more than once: far fewer than references. */
export function ownerKindsOf(records: readonly ObjectRecord[]): OwnerKind[] {
  const blocks = new Set<RecordBlock>();
  const kinds: OwnerKind[] = [];
  for (const record of records) {
    if (record instanceof StoredRecord) blocks.add(record.block);
    else for (const reference of record.ownerReferences) kinds.push(reference);
  }
  for (const block of blocks) kinds.push(...block.ownerKinds());
  return kinds;
}

/** The record with other values in these fields: a new one. */
export function withChanges(record: ObjectRecord, changes: Partial<ObjectRecord>): ObjectRecord {
  const copied = record instanceof StoredRecord ? plainRecord(record) : record;
  return { ...copied, ...changes };
}
