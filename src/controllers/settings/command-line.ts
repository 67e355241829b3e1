import type { Component, FlagKind } from './setting-definition.ts';
import type { CommandLine } from './settings-facts.ts';

/** Parses arguments as upstream does: `--flag=value`, `--flag value`, `--switch`, `_` for `-`. */
export function parseCommandLine(
  words: readonly string[],
  kindOf: (flag: string) => FlagKind,
): CommandLine {
  const flags = new Map<string, (string | null)[]>();
  let unclear: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') break;
    const match = /^--([^=\s$`]+)(?:=([\s\S]*))?$/.exec(word);
    if (!match) {
      unclear ??= loneDash(word);
      continue;
    }
    const [, written = '', given] = match;
    const flag = written.replaceAll('_', '-');
    const add = (value: string | null) => flags.set(flag, [...(flags.get(flag) ?? []), value]);
    if (given !== undefined) {
      add(given);
      continue;
    }
    const kind = kindOf(flag);
    const next = words[at + 1];
    // Upstream takes what follows for the value, whatever it looks like.
    if (kind === 'value' || (kind === undefined && next && !next.startsWith('-'))) {
      at += 1;
      add(next ?? null);
    } else add('true');
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
export function argumentsOf(
  words: readonly string[],
  component: Component,
): readonly string[] | undefined {
  const at = words.findIndex((word) => !word.startsWith('-') && baseName(word) === component);
  return at < 0 ? undefined : words.slice(at + 1);
}

/** `kube-apiserver` of `/usr/bin/kube-apiserver`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
