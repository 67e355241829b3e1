import type { ObjectFacts, ObjectRecord } from '../kube/object-record.ts';

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
