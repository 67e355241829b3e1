import { printable } from '../../output/printable.ts';
import { manifest } from '../oclif/inlined-manifest.ts';
import { writeOut } from '../terminal/streams.ts';
import { type Completion, complete } from './complete.ts';
import { lookupFor } from './lookup.ts';

/** cobra's ShellCompDirective, which kubectl reads: bits that tell the shell what to do next. */
const directives = { unfinished: 2, noFiles: 4 } as const;

/**
 * Prints what the last word can become, one candidate a line, then a directive: the protocol of
 * `kubectl __complete`. A failure prints no candidate: the Tab key is no place for errors.
 */
export async function answerCompletion(words: readonly string[]): Promise<void> {
  await writeOut(answerOf(await completion(words)));
}

async function completion(words: readonly string[]): Promise<Completion> {
  try {
    return await complete(words, manifest, lookupFor);
  } catch {
    return { candidates: [] };
  }
}

function answerOf({ candidates, files = false, unfinished = false }: Completion): string {
  const lines = candidates.map(({ value, description }) =>
    description === undefined ? printable(value) : `${printable(value)}\t${oneLine(description)}`,
  );
  const directive = (files ? 0 : directives.noFiles) + (unfinished ? directives.unfinished : 0);
  return `${[...lines, `:${directive}`].join('\n')}\n`;
}

function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' '));
}
