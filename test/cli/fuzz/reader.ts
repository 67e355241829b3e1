import type { Syntax } from './mutations.ts';

/** How reading ended that threw nothing: all of it is known, or what is missing is told. */
export type Ending = 'whole' | 'incomplete';

/** Reads the file, and asks something of what it holds: `question` chooses what. Nothing: all of it is known. */
type Read = (path: string, question: number) => Promise<Ending | undefined>;

/** Something that reads what others wrote. */
export interface Reader {
  readonly name: string;
  readonly syntax: Syntax;
  /** Of the file that is read; the name of a folder ends with a slash, and is followed by that of the file in it. */
  readonly file: string;
  readonly examples: readonly Buffer[];
  readonly read: Read;
  /** What a refusal must name, where that is not the file: a field of it, say. */
  readonly names?: RegExp;
  /** What is done to the text before it is written: packed, or with a correct checksum. */
  readonly finish?: (bytes: Buffer) => Buffer;
  /** Can the reader know that something is missing or damaged? Then it must say so. */
  readonly mustTell?: (example: Buffer, bytes: Buffer) => boolean;
}

/** A reader by its name, its syntax and its file: `a baseline | json | baseline.json`. */
export function readerOf(
  text: string,
  examples: readonly Buffer[],
  read: Read,
  more: Pick<Reader, 'names' | 'finish' | 'mustTell'> = {},
): Reader {
  const [name = '', syntax = '', file = ''] = text.split(' | ');
  return { name, syntax: syntax as Syntax, file, examples, read, ...more };
}
