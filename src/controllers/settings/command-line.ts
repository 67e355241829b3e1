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
  const at = words.findIndex(({ text }) => programName(text) === component);
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

/** A word of a command line; `unclear` says why its text may differ. */
export interface Word {
  readonly text: string;
  readonly unclear?: string | undefined;
}

/** Values of variables that are known; a shell's `$NAME`. */
export type Variables = ReadonlyMap<string, string>;

/** The simple commands of a shell script, in order, without redirections. */
function shellCommands(script: string, variables: Variables = new Map()): Word[][] {
  const commands: Word[][] = [];
  let words: Word[] = [];
  let word: { text: string; unclear?: string | undefined } | undefined;
  let skipsNext = false;
  const endWord = (): void => {
    if (word && !skipsNext) words.push(word);
    if (word) skipsNext = false;
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const add = (text: string): void => {
    word ??= { text: '' };
    word.text += text;
  };
  const expand = (at: number, isQuoted: boolean): number => {
    const found = variableAt(script, at);
    const value = found.name === undefined ? undefined : variables.get(found.name);
    // Without quotes, a value is words of its own.
    const parts = value === undefined || isQuoted ? [value ?? found.written] : value.split(/\s/);
    for (const [index, part] of parts.entries()) {
      if (index > 0) endWord();
      if (part !== '') add(part);
    }
    if (word && value === undefined) {
      word.unclear = `${found.written} stands for something that is only known on the node`;
    }
    return at + found.written.length;
  };

  let at = 0;
  while (at < script.length) {
    const char = script.charAt(at);
    if (char === "'") {
      const end = closing(script, "'", at + 1);
      add(script.slice(at + 1, end));
      at = end + 1;
    } else if (char === '"') {
      add('');
      at += 1;
      while (at < script.length && script.charAt(at) !== '"') {
        if (script.charAt(at) === '\\' && '$`"\\\n'.includes(script.charAt(at + 1))) {
          add(script.charAt(at + 1).trim());
          at += 2;
        } else if (isExpansion(script, at)) at = expand(at, true);
        else add(script.charAt(at++));
      }
      at += 1;
    } else if (char === '\\') {
      if (script.charAt(at + 1) !== '\n') add(script.charAt(at + 1));
      at += 2;
    } else if (isExpansion(script, at)) at = expand(at, false);
    else if (char === '#' && word === undefined) at = closing(script, '\n', at);
    else if (char === '>' || char === '<') {
      // `2>&1`: the digits before it are no argument.
      if (word && /^\d+$/.test(word.text)) word = undefined;
      endWord();
      at += /^[<>]{1,3}[&|]?/.exec(script.slice(at, at + 4))?.[0].length ?? 1;
      skipsNext = true;
    } else if (';&|\n(){}'.includes(char)) {
      if (char === '&' && script.charAt(at + 1) === '>') endWord();
      else endCommand();
      at += 1;
    } else if (/\s/.test(char)) {
      endWord();
      at += 1;
    } else {
      add(char);
      at += 1;
    }
  }
  endCommand();
  return commands;
}

function isExpansion(script: string, at: number): boolean {
  const char = script.charAt(at);
  return char === '`' || (char === '$' && /[A-Za-z_@*#?\d({]/.test(script.charAt(at + 1)));
}

/** `$NAME`, `${NAME…}`, `$(…)` or `` `…` `` that begins at `at`. */
function variableAt(
  script: string,
  at: number,
): { readonly written: string; readonly name: string | undefined } {
  const rest = script.slice(at);
  const simple = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(rest);
  if (simple) return { written: simple[0], name: simple[1] ?? simple[2] };
  if (rest.startsWith('`'))
    return { written: rest.slice(0, closing(rest, '`', 1) + 1), name: undefined };
  const bracket = rest.charAt(1);
  if (bracket !== '(' && bracket !== '{') return { written: rest.slice(0, 2), name: undefined };
  const close = bracket === '(' ? ')' : '}';
  let depth = 0;
  for (let end = 1; end < rest.length; end++) {
    if (rest.charAt(end) === bracket) depth += 1;
    if (rest.charAt(end) === close && --depth === 0) {
      return { written: rest.slice(0, end + 1), name: undefined };
    }
  }
  return { written: rest, name: undefined };
}

function closing(text: string, char: string, from: number): number {
  const end = text.indexOf(char, from);
  return end < 0 ? text.length : end;
}

/**
 * The flags in the text of a component's /flagz, by name without dashes; undefined: it is not one.
 * Upstream separates names and values at random, by one of `:`, `: `, `=` and a space.
 */
export function parseFlagz(text: string): ReadonlyMap<string, string> | undefined {
  const flags = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^\s*(?:--)?([a-z][a-z\d-]*)(?:: ?| ?= ?| )(.*?)\s*$/.exec(line);
    // The heading: `kube-apiserver flagz`.
    if (!match || match[2] === 'flagz') continue;
    flags.set(match[1] ?? '', match[2] ?? '');
  }
  return flags.size === 0 ? undefined : flags;
}
