import type { Readable } from 'node:stream';
import { fileBytes, NotText, type Remark, reasonUnreadable, streamBytes } from './file-bytes.ts';
import { CutOff, DataBehind, inUtf8, unpacked } from './input-bytes.ts';
import type { InputContents } from './input-contents.ts';
import { ObjectReader, ProblemLog } from './object-reader.ts';
import { DocumentReader } from './parsing/document-reader.ts';
import type { InputPart } from './parsing/input-part.ts';
import { loadYaml, type ParseYaml } from './parsing/parse-yaml.ts';
import { PartReader } from './part-reader.ts';

let yaml: Promise<ParseYaml> | undefined;
const loadYamlOnce = (): Promise<ParseYaml> => {
  yaml ??= loadYaml();
  return yaml;
};

export interface InputSource {
  /** How messages and places name it. */
  readonly path: string;
  /** Standard input; a file is opened by its path. */
  readonly stream?: Readable;
  readonly remark?: Remark | undefined;
  /** Where objects lie among other files, a file that is not an object is not a problem. */
  readonly ignoresOthers?: boolean;
}

/** Adds what one input holds. Returns whether anything in it was of use, and its first problem. */
export async function readContents(
  source: InputSource,
  contents: InputContents,
): Promise<{ readonly used: boolean; readonly firstProblem: string | undefined }> {
  const { path } = source;
  const log = new ProblemLog(path);
  const objects = new ObjectReader(path, contents, log, source.ignoresOthers ?? false);
  try {
    const { stream, remark } = source;
    const bytes = stream ? streamBytes(stream) : fileBytes(path, remark);
    const isEmpty = await readInput(bytes, new PartReader(objects, loadYamlOnce));
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
    for (const part of parts) await reader.read(part);
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
