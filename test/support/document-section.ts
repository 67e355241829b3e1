import { existsSync, readFileSync } from 'node:fs';

/**
 * The text of a document with the part between `<!-- begin ID -->` and `<!-- end ID -->` replaced;
 * appended when it has none. A test compares the result with the file, or writes it with `-u`.
 */
export function withSection(path: string, id: string, body: string): string {
  return replaceSection(existsSync(path) ? readFileSync(path, 'utf8') : '', id, body);
}

/** The same for a text. */
export function replaceSection(text: string, id: string, body: string): string {
  const [begin, end] = [`<!-- begin ${id} -->`, `<!-- end ${id} -->`];
  const section = `${begin}\n${body.trim()}\n${end}`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) return `${text.trimEnd()}\n\n${section}\n`.trimStart();
  return text.slice(0, from) + section + text.slice(to + end.length);
}

/** A table in Markdown. */
export function markdownTable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(headers), line(headers.map(() => '---')), ...rows.map(line)].join('\n');
}
