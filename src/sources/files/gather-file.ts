import type { Readable } from 'node:stream';
import { fileBytes, streamBytes } from './file-bytes.ts';
import type { Gathering } from './gathering.ts';
import { ObjectCollector } from './object-collector.ts';
import { loadYaml, type ParseYaml } from './parse-yaml.ts';
import { PieceReader } from './piece-reader.ts';
import { ProblemLog } from './problem-log.ts';
import { readInput } from './read-input.ts';
import { NotText, refusalOf } from './refusal.ts';

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
  /** Where objects lie beside much else, what is no object is no problem. */
  readonly ignoresOthers: boolean;
}

/** Adds what one input holds. Returns whether anything in it was of use, and its first problem. */
export async function gatherFile(
  source: InputSource,
  gathering: Gathering,
): Promise<{ readonly used: boolean; readonly firstProblem: string | undefined }> {
  const { path } = source;
  const log = new ProblemLog(path);
  const collector = new ObjectCollector(path, gathering, log, source.ignoresOthers);
  try {
    const bytes = source.stream ? streamBytes(source.stream) : fileBytes(path);
    await readInput(bytes, new PieceReader(collector, loadYamlOnce));
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    log.add('unreadable', refusal);
    // A file that is no text held no objects; of any other nobody knows.
    if (!(error instanceof NotText)) gathering.lost.addAnything();
  }
  const { withoutUid, used } = collector;
  if (withoutUid > 0) log.add('no-uid', withoutUidMessage(withoutUid));
  gathering.problems.push(...log.all());
  return { used: used > 0, firstProblem: log.first };
}

function withoutUidMessage(count: number): string {
  const objects = count === 1 ? '1 object has' : `${count} objects have`;
  return `${objects} no uid, as if never applied: no reference can name ${count === 1 ? 'it' : 'them'}`;
}
