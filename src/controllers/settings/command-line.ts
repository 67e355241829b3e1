import type { Component } from './setting-definition.ts';

/** The value written after a flag. */
export interface FlagValue extends Word {
  /** The command line ended before a value. */
  readonly isMissing?: boolean;
}

/** The flags that a program was started with. */
export interface CommandLine {
  /** What was written, by the name of the flag without dashes; several values when it was repeated. */
  readonly flags: ReadonlyMap<string, readonly FlagValue[]>;
  /** Why some flags may have been missed; undefined: all were read. */
  readonly unclear: string | undefined;
}

/** A switch may stand alone, as in `--leader-elect`; undefined: not known. */
export type FlagKind = 'switch' | 'value' | undefined;

/** Parses arguments as upstream does: `--flag=value`, `--flag value`, `--switch`, `_` for `-`. */
export function parseCommandLine(
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
  const at = words.findIndex(({ text }) => !text.startsWith('-') && baseName(text) === component);
  return at < 0 ? undefined : words.slice(at + 1);
}

/** `kube-apiserver` of `/usr/bin/kube-apiserver`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A word of a command line; `unclear` says why its text may differ. */
export interface Word {
  readonly text: string;
  readonly unclear?: string | undefined;
}
