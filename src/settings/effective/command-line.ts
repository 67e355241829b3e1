import type { Component } from './setting-definition.ts';
import { shellCommands, type Variables, type Word } from './shell-words.ts';

/** What was written behind a flag. */
export interface FlagValue extends Word {
  /** The command line ended instead. */
  readonly isMissing?: boolean;
}

/** The flags that a program was started with. */
export interface CommandLine {
  /** What was written, by the name of the flag without dashes; several values when it was repeated. */
  readonly flags: ReadonlyMap<string, readonly FlagValue[]>;
  /** Why there may be flags that are not seen; undefined: all were seen. */
  readonly unclear: string | undefined;
}

/** A switch may stand alone, as in `--leader-elect`; undefined: nobody knows. */
export type FlagKind = 'switch' | 'value' | undefined;

/** Takes arguments apart as upstream does: `--flag=value`, `--flag value`, `--switch`, `_` for `-`. */
export function parseArguments(
  words: readonly Word[],
  kindOf: (flag: string) => FlagKind,
): CommandLine {
  const flags = new Map<string, FlagValue[]>();
  let unclear: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    if (word.text === '--') break;
    const match = /^--([^=\s$`]+)(?:=([\s\S]*))?$/.exec(word.text);
    if (!match) {
      unclear ??= word.unclear ?? loneDash(word.text);
      continue;
    }
    const [, written = '', given] = match;
    const flag = written.replaceAll('_', '-');
    const add = (value: FlagValue) => flags.set(flag, [...(flags.get(flag) ?? []), value]);
    if (given !== undefined) {
      add({ text: given, unclear: word.unclear });
      continue;
    }
    const kind = kindOf(flag);
    const next = words[at + 1];
    // Upstream takes what follows for the value, whatever it looks like.
    if (kind === 'value' || (kind === undefined && next && !next.text.startsWith('-'))) {
      at += 1;
      add(next ?? { text: '', isMissing: true });
    } else add({ text: 'true' });
  }
  return { flags, unclear };
}

/** The program does not start with `-flag`; of its shorthands only -v and -h exist. */
function loneDash(word: string): string | undefined {
  const flag = /^-[a-z][\w-]*/i.exec(word)?.[0];
  if (flag === undefined || /^-(h$|v\d*$)/.test(flag)) return undefined;
  return `${flag} is no flag: flags have two dashes`;
}

/** The words after the program's own name; undefined when it is not among them. */
export function argumentsOf(words: readonly Word[], component: Component): Word[] | undefined {
  const at = words.findLastIndex(({ text }) => programName(text) === component);
  return at < 0 ? undefined : words.slice(at + 1);
}

/** The arguments that a shell script starts the program with; undefined when it does not. */
export function argumentsInScript(
  script: string,
  component: Component,
  variables: Variables = new Map(),
): Word[] | undefined {
  return shellCommands(script, variables)
    .map((words) => argumentsOf(words, component))
    .findLast((found) => found !== undefined);
}

function programName(word: string): string {
  return word.startsWith('-') ? '' : word.slice(word.lastIndexOf('/') + 1);
}
