import Table from 'cli-table3';
import { compareText } from '../../kube/names.ts';
import { spelled, textWidth, wrapped } from '../fit-text.ts';
import { printable } from '../printable.ts';
import type { Paint, RenderOptions } from '../style.ts';

export type Cell =
  | string
  | {
      readonly text: string;
      readonly paint?: Paint | undefined;
      /** What its further lines begin with, where it is wrapped: the branches of a tree. */
      readonly hang?: string;
    };

/** A header, and what stands below it for an item. */
export type Column<T> = readonly [header: string, cell: (item: T) => Cell];

/** Columns that stand below their row where the terminal has no room beside it. */
const below: ReadonlySet<string> = new Set(['REASON', 'MEANING', 'REMARKS']);
/** Between columns: as kubectl has it, and what is enough where room is short. */
const wideGap = 3;
const narrowGap = 2;
/** No column becomes narrower than its header; a short one stays as it is while others can give way. */
const shortColumn = 18;
const readableName = 22;
/** Parts of names up to this length stay whole while others can give way. */
const longestPart = 32;
const narrowest = 8;
/** Below this width nothing can be read anyway. */
const leastWidth = 40;
/** How far in the lines below a row may begin. */
const deepestIndent = 20;
/**
 * cli-table3 takes time quadratic in the number of rows, and more where a cell has many lines, so it is given few
 * lines at a time.
 */
const linesAtOnce = 100;

/** A table with a row for each item; of items of several clusters, each begins with its cluster. */
export function renderItems<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  options: RenderOptions,
): string {
  // The last column is the one that is cut.
  const all = [
    ...clusterColumn(items),
    ...columns.slice(0, -1),
    ...labelColumns<T>(options),
    ...columns.slice(-1),
  ];
  return renderTable(
    all.map(([header]) => header),
    items.map((item) => all.map(([, cell]) => cell(item))),
    options,
  );
}

function clusterColumn<T>(items: readonly T[]): Column<T>[] {
  const clusterOf = (item: T) => (item as { readonly cluster?: string }).cluster;
  const isOfSeveral = items.some((item) => clusterOf(item) !== undefined);
  return isOfSeveral ? [['CLUSTER', (item) => clusterOf(item) ?? '']] : [];
}

/** Of the object that an item is about, or of that at a place of a tree. */
function uidOf(item: unknown): string | undefined {
  const { object, node } = item as Partial<Record<'object' | 'node', { readonly uid: string }>>;
  return (object ?? node)?.uid;
}

