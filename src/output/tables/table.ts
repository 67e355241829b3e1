import Table from 'cli-table3';
import { compareText } from '../../kube/names.ts';
import { printable } from '../printable.ts';
import type { Paint, RenderOptions } from '../style.ts';

export type Cell = string | { readonly text: string; readonly paint?: Paint | undefined };

/** A header, and what stands below it for an item. */
export type Column<T> = readonly [header: string, cell: (item: T) => Cell];

const gap = 3;
/** cli-table3 takes time quadratic in the number of rows, so it is given few at a time. */
const rowsAtOnce = 100;
const narrowest = 20;

/** A table with a row for each item. */
export function renderItems<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  options: RenderOptions,
): string {
  // The last column is the one that is cut.
  const all = [...columns.slice(0, -1), ...labelColumns<T>(options), ...columns.slice(-1)];
  return renderTable(
    all.map(([header]) => header),
    items.map((item) => all.map(([, cell]) => cell(item))),
    options,
  );
}

/** `-L app` and `--show-labels`, for items that are about an object. */
function labelColumns<T>({ labels }: RenderOptions): Column<T>[] {
  if (!labels) return [];
  const of = (item: T) =>
    labels.of((item as { readonly object?: { readonly uid: string } }).object?.uid ?? '');
  const named = labels.named.map((name): Column<T> => {
    const header = name.slice(name.lastIndexOf('/') + 1).toUpperCase();
    return [header, (item) => of(item)[name] ?? ''];
  });
  const text = (item: T) =>
    Object.entries(of(item))
      .map(([name, value]) => `${name}=${value}`)
      .sort(compareText)
      .join(',') || '<none>';
  return labels.all ? [...named, ['LABELS', text]] : named;
}

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
  const texts = rows.map((row) =>
    row.map((cell) => printable(typeof cell === 'string' ? cell : cell.text)),
  );
  const widths = headers.map((header) => (options.noHeaders ? 0 : textWidth(header)));
  for (const row of texts) {
    row.forEach((text, column) => {
      widths[column] = Math.max(widths[column] ?? 0, textWidth(text));
    });
  }
  const last = widths.length - 1;
  if (options.width !== undefined) {
    const before = widths.slice(0, last).reduce((sum, width) => sum + width + gap, 0);
    const room = Math.max(narrowest, options.width - before);
    widths[last] = Math.min(widths[last] ?? 0, room);
  }
  const colWidths = widths.map((width, column) => (column === last ? width : width + gap));
  const painted = rows.map((row, line) =>
    row.map((cell, column) => {
      const whole = texts[line]?.[column] ?? '';
      const text = column === last ? cut(whole, widths[last] ?? 0) : whole;
      return typeof cell === 'string' || !cell.paint ? text : cell.paint(text);
    }),
  );
  const lines: string[] = [];
  const all = options.noHeaders ? painted : [[...headers], ...painted];
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
  if (textWidth(text) <= width) return text;
  let kept = '';
  let room = width - 1;
  for (const char of text) {
    room -= charWidth(char);
    if (room < 0) break;
    kept += char;
  }
  return `${kept}…`;
}

/** Columns on a terminal; over-estimates rare characters, which only widens a column. */
function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** Dashes, arrows and the lines of a tree are narrow, although they are far from ASCII. */
function charWidth(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  const narrow =
    code < 0x1100 || (code >= 0x2000 && code < 0x2300) || (code >= 0x2500 && code < 0x2580);
  return narrow ? 1 : 2;
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
