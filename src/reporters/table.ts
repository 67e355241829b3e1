import Table from 'cli-table3';
import type { RenderOptions } from './style.ts';

export interface Cell {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

const gap = 3;
/** cli-table3 takes time quadratic in the number of rows, so it is given few at a time. */
const rowsAtOnce = 100;
const narrowest = 20;

/**
 * A table in kubectl's manner: no lines, columns three spaces apart. With a limited width the last
 * column is cut with an ellipsis. Without rows there is nothing to print.
 */
export function renderTable(
  headers: readonly string[],
  rows: readonly (readonly Cell[])[],
  options: RenderOptions,
): string {
  if (rows.length === 0) return '';
  const widths = headers.map((header) => textWidth(header));
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, textWidth(cell.text));
    });
  }
  const last = widths.length - 1;
  if (options.width !== undefined) {
    const before = widths.slice(0, last).reduce((sum, width) => sum + width + gap, 0);
    const room = Math.max(narrowest, options.width - before);
    widths[last] = Math.min(widths[last] ?? 0, room);
  }
  const colWidths = widths.map((width, column) => (column === last ? width : width + gap));
  const painted = rows.map((row) =>
    row.map((cell, column) => {
      const text = column === last ? cut(cell.text, widths[last] ?? 0) : cell.text;
      return cell.paint ? cell.paint(text) : text;
    }),
  );
  const lines: string[] = [];
  const all = [[...headers], ...painted];
  for (let start = 0; start < all.length; start += rowsAtOnce) {
    lines.push(chunk(all.slice(start, start + rowsAtOnce), colWidths));
  }
  return `${lines.join('\n')}\n`;
}

function chunk(rows: readonly string[][], colWidths: readonly number[]): string {
  const table = new Table({
    chars: noLines,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: [...colWidths],
  });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function cut(text: string, width: number): string {
  return textWidth(text) <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** Columns on a terminal; over-estimates rare characters, which only widens a column. */
function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += (char.codePointAt(0) ?? 0) >= 0x1100 && !isLine(char) ? 2 : 1;
  return width;
}

function isLine(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  return code >= 0x2000 && code < 0x2c00;
}

const noLines = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};
