import type { Readable } from 'node:stream';
import { type Json, jsonOf } from '../kube/json-value.ts';
import {
  archiveIn,
  fileBytes,
  inUtf8,
  reasonUnreadable,
  streamBytes,
  TrailingDataError,
  TruncatedError,
  unpacked,
} from './input-bytes.ts';
import type { InputContents } from './input-contents.ts';
import { type HowFound, ObjectReader } from './object-reader.ts';
import { DocumentReader } from './parsing/document-reader.ts';
import { type Parsed, parsedJson, parsedPart } from './parsing/documents.ts';
import type { BrokenPart, InputPart, TextPart } from './parsing/input-part.ts';
import { type ParseFailure, UnreadableInput } from './parsing/parse-json.ts';
import { yamlReader } from './parsing/parse-yaml.ts';
import { ListReader, readValue } from './read-value.ts';
import { SavedSnapshotReader } from './saved-snapshot-reader.ts';

export interface InputSource extends HowFound {
  /** How messages and places name it. */
  readonly path: string;
  /** Standard input; a file is opened by its path. */
  readonly stream?: Readable;
}

/** Was any of an input usable, and what was the first problem with it? */
interface Usable {
  readonly used: boolean;
  readonly firstProblem: string | undefined;
}

/** Adds the content of one input. */
export async function readContents(source: InputSource, contents: InputContents): Promise<Usable> {
  const { path, stream } = source;
  const objects = new ObjectReader(path, contents, source);
  try {
    const bytes = stream ? streamBytes(stream) : fileBytes(path);
    const isEmpty = await readInput(bytes, objects);
    // A YAML file may be without documents; JSON without a value is the trace of a command that failed.
    if (isEmpty && /\.json\b/i.test(path)) throw new UnreadableInput('it is empty');
  } catch (error) {
    const refusal = reasonUnreadable(error);
    if (refusal === undefined) throw error;
    objects.problem('unreadable', refusal);
    contents.lost.addAnything();
  }
  const { withoutUid, used } = objects;
  if (withoutUid > 0) {
    const [which, them] = withoutUid === 1 ? ['object has', 'it'] : ['objects have', 'them'];
    const message = `${withoutUid} ${which} no uid, as if never applied: no reference can name ${them}`;
    objects.problem('no-uid', message);
  }
  contents.problems.push(...objects.problems());
  return { used: used > 0, firstProblem: objects.firstProblem };
}

/** Reads an input to its end, a chunk at a time, and answers whether it was empty; throws what the operating system says, and UnreadableInput. */
async function readInput(bytes: AsyncIterable<Buffer>, objects: ObjectReader): Promise<boolean> {
  const reader = new PartReader(objects);
  const parts: InputPart[] = [];
  const documents = new DocumentReader(
    objects.path,
    (part) => parts.push(part),
    SavedSnapshotReader,
  );
  const readParts = async (): Promise<void> => {
    for (const part of parts) await reader.read(part);
    parts.length = 0;
  };
  let isFirst = true;
  let cutOff = false;
  let behind: TrailingDataError | undefined;
  try {
    for await (const chunk of inUtf8(unpacked(bytes))) {
      if (isFirst) refuseBinary(chunk);
      isFirst = false;
      documents.write(chunk);
      await readParts();
    }
  } catch (error) {
    if (error instanceof TrailingDataError) behind = error;
    else if (error instanceof TruncatedError) cutOff = true;
    else throw error;
  }
  documents.end(cutOff);
  await readParts();
  if (behind) throw behind;
  return isFirst && !cutOff;
}

function refuseBinary(chunk: Buffer): void {
  const archive = archiveIn(chunk);
  if (archive !== undefined) throw new UnreadableInput(`it is ${archive}: unpack it first`);
  if (chunk.subarray(0, 8192).includes(0)) throw new UnreadableInput('it is a binary file');
}

const template = 'a template, not YAML: render it first, for instance with "helm template"';

/** Reads the parts of one input in their order. */
class PartReader {
  readonly #objects: ObjectReader;
  readonly #lost: InputContents['lost'];
  #list: ListReader | undefined;

  constructor(objects: ObjectReader) {
    this.#objects = objects;
    this.#lost = objects.contents.lost;
  }

  async read(part: InputPart): Promise<void> {
    if (part.kind === 'broken') return this.#lose(part);
    if (part.kind === 'snapshot') return this.#objects.addSnapshot(part);
    const { kind, text, line } = part;
    const { value, failure }: Parsed = text === undefined ? {} : await parsedText(part, text);
    // The text in front of a list's elements comes once more at its end.
    if (failure && kind !== 'list-start') this.#report(failure, text ?? '', line);
    switch (kind) {
      case 'document':
        // Nothing but comments reads as null.
        if (!failure && value !== null) readValue(this.#objects, value, line, part.elementLines);
        break;
      case 'list-start':
        this.#list = new ListReader(this.#objects, jsonOf(value) ?? {}, line);
        break;
      case 'element':
        if (failure) this.#list?.addLost();
        else this.#list?.add(value, line);
        break;
      case 'list-end':
        this.#list?.end(jsonOf(value), hasOtherElements(part, jsonOf(value)));
        this.#list = undefined;
    }
  }

  #report(failure: ParseFailure, text: string, line: number): void {
    const message = text.includes('{{') ? template : failure.message;
    this.#objects.problem('unreadable', message, line + failure.lines);
    this.#lost.addNamedIn(text);
  }

  #lose({ reason, message, line, text, lostMore }: BrokenPart): void {
    this.#objects.problem(reason, message, line);
    // A damaged PodList has lost Pods; an input that is cut off may have gone on with anything.
    const itemType = reason === 'unreadable' ? this.#list?.itemType : undefined;
    if (itemType) this.#lost.addKind(itemType.kind);
    else if (lostMore) this.#lost.addAnything();
    else if (text !== undefined) this.#lost.addNamedIn(text);
  }
}

/** What reads YAML is loaded where JSON alone does not do. */
async function parsedText(part: TextPart, text: string): Promise<Parsed> {
  const json = part.syntax === 'json' ? parsedJson(text) : undefined;
  if (json && (!json.failure || part.kind === 'list-start')) return json;
  return parsedPart(part, text, await yamlReader(), json);
}

const elementsField = /^(["']?)(?:items|objects)\1[ \t]*:/gm;

/** After the elements of a list were cut out, their field is empty, unless the field occurs twice. */
function hasOtherElements({ syntax, text = '' }: TextPart, header: Json | undefined): boolean {
  if (!header) return false;
  const left = header.items ?? header.objects ?? null;
  if (syntax === 'json') return !Array.isArray(left) || left.length > 0;
  return left !== null || (text.match(elementsField) ?? []).length > 1;
}
