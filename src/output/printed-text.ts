import { spelt, unseenUnits } from './printable.ts';

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
