import { type Json, jsonOf, textOf } from '../kube/json-value.ts';
import { problemsIn } from '../snapshot/coverage-part.ts';
import type { LostKinds } from './input-contents.ts';
import { objectFault } from './object-fault.ts';
import type { ObjectReader } from './object-reader.ts';

/** An element that says neither apiVersion nor kind waits until its list says it. */
interface Untyped {
  readonly line: number;
  readonly parse: () => unknown;
}

/** So many entries without metadata wait for what their list says. */
const mostBare = 10_000;

/** A list whose own fields may be known only behind its elements. */
export class ListAssembler {
  readonly #objects: ObjectReader;
  readonly #line: number;
  readonly #readNested: (value: unknown, line: number) => void;
  readonly #untyped: Untyped[] = [];
  #header: Json;
  #elements = 0;
  #hasLost = false;

  /** `readNested` reads an element that says itself what it is, perhaps another list. */
  constructor(
    objects: ObjectReader,
    header: Json,
    line: number,
    readNested: (value: unknown, line: number) => void,
  ) {
    this.#objects = objects;
    this.#header = header;
    this.#line = line;
    this.#readNested = readNested;
  }

  /** `parseAgain` gives the value once more, so that only text has to wait. */
  add(value: unknown, line: number, parseAgain: () => unknown): void {
    this.#elements++;
    const json = jsonOf(value);
    if (json && json.apiVersion === undefined && json.kind === undefined) {
      const { itemType } = this;
      if (itemType) this.#objects.add({ ...json, ...itemType }, line);
      // Whatever its list says, it is no object: of millions of them, few wait.
      else if (this.#untyped.length >= mostBare && !jsonOf(json.metadata))
        this.#objects.add(json, line);
      else this.#untyped.push({ line, parse: parseAgain });
    } else {
      this.#readNested(value, line);
    }
  }

  /** An element could not be read. */
  addLost(): void {
    this.#hasLost = true;
  }

  /** Where to note which kinds were lost. */
  get lost(): LostKinds {
    return this.#objects.contents.lost;
  }

  /**
   * `header` holds all fields but the elements; undefined when the list was cut off. `hasOtherElements`: the
   * field that holds them stands there once more, and the last one counts.
   */
  end(header: Json | undefined, hasOtherElements = false): void {
    if (header) this.#header = header;
    const { contents, path } = this.#objects;
    const { itemType } = this;
    const fault = header && headerFault(header);
    if (fault !== undefined && (this.#elements === 0 || this.#untyped.length > 0)) {
      this.#objects.problem('not-an-object', fault, this.#line);
      return;
    }
    for (const { line, parse } of this.#untyped) {
      const value = jsonOf(parse());
      this.#objects.add(itemType ? { ...value, ...itemType } : value, line);
    }
    if (hasOtherElements) {
      this.#objects.problem(
        'unreadable',
        'the list has two fields named items: not all items are read',
        this.#line,
      );
      this.lost.addAnything();
    }
    if (this.#hasLost && itemType) contents.lost.addKind(itemType.kind);
    if (!header || fault !== undefined) return;
    this.#objects.used++;
    if (header.kind === 'Simulation' && header.apiVersion === 'kubectl-gc/v1') {
      contents.problems.push(...problemsIn(header.coverage));
      return;
    }
    const continues = Boolean(jsonOf(header.metadata)?.continue);
    if (itemType) {
      const place = { path, line: this.#line };
      contents.typedLists.push({ ...itemType, place, continues });
    } else if (continues) {
      const page = 'the List is one page of several (its metadata.continue is set)';
      this.#objects.problem('truncated', `${page}: the others may hold any kind`, this.#line);
      this.lost.addAnything();
    }
  }

  /** What kind a PodList holds; undefined for a plain List, or while that is unknown. */
  get itemType(): { readonly apiVersion: string; readonly kind: string } | undefined {
    const apiVersion = textOf(this.#header.apiVersion);
    const kind = /^(.+)List$/.exec(textOf(this.#header.kind) ?? '')?.[1];
    return apiVersion && kind ? { apiVersion, kind } : undefined;
  }
}

function headerFault(header: Json): string | undefined {
  return textOf(header.apiVersion) && textOf(header.kind) ? undefined : objectFault(header);
}
