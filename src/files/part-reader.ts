import { type Json, jsonOf, textOf } from '../kube/json-value.ts';
import type { LostKinds } from './input-contents.ts';
import { ListAssembler } from './list-assembler.ts';
import type { ObjectReader } from './object-reader.ts';
import type { InputPart } from './parsing/input-part.ts';
import { ParseFailure, parseJson } from './parsing/parse-json.ts';
import type { ParseYaml } from './parsing/parse-yaml.ts';

type BrokenPart = Extract<InputPart, { kind: 'broken' }>;
type TextPart = Exclude<InputPart, BrokenPart> & { readonly text: string };

/** What a part says, and how to have it said again without keeping it. */
interface Reading {
  readonly value: unknown;
  readonly again: () => unknown;
}

/** Braces that are not JSON may be YAML in flow style; more text than this is damaged JSON. */
const longestFlowYaml = 1024 * 1024;

const template = 'a template, not YAML: render it first, for instance with "helm template"';

/** Reads the parts of one input in their order. */
export class PartReader {
  readonly #objects: ObjectReader;
  readonly #loadYaml: () => Promise<ParseYaml>;
  #list: ListAssembler | undefined;

  /** The YAML parser is loaded when the first part needs it. */
  constructor(objects: ObjectReader, loadYaml: () => Promise<ParseYaml>) {
    this.#objects = objects;
    this.#loadYaml = loadYaml;
  }

  async read(part: InputPart): Promise<void> {
    if (part.kind === 'broken') this.#lose(part);
    else if (part.text === undefined) this.#endList(undefined);
    else await this.#readText({ ...part, text: part.text });
  }

  async #readText(part: TextPart): Promise<void> {
    try {
      this.#take(part, await this.#parse(part));
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      this.#fail(part, error);
    }
  }

  async #parse({ syntax, text, kind }: TextPart): Promise<Reading> {
    if (syntax === 'yaml') return readingOf(await this.#loadYaml(), text);
    try {
      return readingOf(parseJson, text);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      if (kind === 'list-start' || text.length > longestFlowYaml) throw error;
      return this.#parseFlowYaml(text, error);
    }
  }

  async #parseFlowYaml(text: string, failure: ParseFailure): Promise<Reading> {
    const parse = await this.#loadYaml();
    try {
      return readingOf(parse, text);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      // It knows better where the fault is.
      throw failure.lines > 0 ? failure : new ParseFailure(failure.message, error.lines);
    }
  }

  #take(part: TextPart, { value, again }: Reading): void {
    switch (part.kind) {
      case 'document':
        // Nothing but comments reads as null.
        if (value !== null) {
          readValue(this.#objects, value, part.line, 0, part.elementLines);
        }
        break;
      case 'list-start':
        this.#startList(value, part.line);
        break;
      case 'element':
        // A YAML element comes with its dash.
        this.#list?.add(entryOf(part, value), part.line, () => entryOf(part, again()));
        break;
      case 'list-end':
        this.#endList(value);
    }
  }

  #fail(part: TextPart, failure: ParseFailure): void {
    if (part.kind === 'list-start') {
      // The same text comes once more at the list's end.
      this.#startList(undefined, part.line);
      return;
    }
    const message = part.text.includes('{{') ? template : failure.message;
    this.#objects.problem('unreadable', message, part.line + failure.lines);
    this.#lost.addNamedIn(part.text);
    if (part.kind === 'element') this.#list?.addLost();
    if (part.kind === 'list-end') this.#endList(undefined);
  }

  #lose({ reason, message, line, text, lostMore }: BrokenPart): void {
    const lost = this.#lost;
    this.#objects.problem(reason, message, line);
    // A damaged PodList has lost Pods; an input that is cut off may have gone on with anything.
    const itemType = reason === 'unreadable' ? this.#list?.itemType : undefined;
    if (itemType) lost.addKind(itemType.kind);
    else if (lostMore) lost.addAnything();
    else if (text !== undefined) lost.addNamedIn(text);
  }

  get #lost(): LostKinds {
    return this.#list?.lost ?? this.#objects.contents.lost;
  }

  #startList(header: unknown, line: number): void {
    this.#list = new ListAssembler(this.#objects, jsonOf(header) ?? {}, line, (value, at) =>
      readValue(this.#objects, value, at, 1),
    );
  }

  #endList(header: unknown): void {
    const list = this.#list;
    this.#list = undefined;
    list?.end(jsonOf(header));
  }
}

function readingOf(parse: (text: string) => unknown, text: string): Reading {
  return { value: parse(text), again: () => parse(text) };
}

function entryOf(part: TextPart, value: unknown): unknown {
  return part.syntax === 'yaml' && Array.isArray(value) ? value[0] : value;
}

/** Lists inside lists, deeper than any tool nests them. */
const deepest = 16;

/** One parsed document: an object, a list of any sort, or lists in lists. */
function readValue(
  objects: ObjectReader,
  value: unknown,
  line: number,
  depth = 0,
  elementLines: readonly number[] = [],
): void {
  if (depth > deepest) {
    objects.problem('not-an-object', 'lists that are nested too deeply', line);
    return;
  }
  if (Array.isArray(value)) {
    for (const entry of value) readValue(objects, entry, line, depth + 1);
    return;
  }
  const json = jsonOf(value);
  const elements = json && elementsOf(json);
  if (!json || !elements) {
    objects.add(value, line, false);
    return;
  }
  const list = new ListAssembler(objects, json, line, (nested, at) =>
    readValue(objects, nested, at, depth + 1),
  );
  for (const [index, element] of elements.entries()) {
    list.add(element, elementLines[index] ?? line, () => element);
  }
  list.end({ ...json, items: undefined });
}

/** As Kubernetes has it, whatever has `items` is a list. */
function elementsOf(json: Json): readonly unknown[] | undefined {
  if (Array.isArray(json.items)) return json.items;
  const kind = textOf(json.kind) ?? '';
  if (json.apiVersion === 'kubectl-gc/v1' && (kind === 'Snapshot' || kind === 'Simulation')) {
    return Array.isArray(json.objects) ? json.objects : undefined;
  }
  const isEmptyList = kind.endsWith('List') && jsonOf(json.metadata)?.name === undefined;
  return isEmptyList && (json.items ?? null) === null && json.apiVersion ? [] : undefined;
}
