import type { SuggestedCommand, Suggestion } from '../errors.ts';
import type { ObjectLocation, ObjectReference } from './object-reference.ts';
import { parseApiVersion, printedKindOf } from './resource-type.ts';

/** A command that a user may paste into a shell, by its words: not quoted yet, and of no cluster yet. */
export interface ShellCommand {
  readonly words: readonly string[];
}

/** The flags that have a command ask what a call of ours asked, as the same user; none of them holds a secret. */
export interface CommandPlace {
  /** For kubectl and for kubectl gc: `--context=live`. */
  readonly connection: readonly string[];
  /** For what kubectl gc can answer from files: `--from=dump.yaml`. */
  readonly files: readonly string[];
}

/** Of no cluster and of no files in particular. */
export const nowhere: CommandPlace = { connection: [], files: [] };

/**
 * A command from its text: each interpolation becomes one word, a list one word for each entry.
 * The text itself holds no quotes: words with blanks are put in.
 */
export function shellCommand(
  texts: TemplateStringsArray,
  ...given: readonly (string | readonly string[])[]
): ShellCommand {
  return {
    words: texts.flatMap((text, index) => [
      ...[given[index - 1] ?? []].flat(),
      ...text.split(' ').filter((word) => word !== ''),
    ]),
  };
}

/**
 * The one way that a command is printed, or put into a document: with the flags of the place, and each word
 * quoted, as names come from clusters and files and nothing in them may act.
 */
export function printedCommand({ words }: ShellCommand, place: CommandPlace): string {
  const flags = [...place.connection, ...(readsFiles(words) ? place.files : [])];
  const end = words.indexOf('--');
  const at = end < 0 ? words.length : end;
  return [...words.slice(0, at), ...flags, ...words.slice(at)].map(shellWord).join(' ');
}

/** Commands of kubectl gc that take no `--from`, or mean something else by it. */
const withoutFiles = new Set([
  'backups',
  'rbac',
  'report',
  'restore',
  'run-controllers',
  'snapshot',
]);

function readsFiles([program, gc, command = '', ...more]: readonly string[]): boolean {
  const isOurs = program === 'kubectl' && gc === 'gc';
  return isOurs && !withoutFiles.has(command) && !more.some((word) => /^--from(=|$)/.test(word));
}

/** A command, and what it is for, for an error. */
export function suggested(to: string, command: ShellCommand): SuggestedCommand {
  return { to, command, text: `${to}: ${printedCommand(command, nowhere)}` };
}

/** A suggestion as it is printed by a call. */
export function suggestionText(suggestion: Suggestion, place: CommandPlace): string {
  if (typeof suggestion === 'string') return suggestion;
  return `${suggestion.to}: ${printedCommand(suggestion.command, place)}`;
}

/** One word for a POSIX shell, bash or zsh, also where history expansion is on. @internal */
export function shellWord(word: string): string {
  if (/^[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:=@%+,-]*$/.test(word)) return word;
  if (!/\p{Cc}/u.test(word)) return singleQuoted(word);
  // A control character may move the cursor or end a paste, so printf has to make it. The shell
  // drops newlines at the end of what a command prints: these alone stand as they are.
  const end = /\n*$/.exec(word)?.[0] ?? '';
  const start = word.slice(0, word.length - end.length);
  const made = start === '' ? '' : `"$(printf %b '${octal(start)}')"`;
  return made + (end === '' ? '' : singleQuoted(end));
}

/** An object by its coordinates, as documents and records have them. */
type Addressed = ObjectLocation | Omit<ObjectReference, 'uid'>;

/** `role.rbac.authorization.k8s.io/reader -n shop`: how a command names an object. */
export function addressOf(object: Addressed): string[] {
  const { group, kind } =
    'type' in object
      ? object.type
      : { group: parseApiVersion(object.apiVersion)?.group ?? '', kind: object.kind };
  return [`${printedKindOf({ group, kind })}/${object.name}`, ...inNamespace(object)];
}

/** `-n shop`; nothing for cluster-scoped objects. */
export function inNamespace({ namespace }: { readonly namespace: string }): string[] {
  return namespace === '' ? [] : ['-n', namespace];
}

/** Arguments, with `--` before them where the first would be taken for a flag. */
export function operands(...words: readonly string[]): string[] {
  return words[0]?.startsWith('-') ? ['--', ...words] : [...words];
}

function singleQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** For printf's %b: everything but letters and digits as octal bytes. */
function octal(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9]/.test(char) ? char : `\\0${byte.toString(8).padStart(3, '0')}`;
    })
    .join('');
}
