import { type Json, jsonOf, textOf } from '../kube/json-value.ts';
import type { LostKinds } from './input-contents.ts';
import { ListAssembler } from './list-assembler.ts';
import type { ObjectReader } from './object-reader.ts';
import type { InputPart } from './parsing/input-part.ts';
import { ParseFailure, parseJson } from './parsing/parse-json.ts';
import type { ParseYaml } from './parsing/parse-yaml.ts';

type BrokenPiece = Extract<InputPart, { kind: 'broken' }>;
type TextPiece = Exclude<InputPart, BrokenPiece> & { readonly text: string };

/** What a piece says, and how to have it said again without keeping it. */
interface Reading {
  readonly value: unknown;
  readonly again: () => unknown;
}

/** Braces that are not JSON may be YAML in flow style; more text than this is damaged JSON. */
const longestFlowYaml = 1024 * 1024;

const template = 'a template, not YAML: render it first, for instance with "helm template"';

/** Reads the pieces of one input in their order. */
export class PartReader {
  readonly #collector: ObjectReader;
  readonly #loadYaml: () => Promise<ParseYaml>;
  #list: ListAssembler | undefined;

  /** The YAML parser is loaded when the first piece needs it. */
  constructor(collector: ObjectReader, loadYaml: () => Promise<ParseYaml>) {
    this.#collector = collector;
    this.#loadYaml = loadYaml;
  }

  async read(piece: InputPart): Promise<void> {
    if (piece.kind === 'broken') this.#lose(piece);
    else if (piece.text === undefined) this.#endList(undefined);
    else await this.#readText({ ...piece, text: piece.text });
  }

  async #readText(piece: TextPiece): Promise<void> {
    try {
      this.#take(piece, await this.#parse(piece));
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      this.#fail(piece, error);
    }
  }

  async #parse({ syntax, text, kind }: TextPiece): Promise<Reading> {
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

  #take(piece: TextPiece, { value, again }: Reading): void {
    switch (piece.kind) {
      case 'document':
        // Nothing but comments reads as null.
        if (value !== null) {
          readValue(this.#collector, value, piece.line, 0, piece.elementLines);
        }
        break;
      case 'list-start':
        this.#startList(value, piece.line);
        break;
      case 'element':
        // A YAML element comes with its dash.
        this.#list?.add(entryOf(piece, value), piece.line, () => entryOf(piece, again()));
        break;
      case 'list-end':
        this.#endList(value);
    }
  }

  #fail(piece: TextPiece, failure: ParseFailure): void {
    if (piece.kind === 'list-start') {
      // The same text comes once more at the list's end.
      this.#startList(undefined, piece.line);
      return;
    }
    const message = piece.text.includes('{{') ? template : failure.message;
    this.#collector.problem('unreadable', message, piece.line + failure.lines);
    this.#lost.addNamedIn(piece.text);
    if (piece.kind === 'element') this.#list?.addLost();
    if (piece.kind === 'list-end') this.#endList(undefined);
  }

  #lose({ reason, message, line, text, lostMore }: BrokenPiece): void {
    const lost = this.#lost;
    this.#collector.problem(reason, message, line);
    // A damaged PodList has lost Pods; an input that is cut off may have gone on with anything.
    const itemType = reason === 'unreadable' ? this.#list?.itemType : undefined;
    if (itemType) lost.addKind(itemType.kind);
    else if (lostMore) lost.addAnything();
    else if (text !== undefined) lost.addNamedIn(text);
  }

  get #lost(): LostKinds {
    return this.#list?.lost ?? this.#collector.gathering.lost;
  }

  #startList(header: unknown, line: number): void {
    this.#list = new ListAssembler(this.#collector, jsonOf(header) ?? {}, line, (value, at) =>
      readValue(this.#collector, value, at, 1),
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

function entryOf(piece: TextPiece, value: unknown): unknown {
  return piece.syntax === 'yaml' && Array.isArray(value) ? value[0] : value;
}

/** Lists inside of lists, deeper than anybody nests them. */
const deepest = 16;

/** One parsed document: an object, a list of any sort, or lists in lists. */
function readValue(
  collector: ObjectReader,
  value: unknown,
  line: number,
  depth = 0,
  elementLines: readonly number[] = [],
): void {
  if (depth > deepest) {
    collector.problem('not-an-object', 'lists that are nested too deeply', line);
    return;
  }
  if (Array.isArray(value)) {
    for (const entry of value) readValue(collector, entry, line, depth + 1);
    return;
  }
  const json = jsonOf(value);
  const elements = json && elementsOf(json);
  if (!json || !elements) {
    collector.add(value, line, false);
    return;
  }
  const list = new ListAssembler(collector, json, line, (nested, at) =>
    readValue(collector, nested, at, depth + 1),
  );
  for (const [index, element] of elements.entries()) {
    list.add(element, elementLines[index] ?? line, () => element);
  }
  list.end(json);
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
