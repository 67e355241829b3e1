import type { ObjectFacts } from '../facts/object-facts.ts';
import {
  type FieldManager,
  noFinalizers,
  noReferences,
  type OwnerKind,
  type OwnerReference,
  type Place,
} from '../object-record.ts';
import type { ResourceType } from '../resource-type.ts';
import type { BlockColumns } from './block-columns.ts';
import { timestampAt } from './timestamps.ts';
import { uidWords, unpackUid } from './uids.ts';

/** Some thousand objects, column by column: a fifth of what they take one by one. */
export class RecordBlock {
  readonly rows: number;
  readonly #types: ResourceType[];
  readonly #columns: BlockColumns;

  constructor(columns: BlockColumns) {
    this.rows = columns.rows;
    this.#types = [...columns.types];
    this.#columns = columns;
  }

  type(row: number): ResourceType {
    return this.#types[this.#columns.typeAt[row] as number] as ResourceType;
  }

  /** Gives the objects of each type the one that `replace` says; cluster-scoped ones lose their namespace. */
  replaceTypes(replace: (type: ResourceType) => ResourceType): void {
    for (const [index, type] of this.#types.entries()) this.#types[index] = replace(type);
  }

  /** What its types are seen to be: how many objects, whether one has a namespace and one a uid. */
  observedTypes(): Map<ResourceType, { objects: number; namespaced: boolean; stored: boolean }> {
    const seen = this.#types.map(() => ({ objects: 0, namespaced: false, stored: false }));
    for (let row = 0; row < this.rows; row++) {
      const one = seen[this.#columns.typeAt[row] as number];
      if (!one) continue;
      one.objects++;
      one.namespaced ||= this.#columns.namespaces[this.#columns.namespaceAt[row] as number] !== '';
      one.stored ||= this.hasUid(row);
    }
    return new Map(this.#types.map((type, index) => [type, seen[index]] as const)) as Map<
      ResourceType,
      (typeof seen)[0]
    >;
  }

  namespace(row: number): string {
    if (!this.type(row).namespaced) return '';
    return this.#columns.namespaces[this.#columns.namespaceAt[row] as number] as string;
  }

  name(row: number): string {
    return this.#columns.more?.get(row)?.name ?? this.#columns.names.at(row);
  }

  uid(row: number): string {
    const rare = this.#columns.more?.get(row)?.uid;
    if (rare !== undefined) return rare;
    return this.#columns.uids ? unpackUid(this.#columns.uids, row * uidWords) : '';
  }

  hasUid(row: number): boolean {
    const { uids, more } = this.#columns;
    return uids !== undefined && more?.get(row)?.uid !== '';
  }

  copyUid(row: number, words: Uint32Array): boolean {
    const uids = this.#columns.uids;
    if (!uids || typeof this.#columns.more?.get(row)?.uid === 'string') return false;
    for (let word = 0; word < uidWords; word++) {
      words[word] = uids[row * uidWords + word] as number;
    }
    return true;
  }

  copyOwnerUid(row: number, words: Uint32Array): boolean {
    const { references, more } = this.#columns;
    if (more?.get(row)?.ownerReferences) return false;
    return references?.copyOwnerUid(row, words) ?? false;
  }

  /** What the references of all its objects are to, some of them more than once. */
  ownerKinds(): OwnerKind[] {
    const { references, more } = this.#columns;
    const rare = [...(more?.values() ?? [])].flatMap(({ ownerReferences = [] }) => ownerReferences);
    return [...(references?.shapes ?? []), ...rare];
  }

  resourceVersion(row: number): string | undefined {
    const rare = this.#columns.more?.get(row)?.resourceVersion;
    return rare ?? this.#columns.versions?.at(row)?.toString();
  }

  creationTimestamp(row: number): string | undefined {
    const rare = this.#columns.more?.get(row)?.creationTimestamp;
    if (rare !== undefined) return rare;
    const created = this.#columns.created?.at(row);
    return created === undefined ? undefined : timestampAt(created);
  }

  deletionTimestamp(row: number): string | undefined {
    return this.#columns.more?.get(row)?.deletionTimestamp;
  }

  deletionGracePeriodSeconds(row: number): number | undefined {
    return this.#columns.more?.get(row)?.deletionGracePeriodSeconds;
  }

  ownerReferences(row: number): readonly OwnerReference[] {
    const { references, more } = this.#columns;
    if (references?.isSet(row)) return references.at(row);
    return more?.get(row)?.ownerReferences ?? noReferences;
  }

  hasOwners(row: number): boolean {
    const { references, more } = this.#columns;
    return references?.isSet(row) || (more?.get(row)?.ownerReferences?.length ?? 0) > 0;
  }

  finalizers(row: number): readonly string[] {
    return this.#columns.finalizers?.at(row) ?? noFinalizers;
  }

  labels(row: number): Readonly<Record<string, string>> | undefined {
    return this.#columns.more?.get(row)?.labels ?? this.#columns.labels?.at(row);
  }

  annotations(row: number): Readonly<Record<string, string>> | undefined {
    return this.#columns.more?.get(row)?.annotations ?? this.#columns.annotations?.at(row);
  }

  writers(row: number): readonly FieldManager[] | undefined {
    return this.#columns.writers?.at(row);
  }

  facts(row: number): ObjectFacts | undefined {
    return this.#columns.facts?.at(row, this.type(row));
  }

  factsText(row: number): string | undefined {
    return this.#columns.facts?.text(row, this.type(row));
  }

  place(row: number): Place | undefined {
    return this.#columns.places.at(row);
  }
}
