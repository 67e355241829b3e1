import { printable } from './printable.ts';

/** Text in a cell of a Markdown table. Names and messages come from clusters: nothing in them may be read as Markdown or HTML. */
export function cell(text: string): string {
  return printable(text)
    .replaceAll(/[\\`*_[\]|~#@]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
