import type { ObjectReference } from '../kube/object-reference.ts';
import { unicodeEscape } from '../syntax/json-text.ts';

/**
 * Text from a cluster or a file as it may stand in one line of a terminal or of a job's log, so that
 * no name can colour, move, reverse or break anything, or command the log: control characters are
 * spelt out (`^[` for escape, as kubectl does), what else a terminal acts on becomes a space, what cannot be
 * seen and would make two names look alike is escaped (`\\u200b`), and a workflow command at the beginning
 * (`::error`, `##[group]`) is disarmed by a backslash.
 */
export function printable(text: string): string {
  const shown = invisible.test(text) ? text.replace(everyUnseen, spelt) : text;
  // To look for the signs takes less than the expression.
  const mayCommand = shown.includes('::') || shown.includes('##');
  return mayCommand ? shown.replace(workflowCommand, '$1\\$2') : shown;
}

/**
 * Controls (`\p{Cc}`), format characters (`\p{Cf}`, the bidirectional ones among them), what fonts show
 * nothing for (`\p{Default_Ignorable_Code_Point}`), line and paragraph separators, lone surrogates. By their
 * numbers: every run makes this expression, and V8 takes a millisecond to look a property up.
 */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex lint/suspicious/noMisleadingCharacterClass: they are looked for
  /[\0-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
const everyUnseen = new RegExp(invisible, 'gu');
/** The same, or a whole sequence that sets a colour. */
const unseenUnits = new RegExp(`\u001b\\[[0-9;]*m|${invisible.source}`, 'gu');
/** GitHub and Azure Pipelines take a line for a command that begins like this after blanks. */
const workflowCommand = /^(\s*)(::|##(?:\[|vso\[))/;

/** What ends, turns round or breaks a line: shown as the gap that it is. */
const acting = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/u;

/** How a character that is invisible is shown. */
function spelt(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  return acting.test(char) ? ' ' : unicodeEscape(char);
}

/**
 * Names for programs, which ask about what they read: what `printable` spells is percent-encoded. No name contains `%`, so
 * the result is unambiguous.
 */
export function encodedName(name: string): string {
  return name.replace(everyUnseen, (char) => encodeURIComponent(char.toWellFormed()));
}

/** `kind.group/name`, as kubectl prints names. */
export function printedName(object: Omit<ObjectReference, 'namespace' | 'uid'>): string {
  const slash = object.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${object.apiVersion.slice(0, slash)}`;
  return encodedName(`${object.kind.toLowerCase()}${group}/${object.name}`);
}

/** `pod/web in namespace shop`. */
export function printedPlace(object: Omit<ObjectReference, 'uid'>): string {
  const where = object.namespace === '' ? '' : ` in namespace ${object.namespace}`;
  return `${printedName(object)}${where}`;
}

/** One line of text as it may stand in XML or HTML, inside a quoted attribute too. */
export function escapeMarkup(text: string): string {
  return printable(text)
    .replaceAll(/[\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

declare const printed: unique symbol;

/**
 * Text that does to a terminal no more than it shows: its lines, tabs and, where they are wanted, colours. Whatever is
 * written to stdout or stderr is of this type, which is made here alone.
 */
export type PrintedText = string & { readonly [printed]: true };

const plainText = /^[\t\n\x20-\x7e]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
const colour = /^\u001b\[[0-9;]*m$/;

/**
 * The one way out: what no step before has escaped is spelled, as `printable` does. Its input may contain foreign text; a
 * line break in that must be escaped before, because here it cannot be distinguished from others.
 */
export function printedText(
  text: string,
  { colour: isColoured = false }: { readonly colour?: boolean } = {},
): PrintedText {
  if (plainText.test(text)) return text as PrintedText;
  const shown = text.replace(unseenUnits, (unit) => {
    if (unit === '\t' || unit === '\n') return unit;
    if (!colour.test(unit)) return spelt(unit);
    return isColoured ? unit : `^[${unit.slice(1)}`;
  });
  return shown as PrintedText;
}

/** One text behind the other. */
export function joined(texts: readonly PrintedText[]): PrintedText {
  return texts.join('') as PrintedText;
}

/** Written by this program in its code, and foreign text that was made for it. */
export function withControls(
  controls: TemplateStringsArray,
  ...texts: readonly PrintedText[]
): PrintedText {
  return String.raw({ raw: controls }, ...texts) as PrintedText;
}
