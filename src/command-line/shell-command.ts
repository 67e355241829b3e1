import type { SuggestedCommand, Suggestion } from '../errors.ts';
import type { ObjectLocation, ObjectReference } from '../kube/object-reference.ts';
import { parseApiVersion, printedKindOf } from '../kube/resource-type.ts';

/** A command that a user may paste into a shell, by its words: not quoted yet, and of no cluster yet. */
export interface ShellCommand {
  readonly words: readonly string[];
}

/** The flags with which a command asks the same cluster as the same user; none of them contains a secret. */
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
 * The text itself contains no quotes: words with blanks are interpolated.
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

declare const printed: unique symbol;

/** A command in one line, as `printedCommand` alone makes it: nothing may break, cut, indent or spell it. */
export type PrintedCommand = string & { readonly [printed]: true };

/**
 * The one way that a command is printed, or put into a document: one line with the flags of the place, and each word
 * quoted, as names come from clusters and files and nothing in them may act. Nothing changes the line afterwards.
 */
export function printedCommand({ words }: ShellCommand, place: CommandPlace): PrintedCommand {
  const flags = [...place.connection, ...(readsFiles(words) ? place.files : [])];
  const end = words.indexOf('--');
  const at = end < 0 ? words.length : end;
  const line = [...words.slice(0, at), ...flags, ...words.slice(at)].map(shellWord).join(' ');
  // A word that ends with a line break needs one in quotes, and a command is one line.
  return (line.includes('\n') ? `eval ${madeByPrintf(line)}` : line) as PrintedCommand;
}

/** Each takes what the one before prints. */
export function pipeline(...commands: readonly PrintedCommand[]): PrintedCommand {
  return commands.join(' | ') as PrintedCommand;
}

/** Does this text begin with a command that was printed? */
export function startsWithCommand(text: string): boolean {
  return /^(?:eval "\$\(printf %b ')?kubectl /.test(text);
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

export function suggestionText(suggestion: Suggestion, place: CommandPlace): string {
  if (typeof suggestion === 'string') return suggestion;
  return `${suggestion.to}: ${printedCommand(suggestion.command, place)}`;
}

/**
 * One word for dash, bash, zsh and fish, also with history expansion. It contains no character that a terminal interprets,
 * hides or spells in ASCII, so no later step of printing changes a command. @internal
 */
export function shellWord(word: string): string {
  if (/^[A-Za-z0-9_./:@+,-][A-Za-z0-9_./:=@%+,-]*$/.test(word)) return word;
  if (isShownAsItIs(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  // No argument can hold NUL, and no name can hold %: such a command finds nothing.
  const text = word.replaceAll('\0', '%00');
  let length = text.length;
  while (text[length - 1] === '\n') length--;
  const start = length === 0 ? '' : madeByPrintf(text.slice(0, length));
  // A shell drops the line breaks at the end of what a command prints.
  return length === text.length ? start : `${start}'${text.slice(length)}'`;
}

/** A backslash in single quotes is an escape for fish alone; a terminal without UTF-8 prints `µ` as `u`. */
function isShownAsItIs(word: string): boolean {
  if (/^[\x20-\x5b\x5d-\x7e]*$/.test(word)) return true;
  return (
    /^[\x20-\x5b\x5d-\x7e\p{L}\p{M}\p{N}]*$/u.test(word) &&
    !/[\u00b5\p{Default_Ignorable_Code_Point}]/u.test(word)
  );
}

/** An object by its coordinates, as documents and records have them. */
export type Addressed = ObjectLocation | Omit<ObjectReference, 'uid'>;

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

/** A word that printf makes; fish takes this form from version 3.4 on. */
function madeByPrintf(text: string): string {
  return `"$(printf %b '${octal(text)}')"`;
}

/** For printf's %b: what no shell acts on within quotes as it is, everything else as octal bytes. */
function octal(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9_./:=@+, -]/.test(char) ? char : `\\0${byte.toString(8).padStart(3, '0')}`;
    })
    .join('');
}