/** `-L app` and `--show-labels`, for items that are about an object. */
function labelColumns<T>({ labels }: RenderOptions): Column<T>[] {
  if (!labels) return [];
  const of = (item: T) => labels.of(uidOf(item) ?? '');
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
 * A table in kubectl's manner: no lines, a row a line. On a terminal that is too narrow, reasons move to
 * indented lines below their row; where that is not enough, the widest columns are wrapped. Without rows
 * there is nothing to print.
 */
export function renderTable(
  headers: readonly string[],
  rows: readonly (readonly Cell[])[],
  options: RenderOptions,
): string {
  if (rows.length === 0) return '';
  const texts = rows.map((row) =>
    row.map((cell) => spelled(printable(typeof cell === 'string' ? cell : cell.text), options)),
  );
  const layout = layoutOf(headers, texts, options);
  const all = rows.map((row, index) => {
    const shown = texts[index] ?? [];
    return {
      cells: layout.columns.map(({ at, width }) =>
        linesOf(row[at] ?? '', shown[at] ?? '', width, options),
      ),
      below: layout.below.map((at) => paintOf(row[at] ?? '')(shown[at] ?? '')),
      hang: hangOf(row[layout.columns[0]?.at ?? 0] ?? '', options),
    };
  });
  if (!options.noHeaders) {
    const cells = layout.columns.map(({ at }) => [headers[at] ?? '']);
    all.unshift({ cells, below: [], hang: '' });
  }
  return `${drawn(all, layout).join('\n')}\n`;
}

interface Layout {
  readonly columns: readonly { readonly at: number; readonly width: number }[];
  /** The columns that stand below. */
  readonly below: readonly number[];
  readonly gap: number;
  readonly width: number;
}

function layoutOf(
  headers: readonly string[],
  texts: readonly (readonly string[])[],
  { width: limit, noHeaders }: RenderOptions,
): Layout {
  const all = headers.map((header, at) => ({
    at,
    width: widest(noHeaders ? '' : header, texts, at, textWidth),
  }));
  if (limit === undefined) {
    return { columns: all, below: [], gap: wideGap, width: Number.POSITIVE_INFINITY };
  }
  const width = Math.max(leastWidth, limit);
  const overOf = (columns: Layout['columns']) =>
    columns.reduce((sum, column) => sum + column.width + narrowGap, -narrowGap) - width;
  const close = { columns: all, below: [], gap: narrowGap, width };
  if (overOf(all) <= 0) return close;
  const isBelow = ({ at }: { readonly at: number }) => below.has(headers[at] ?? '');
  const isEmpty = ({ at }: { readonly at: number }) => texts.every((row) => (row[at] ?? '') === '');
  const beside = all.filter((column) => !isBelow(column) && !isEmpty(column));
  const longestWord = (text: string) => widestOf(text.split(' '));
  // Sentences give way first, then names, then whatever there is.
  const columns = [
    (at: number) => Math.max(shortColumn, widest(headers[at] ?? '', texts, at, longestWord)),
    (at: number) =>
      Math.min(longestPart, Math.max(readableName, widest('', texts, at, longestPartOf))),
    () => narrowest,
  ].reduce((given: Layout['columns'], least) => {
    const over = overOf(given);
    return over > 0 ? narrowed(given, over, least, headers) : given;
  }, beside);
  return { ...close, columns, below: all.filter(isBelow).map(({ at }) => at) };
}

function longestPartOf(name: string): number {
  return widestOf(name.match(/[^-/.,:;=_@ ]+[-/.,:;=_@]?/g) ?? []);
}

function widestOf(parts: readonly string[]): number {
  return parts.reduce((most, part) => Math.max(most, textWidth(part)), 0);
}

function widest(
  header: string,
  texts: readonly (readonly string[])[],
  column: number,
  widthOf: (text: string) => number,
): number {
  return texts.reduce((most, row) => Math.max(most, widthOf(row[column] ?? '')), widthOf(header));
}

/** The widest columns give way, each down to its least width, until enough room is saved. */
function narrowed(
  given: Layout['columns'],
  toSave: number,
  leastOf: (column: number) => number,
  headers: readonly string[],
): Layout['columns'] {
  const columns = given.map((column) => {
    return { ...column, least: Math.max(leastOf(column.at), textWidth(headers[column.at] ?? '')) };
  });
  for (let over = toSave; over > 0; ) {
    const [first, second] = columns
      .filter(({ width, least }) => width > least)
      .sort((a, b) => b.width - a.width);
    if (!first) break;
    const down = Math.max(first.least, (second?.width ?? 0) - 1, first.width - over);
    over -= first.width - down;
    first.width = down;
  }
  return columns;
}

/** A cell as the lines that fit into its column. */
function linesOf(cell: Cell, text: string, width: number, options: RenderOptions): string[] {
  const paint = paintOf(cell);
  return wrapped(text, width, hangOf(cell, options)).map((line) => paint(line));
}

function hangOf(cell: Cell, options: RenderOptions): string {
  return typeof cell === 'string' ? '' : spelled(cell.hang ?? '', options);
}

function paintOf(cell: Cell): Paint {
  return (typeof cell === 'string' ? undefined : cell.paint) ?? ((text) => text);
}

interface DrawnRow {
  readonly cells: readonly (readonly string[])[];
  readonly below: readonly string[];
  /** The branches of a tree in the first column: what stands below the row keeps them. */
  readonly hang: string;
}

/** The lines of these rows; cli-table3 draws the columns, and what stands below is put in between. */
function drawn(rows: readonly DrawnRow[], { columns, gap, width }: Layout): string[] {
  const last = columns.length - 1;
  const lines = columnsOf(
    rows.flatMap(linesOfRow),
    columns.map((column, index) => (index === last ? column.width : column.width + gap)),
  );
  if (width === Number.POSITIVE_INFINITY) return lines;
  const second = (columns[0]?.width ?? 0) + gap;
  const indent = ' '.repeat(second <= deepestIndent && columns.length > 1 ? second + 2 : 4);
  let at = 0;
  return rows.flatMap(({ cells, below: notes, hang }) => {
    const height = heightOf(cells);
    const row = lines.slice(at, at + height);
    at += height;
    const start = hang === '' ? indent : hang;
    const told = notes.filter((note) => note !== '');
    return row.concat(told.flatMap((note) => wrapped(start + note, width, start)));
  });
}

function heightOf(cells: DrawnRow['cells']): number {
  return Math.max(1, ...cells.map(({ length }) => length));
}

/** Each line of a row as a row of its own. */
function linesOfRow({ cells }: DrawnRow): string[][] {
  return Array.from({ length: heightOf(cells) }, (_, line) =>
    cells.map((parts) => parts[line] ?? ''),
  );
}

function columnsOf(lines: readonly string[][], widths: readonly number[]): string[] {
  const starts = Array.from(
    { length: Math.ceil(lines.length / linesAtOnce) },
    (_, part) => part * linesAtOnce,
  );
  return starts.flatMap((start) => chunk(lines.slice(start, start + linesAtOnce), widths));
}

function chunk(rows: readonly string[][], colWidths: readonly number[]): string[] {
  const table = new Table({
    chars: noLines,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: [...colWidths],
  });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
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
