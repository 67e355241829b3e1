import type { Readable } from 'node:stream';
import { type Json, jsonOf } from '../kube/json-value.ts';
import { fileBytes, reasonUnreadable, streamBytes } from './file-bytes.ts';
import { CutOff, DataBehind, inUtf8, unpacked } from './input-bytes.ts';
import type { InputContents, LostKinds } from './input-contents.ts';
import { ListAssembler } from './list-assembler.ts';
import { type HowFound, ObjectReader, ProblemLog } from './object-reader.ts';
import { DocumentReader } from './parsing/document-reader.ts';
import type { InputPart } from './parsing/input-part.ts';
import { NotText, ParseFailure, parseJson } from './parsing/parse-json.ts';
import { yamlReader } from './parsing/parse-yaml.ts';
import { readValue } from './read-value.ts';
import { SavedSnapshotReader } from './saved-snapshot-reader.ts';

export interface InputSource extends HowFound {
  /** How messages and places name it. */
  readonly path: string;
  /** Standard input; a file is opened by its path. */
  readonly stream?: Readable;
}

/** Adds what one input holds. Returns whether anything in it was of use, and its first problem. */
export async function readContents(
  source: InputSource,
  contents: InputContents,
): Promise<{ readonly used: boolean; readonly firstProblem: string | undefined }> {
  const { path } = source;
  const log = new ProblemLog(path);
  const objects = new ObjectReader(path, contents, log, source);
  try {
    const { stream } = source;
    const bytes = stream ? streamBytes(stream) : fileBytes(path);
    const isEmpty = await readInput(bytes, new PartReader(objects));
    // A YAML file may be without documents; JSON without a value is the trace of a command that failed.
    if (isEmpty && /\.json\b/i.test(path)) throw new NotText('it is empty');
  } catch (error) {
    const refusal = reasonUnreadable(error);
    if (refusal === undefined) throw error;
    log.add('unreadable', refusal);
    contents.lost.addAnything();
  }
  const { withoutUid, used } = objects;
  if (withoutUid > 0) {
    const [objects, them] = withoutUid === 1 ? ['object has', 'it'] : ['objects have', 'them'];
    const message = `${withoutUid} ${objects} no uid, as if never applied: no reference can name ${them}`;
    log.add('no-uid', message);
  }
  contents.problems.push(...log.all());
  return { used: used > 0, firstProblem: log.first };
}

/** Reads an input to its end, a chunk at a time, and answers whether it was empty; throws what the operating system says, and NotText. */
async function readInput(bytes: AsyncIterable<Buffer>, reader: PartReader): Promise<boolean> {
  const parts: InputPart[] = [];
  const documents = new DocumentReader((part) => parts.push(part));
  const readParts = async (): Promise<void> => {
    for (const part of parts) {
      if (isSnapshotPart(part)) reader.readSnapshot(part);
      else await reader.read(part);
    }
    parts.length = 0;
  };
  let isFirst = true;
  let cutOff = false;
  let behind: DataBehind | undefined;
  try {
    for await (const chunk of inUtf8(unpacked(bytes))) {
      if (isFirst) refuseBinary(chunk);
      isFirst = false;
      documents.write(chunk);
      await readParts();
    }
  } catch (error) {
    if (error instanceof DataBehind) behind = error;
    else if (error instanceof CutOff) cutOff = true;
    else throw error;
  }
  documents.end(cutOff);
  await readParts();
  if (behind) throw behind;
  return isFirst && !cutOff;
}

const archives: readonly (readonly [string, number, string])[] = [
  ['a tar archive', 257, 'ustar'],
  ['a zip archive', 0, 'PK\u0003\u0004'],
  ['compressed with bzip2', 0, 'BZh9'],
  ['compressed with xz', 0, '\u00fd7zXZ'],
];

function refuseBinary(chunk: Buffer): void {
  for (const [what, at, mark] of archives) {
    const found = chunk.toString('latin1', at, at + mark.length);
    if (found === mark) throw new NotText(`it is ${what}: unpack it first`);
  }
  if (chunk.subarray(0, 8192).includes(0)) throw new NotText('it is a binary file');
}

type BrokenPart = Extract<InputPart, { kind: 'broken' }>;
type SnapshotPart = Extract<InputPart, { readonly kind: `snapshot-${string}` }>;
type TextPart = Exclude<InputPart, BrokenPart | SnapshotPart> & {
  readonly text: string;
};

/** What a part says, and how to have it said again without keeping it. */
interface Reading {
  readonly value: unknown;
  readonly again: () => unknown;
}

/** Braces that are not JSON may be YAML in flow style; more text than this is damaged JSON. */
const longestFlowYaml = 1024 * 1024;

const template = 'a template, not YAML: render it first, for instance with "helm template"';

/** Reads the parts of one input in their order. */
class PartReader {
  readonly #objects: ObjectReader;
  #list: ListAssembler | undefined;
  #snapshot: SavedSnapshotReader | undefined;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  async read(part: Exclude<InputPart, SnapshotPart>): Promise<void> {
    if (part.kind === 'broken') this.#lose(part);
    else if (part.text === undefined) this.#endList(undefined);
    else await this.#readText({ ...part, text: part.text });
  }

  readSnapshot(part: SnapshotPart): void {
    if (part.kind === 'snapshot-start') {
      this.#snapshot = new SavedSnapshotReader(this.#objects);
      this.#snapshot.start(part);
    } else if (part.kind === 'snapshot-object') {
      this.#snapshot?.object(part);
    } else {
      (this.#snapshot ?? new SavedSnapshotReader(this.#objects)).end(part);
      this.#snapshot = undefined;
    }
  }

  async #readText(part: TextPart): Promise<void> {
    try {
      this.#take(part, await this.#parse(part));
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      this.#fail(part, error);
    }
  }

  async #parse({ kind, syntax, text }: TextPart): Promise<Reading> {
    if (syntax === 'yaml') return readYaml(text);
    try {
      return readingOf(() => parseJson(text));
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      if (kind === 'list-start' || text.length > longestFlowYaml) throw error;
      return this.#parseFlowYaml(text, error);
    }
  }

  async #parseFlowYaml(text: string, failure: ParseFailure): Promise<Reading> {
    try {
      return await readYaml(text);
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
        this.#endList(value, hasOtherElements(part, jsonOf(value)));
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

  #endList(header: unknown, hasOther = false): void {
    const list = this.#list;
    this.#list = undefined;
    list?.end(jsonOf(header), hasOther);
  }
}

function isSnapshotPart(part: InputPart): part is SnapshotPart {
  return part.kind.startsWith('snapshot-');
}

async function readYaml(text: string): Promise<Reading> {
  const read = await yamlReader();
  return readingOf(() => read(text));
}

function readingOf(read: () => unknown): Reading {
  return { value: read(), again: read };
}

function entryOf(part: TextPart, value: unknown): unknown {
  return part.syntax === 'yaml' && Array.isArray(value) ? value[0] : value;
}

const elementsField = /^(["']?)(?:items|objects)\1[ \t]*:/gm;

/** Of a list whose elements were cut out, the field that held them is empty, unless it stands there twice. */
function hasOtherElements({ syntax, text }: TextPart, header: Json | undefined): boolean {
  const left = header?.items ?? header?.objects ?? null;
  if (syntax === 'json') return !Array.isArray(left) || left.length > 0;
  return left !== null || (text.match(elementsField) ?? []).length > 1;
}
