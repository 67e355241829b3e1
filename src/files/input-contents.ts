import type { Json } from '../kube/json-value.ts';
import type { ObjectRecord, Place } from '../kube/object-record.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import { KindTable } from './kind-table.ts';
import type { SetAside } from './repository.ts';
import type { SnapshotHeader } from './saved-snapshot.ts';
import { ShownTogether } from './shown-together.ts';

/** A list that names the kind of its items, such as a PodList. */
export interface TypedList {
  readonly apiVersion: string;
  /** Of its items. */
  readonly kind: string;
  readonly place: Place;
  /** It was fetched in pages and this one is not the last. */
  readonly continues: boolean;
  readonly items: ShownTogether;
  /** Names in its path of which one may be the namespace that was listed. */
  readonly pathNames: readonly string[];
}

/** What all inputs together have brought so far. */
export class InputContents {
  readonly records: ObjectRecord[] = [];
  readonly kinds: KindTable;
  /** Of the objects outside of saved snapshots. */
  readonly shown: ShownTogether[] = [];
  readonly typedLists: TypedList[] = [];
  readonly snapshots: SnapshotHeader[] = [];
  readonly problems: CoverageProblem[] = [];
  /** What lies in folders beside objects, and is no problem. */
  readonly aside: SetAside[] = [];
  readonly lost = new LostKinds();
  /** Called with every object in full, with the record that was made of it. */
  readonly onObject: ((object: Json, record: ObjectRecord) => void) | undefined;

  readonly #singles = new Map<string, ShownTogether>();

  constructor(builtIn: readonly ResourceType[], onObject?: InputContents['onObject']) {
    this.kinds = new KindTable(builtIn);
    this.onObject = onObject;
  }

  /** What the objects outside of lists show, of one file or of the files of one folder. */
  singlesOf(path: string): ShownTogether {
    const before = this.#singles.get(path);
    if (before) return before;
    const singles = new ShownTogether(path, false);
    this.#singles.set(path, singles);
    this.shown.push(singles);
    return singles;
  }

  /** Was any object read outside of saved snapshots? */
  get hasLooseObjects(): boolean {
    return this.shown.some(({ isEmpty }) => !isEmpty);
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
