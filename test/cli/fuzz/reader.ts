import type { Syntax } from './mutations.ts';

/** How reading ended that threw nothing: all of it is known, or what is missing is told. */
export type Ending = 'whole' | 'incomplete';

/** Something that reads what others wrote. */
export interface Reader {
  readonly name: string;
  readonly syntax: Syntax;
  /** Of the file that is read; the name of a folder ends with a slash, and is followed by that of the file in it. */
  readonly file: string;
  readonly examples: readonly Buffer[];
  /** Reads the file, and asks something of what it holds: `question` chooses what. */
  readonly read: (path: string, question: number) => Promise<Ending>;
  /** What a refusal must name, where that is not the file: a field of it, say. */
  readonly names?: RegExp;
  /** What is done to the text before it is written: packed, or with a correct checksum. */
  readonly finish?: (bytes: Buffer) => Buffer;
  /** Can the reader know that something is missing or damaged? Then it must say so. */
  readonly mustTell?: (example: Buffer, bytes: Buffer) => boolean;
}
