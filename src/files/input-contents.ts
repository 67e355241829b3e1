import type { Json } from '../kube/json-value.ts';
import type { ObjectRecord, Place } from '../kube/object-record.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import type { SnapshotHeader } from '../snapshot/saved-snapshot.ts';
import { KindTable } from './kind-table.ts';
import type { SetAside } from './repository.ts';

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
export class InputContents {
  readonly records: ObjectRecord[] = [];
  readonly kinds: KindTable;
  /** Types with an object outside of saved snapshots. */
  readonly readTypes = new Set<ResourceType>();
  readonly typedLists: TypedList[] = [];
  readonly snapshots: SnapshotHeader[] = [];
  readonly problems: CoverageProblem[] = [];
  /** What lies in folders beside objects, and is no problem. */
  readonly aside: SetAside[] = [];
  readonly lost = new LostKinds();
  /** Called with every object in full, with the record that was made of it. */
  readonly onObject: ((object: Json, record: ObjectRecord) => void) | undefined;

  constructor(builtIn: readonly ResourceType[], onObject?: InputContents['onObject']) {
    this.kinds = new KindTable(builtIn);
    this.onObject = onObject;
  }
}

const kindField = /(?:^[ \t]*(?:-[ \t]+)?|[{,]\s*)["']?kind["']?\s*:\s*["']?([A-Z][A-Za-z0-9]*)/gm;

/**
 * The kinds of which an object may have been in a part of the input that could not be read:
 * that such an object is missing is no fact.
 */
class LostKinds {
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
