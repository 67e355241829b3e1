import type { Json } from '../kube/json-value.ts';
import type { ObjectFacts, ObjectRecord, Place } from '../kube/object-record.ts';
import type { RecordBlock } from '../kube/records/record-block.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import type { SnapshotHeader } from '../snapshot/saved-snapshot.ts';
import { KindTable } from './kind-table.ts';

/** A list that says which kind it holds, such as a PodList. */
export interface TypedList {
  readonly apiVersion: string;
  /** Of its items. */
  readonly kind: string;
  readonly place: Place;
  /** It was fetched in pages and this one is not the last. */
  readonly continues: boolean;
}

/** What all inputs together have brought so far. */
export interface InputContents {
  readonly records: ObjectRecord[];
  /** What holds those of the records that are stored in columns. */
  readonly blocks: RecordBlock[];
  readonly kinds: KindTable;
  /** Types with an object outside of saved snapshots. */
  readonly readTypes: Set<ResourceType>;
  readonly typedLists: TypedList[];
  readonly snapshots: SnapshotHeader[];
  readonly problems: CoverageProblem[];
  readonly lost: LostKinds;
  readonly compactor: RecordCompactor;
  /** Called with every object in full, with the record that was made of it. */
  readonly onObject: ((object: Json, record: ObjectRecord) => void) | undefined;
  /**
   * Called with every KubeletConfiguration, which has no name and is not an object; without this,
   * it is a problem.
   */
  readonly onKubeletConfiguration: ((configuration: Json, place: Place) => void) | undefined;
}

export function newInputContents(
  builtIn: readonly ResourceType[],
  { onObject, onKubeletConfiguration }: Partial<InputContents> = {},
): InputContents {
  return {
    records: [],
    blocks: [],
    kinds: new KindTable(builtIn),
    readTypes: new Set(),
    typedLists: [],
    snapshots: [],
    problems: [],
    lost: new LostKinds(),
    compactor: new RecordCompactor(),
    onObject,
    onKubeletConfiguration,
  };
}

const kindField = /(?:^[ \t]*(?:-[ \t]+)?|[{,]\s*)["']?kind["']?\s*:\s*["']?([A-Z][A-Za-z0-9]*)/gm;

/**
 * The kinds of which an object may have been in a part of the input that could not be read:
 * that such an object is missing is no fact.
 */
export class LostKinds {
  readonly #kinds = new Set<string>();
  #anything = false;

  addKind(kind: string): void {
    this.#kinds.add(kind);
  }

  /** The kinds named in text that does not parse: those of owners too, to be on the safe side. */
  addNamedIn(text: string): void {
    for (const [, kind] of text.matchAll(kindField)) {
      if (kind !== undefined) this.addKind(kind.replace(/(?<=.)List$/, ''));
    }
  }

  addAnything(): void {
    this.#anything = true;
  }

  has(kind: string): boolean {
    return this.#anything || this.#kinds.has(kind);
  }
}

/** How many values are remembered at a time: what repeats does so soon. */
const remembered = 1 << 16;

/**
 * Makes records small before anything else has them: of equal strings, sets of labels, references,
 * writers and facts one stays in memory.
 */
export class RecordCompactor {
  readonly #strings = new Map<string, string>();
  /** By their JSON. */
  readonly #values = new Map<string, unknown>();

  compact(record: ObjectRecord): ObjectRecord {
    const own: { -readonly [Field in keyof ObjectRecord]: ObjectRecord[Field] } = record;
    own.namespace = this.#string(own.namespace);
    own.creationTimestamp &&= this.#string(own.creationTimestamp);
    if (own.ownerReferences.length > 0) own.ownerReferences = this.#list(own.ownerReferences);
    if (own.finalizers.length > 0) own.finalizers = this.#list(own.finalizers);
    own.labels &&= this.#value(own.labels);
    own.annotations &&= this.#value(own.annotations);
    own.writers &&= this.#list(own.writers);
    own.facts &&= this.#facts(own.facts);
    return record;
  }

  #facts(facts: ObjectFacts): ObjectFacts {
    const own = facts as Record<string, unknown>;
    for (const name of Object.keys(own)) own[name] = this.#fact(name, own[name]);
    return facts;
  }

  #fact(name: string, value: unknown): unknown {
    if (typeof value === 'string') return this.#string(value);
    if (typeof value !== 'object') return value;
    if (!Array.isArray(value)) return this.#value(value);
    // Their times differ from object to object, so that whole lists are hardly ever equal.
    if (name === 'conditions') return value.map((condition) => this.#value(condition));
    return value.length > 0 ? this.#list(value) : value;
  }

  #string(text: string): string {
    return remember(this.#strings, text, text);
  }

  /** Copied, as a list that was put together takes more memory than it needs. */
  #list<T>(list: readonly T[]): readonly T[] {
    return remember(this.#values, JSON.stringify(list), list.slice()) as readonly T[];
  }

  #value<T>(value: T): T {
    return remember(this.#values, JSON.stringify(value), value) as T;
  }
}

function remember<T>(known: Map<string, T>, key: string, value: T): T {
  const before = known.get(key);
  if (before !== undefined) return before;
  if (known.size >= remembered) known.clear();
  known.set(key, value);
  return value;
}
