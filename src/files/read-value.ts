import { type Json, jsonOf, textOf } from '../kube/json-value.ts';
import { problemsIn } from '../snapshot/coverage-part.ts';
import { objectFault } from './object-fault.ts';
import type { ObjectReader } from './object-reader.ts';
import { isSavedSnapshot, refusalOfVersion } from './saved-snapshot.ts';
import type { ShownTogether } from './shown-together.ts';

const rewritten =
  'a saved snapshot that another program has rewritten, so that its checksum does not hold: use the file as it was saved';

/** Lists inside lists, deeper than any tool nests them. */
const deepestList = 16;

/** Where a value stands. */
interface Surroundings {
  /** How many lists it is in. */
  readonly depth: number;
  /** Of the innermost list, or of a file. */
  readonly together: ShownTogether;
}

/** One parsed document: an object, a list of any sort, or lists in lists. */
export function readValue(
  objects: ObjectReader,
  value: unknown,
  line: number,
  elementLines: readonly number[] = [],
  { depth, together }: Surroundings = { depth: 0, together: objects.singles },
): void {
  if (depth > deepestList) {
    objects.problem('not-an-object', 'lists that are nested too deeply', line);
    return;
  }
  if (Array.isArray(value)) {
    const inside = { depth: depth + 1, together };
    for (const entry of value) readValue(objects, entry, line, [], inside);
    return;
  }
  const json = jsonOf(value);
  const elements = json && elementsOf(json);
  if (json && isSavedSnapshot(json)) {
    const message = refusalOfVersion(textOf(json.apiVersion) ?? '') ?? rewritten;
    objects.problem('unreadable', message, line);
    objects.contents.lost.addAnything();
    return;
  }
  if (!json || !elements) {
    objects.add(value, line, together);
    return;
  }
  const list = new ListReader(objects, json, line, depth);
  for (const [index, element] of elements.entries()) {
    list.add(element, elementLines[index] ?? line);
  }
  list.end({ ...json, items: undefined });
}

/** As Kubernetes has it, whatever has `items` is a list. */
function elementsOf(json: Json): readonly unknown[] | undefined {
  if (Array.isArray(json.items)) return json.items;
  const kind = textOf(json.kind) ?? '';
  if (isSimulation(json)) return Array.isArray(json.objects) ? json.objects : undefined;
  const isEmptyList = kind.endsWith('List') && jsonOf(json.metadata)?.name === undefined;
  return isEmptyList && (json.items ?? null) === null && json.apiVersion ? [] : undefined;
}

function isSimulation({ apiVersion, kind }: Json): boolean {
  return apiVersion === 'kubectl-gc/v1' && kind === 'Simulation';
}

/** An element that says neither apiVersion nor kind waits until its list says it. */
interface Untyped {
  readonly line: number;
  readonly value: Json;
}

/** So many entries without metadata wait for what their list says. */
const mostBare = 10_000;

/** A list whose own fields may be known only behind its elements. */
export class ListReader {
  readonly #objects: ObjectReader;
  readonly #line: number;
  readonly #depth: number;
  readonly #items: ShownTogether;
  readonly #untyped: Untyped[] = [];
  #header: Json;
  #elements = 0;
  #hasLost = false;

  constructor(objects: ObjectReader, header: Json, line: number, depth = 0) {
    this.#objects = objects;
    this.#header = header;
    this.#line = line;
    this.#depth = depth;
    this.#items = objects.listBegins();
  }

  add(value: unknown, line: number): void {
    this.#elements++;
    const json = jsonOf(value);
    if (json && json.apiVersion === undefined && json.kind === undefined) {
      const { itemType } = this;
      if (itemType) this.#objects.add({ ...json, ...itemType }, line, this.#items);
      // Whatever its list says, it is no object: of millions of them, few wait.
      else if (this.#untyped.length >= mostBare && !jsonOf(json.metadata))
        this.#objects.add(json, line, this.#items);
      else this.#untyped.push({ line, value: json });
    } else {
      const inside = { depth: this.#depth + 1, together: this.#items };
      readValue(this.#objects, value, line, [], inside);
    }
  }

  /** An element could not be read. */
  addLost(): void {
    this.#hasLost = true;
  }

  /**
   * `header` contains all fields but the elements; undefined when the list was truncated. `hasOtherElements`: the
   * field of the elements occurs once more, and the last one counts.
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
    for (const { line, value } of this.#untyped) {
      this.#objects.add({ ...value, ...itemType }, line, this.#items);
    }
    if (hasOtherElements) {
      const message = 'the list has two fields named items: not all items are read';
      this.#objects.problem('unreadable', message, this.#line);
      contents.lost.addAnything();
    }
    if (this.#hasLost && itemType) contents.lost.addKind(itemType.kind);
    if (!header || fault !== undefined) return;
    this.#objects.used++;
    if (isSimulation(header)) {
      contents.problems.push(...problemsIn(header.coverage));
      return;
    }
    const continues = Boolean(jsonOf(header.metadata)?.continue);
    if (itemType) {
      const place = { path, line: this.#line };
      const { pathNames } = this.#objects;
      contents.typedLists.push({ ...itemType, place, continues, items: this.#items, pathNames });
    } else if (continues) {
      const page = 'the List is one page of several (its metadata.continue is set)';
      this.#objects.problem('truncated', `${page}: the others may hold any kind`, this.#line);
      contents.lost.addAnything();
    }
  }

  /** The kind of the items of a PodList; undefined for a plain List, or while it is unknown. */
  get itemType(): { readonly apiVersion: string; readonly kind: string } | undefined {
    const apiVersion = textOf(this.#header.apiVersion);
    const kind = /^(.+)List$/.exec(textOf(this.#header.kind) ?? '')?.[1];
    return apiVersion && kind ? { apiVersion, kind } : undefined;
  }
}

function headerFault(header: Json): string | undefined {
  return textOf(header.apiVersion) && textOf(header.kind) ? undefined : objectFault(header);
}
