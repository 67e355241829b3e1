import Table from 'cli-table3';
import { compareText } from '../../kube/names.ts';
import { tableName } from '../../kube/object-name.ts';
import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import { isNarrow, spelled, textWidth, withoutColours, wrapped } from '../fit-text.ts';
import { printable } from '../printable.ts';
import { noSign, type Paint, painted, type RenderOptions, signOf } from '../style.ts';

export type Cell =
  | string
  | {
      readonly text: string;
      readonly paint?: Paint | undefined;
      /** What its further lines begin with, where it is wrapped: the branches of a tree. */
      readonly hang?: string;
    };

/** A header, and what stands below it for an item; some only where there is room for all. */
export type Column<T> = readonly [
  header: string,
  cell: (item: T, options: RenderOptions) => Cell,
  only?: 'wide',
];

/** Columns that stand below their row where the terminal has no room beside it. */
const below: ReadonlySet<string> = new Set(['REASON', 'MEANING', 'REMARKS']);
/** Columns that are copied into a command: they are never wrapped. */
const copied: ReadonlySet<string> = new Set(['BACKUP']);
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

/** A table with a row for each item. */
export function renderItems<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  options: RenderOptions,
): string {
  const shown = columns.filter(([, , only]) => options.wide || only === undefined);
  // The last column is the one that is cut.
  const all = [...shown.slice(0, -1), ...labelColumns<T>(options), ...shown.slice(-1)];
  const { marks } = options;
  return renderTable(
    all.map(([header]) => header),
    items.map((item) => all.map(([, cell]) => cell(item, options))),
    options,
    marks && items.map((item) => signOf(marks.get(rowKey(item)), options)),
  );
}

/** Which object an item is about. */
export const placeColumns: readonly Column<{ readonly object: ObjectReference }>[] = [
  ['NAMESPACE', ({ object }) => object.namespace],
  ['OBJECT', ({ object }) => tableName(object)],
];

/** Objects of which no more than a reason is known. */
export function openTable(
  header: string,
  entries: readonly { readonly object: ObjectReference; readonly because: string }[],
  options: RenderOptions,
): string {
  const rows = entries.map(({ object, because }) => [object.namespace, tableName(object), because]);
  return renderTable(['NAMESPACE', header, 'REASON'], rows, options);
}

/** The object that an item is about, or that at a place of a tree. */
function objectIn(item: unknown): ObjectReference | undefined {
  const { object, node } = item as Partial<Record<'object' | 'node', ObjectReference>>;
  return object ?? node;
}

function rowKey(item: unknown): string {
  const object = objectIn(item);
  return object ? objectKey(object) : '';
}

/** `-L app` and `--show-labels`, for items that are about an object. */
function labelColumns<T>({ labels }: RenderOptions): Column<T>[] {
  if (!labels) return [];
  const of = (item: T) => labels.of(objectIn(item)?.uid ?? '');
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

/** What a cell shows, in one line. */
interface ShownCell {
  readonly text: string;
  readonly paint: (text: string) => string;
  readonly hang: string;
}

function shownCell(cell: Cell, options: RenderOptions): ShownCell {
  const { text, paint, hang = '' } = typeof cell === 'string' ? { text: cell } : cell;
  return {
    text: spelled(printable(text), options),
    paint: (part) => painted(part, paint, options),
    hang: spelled(hang, options),
  };
}

/**
 * A table in kubectl's manner: no lines, a row a line. On a terminal that is too narrow, reasons move to
 * indented lines below their row; where that is not enough, the widest columns are wrapped. Without rows
 * there is nothing to print. Each row may begin with a sign, as wide as `noSign`.
 */
export function renderTable(
  headers: readonly string[],
  rows: readonly (readonly Cell[])[],
  options: RenderOptions,
  signs?: readonly string[],
): string {
  if (rows.length === 0) return '';
  const shown = rows.map((cells) => headers.map((_, at) => shownCell(cells[at] ?? '', options)));
  const { width, noHeaders } = options;
  const room = width === undefined ? width : width - (signs ? noSign.length : 0);
  const layout = layoutOf(headers, shown, { width: room, noHeaders });
  const head = headers.map((text): ShownCell => ({ text, paint: String, hang: '' }));
  const drawn = drawnRows(noHeaders ? shown : [head, ...shown], layout);
  const signOfRow = noHeaders ? signs : signs && [noSign, ...signs];
  const notesOf = notesBelow(layout);
  return drawn
    .flatMap((lines, row) => {
      const notes = row === 0 && !noHeaders ? [] : notesOf(shown[noHeaders ? row : row - 1] ?? []);
      const first = signOfRow?.[row] ?? noSign;
      const signed = (line: string, at: number) => (at === 0 ? first : noSign) + line;
      return signs ? [...lines, ...notes].map(signed) : [...lines, ...notes];
    })
    .map((line) => `${line}\n`)
    .join('');
}

/** Of each column, the most that any of its cells measures. */
function widest(
  rows: readonly (readonly ShownCell[])[],
  widthOf: (text: string) => number,
): readonly number[] {
  const most = (rows[0] ?? []).map(() => 0);
  for (const cells of rows) {
    for (const [at, { text }] of cells.entries()) most[at] = Math.max(most[at] ?? 0, widthOf(text));
  }
  return most;
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
  rows: readonly (readonly ShownCell[])[],
  { width: limit, noHeaders }: Pick<RenderOptions, 'width' | 'noHeaders'>,
): Layout {
  const most = widest(rows, textWidth);
  const all = headers.map((header, at) => ({
    at,
    width: Math.max(noHeaders ? 0 : textWidth(header), most[at] ?? 0),
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
  const beside = all.filter((column) => !isBelow(column) && (most[column.at] ?? 0) > 0);
  // Sentences give way first, then names, then whatever there is.
  const columns = [
    () => {
      const words = widest(rows, (text) => widestOf(text.split(' ')));
      return (at: number) => Math.max(shortColumn, textWidth(headers[at] ?? ''), words[at] ?? 0);
    },
    () => {
      const parts = widest(rows, longestPartOf);
      return (at: number) => Math.min(longestPart, Math.max(readableName, parts[at] ?? 0));
    },
    () => () => narrowest,
  ].reduce((given: Layout['columns'], leasts) => {
    const over = overOf(given);
    if (over <= 0) return given;
    const leastOf = leasts();
    const isCopied = (at: number) => copied.has(headers[at] ?? '');
    const least = (at: number) => (isCopied(at) ? (most[at] ?? 0) : leastOf(at));
    return narrowed(given, over, least, headers);
  }, beside);
  return { ...close, columns, below: all.filter(isBelow).map(({ at }) => at) };
}

function longestPartOf(name: string): number {
  return widestOf(name.match(/[^-/.,:;=_@ ]+[-/.,:;=_@]?/g) ?? []);
}

function widestOf(parts: readonly string[]): number {
  return parts.reduce((most, part) => Math.max(most, textWidth(part)), 0);
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

/** A line of a row. A name that is wider than its column stands whole at the end of the line. */
interface RowLine {
  readonly cells: readonly string[];
  readonly end?: { readonly start: number; readonly text: string } | undefined;
}

/** The lines of each row, without what stands below it. */
function drawnRows(rows: readonly (readonly ShownCell[])[], layout: Layout): string[][] {
  const { columns, gap } = layout;
  const last = columns.length - 1;
  const widths = columns.map((column, at) => (at === last ? column.width : column.width + gap));
  const rowLines = rows.map((row) => linesOfRow(row, layout, widths));
  const lines = rowLines.flat();
  const cells = drawnLines(
    lines.map((line) => line.cells),
    widths,
  );
  const drawn = lines.map(({ end }, at) => {
    const begin = cells[at] ?? '';
    return end ? begin + ' '.repeat(end.start - textWidth(begin)) + end.text : begin;
  });
  let next = 0;
  return rowLines.map(({ length }) => {
    next += length;
    return drawn.slice(next - length, next);
  });
}

/** Behind a name that reaches into the columns behind it, the row goes on in these columns on the next line. */
function linesOfRow(
  row: readonly ShownCell[],
  { columns, width }: Layout,
  widths: readonly number[],
): RowLine[] {
  const lines: RowLine[] = [];
  let parts = columns.map((): string[] => []);
  const endLine = (end?: RowLine['end']) => {
    const height = Math.max(1, ...parts.map(({ length }) => length));
    for (let line = 0; line < height; line++) {
      const cells = parts.map((part) => part[line] ?? '');
      lines.push({ cells, end: line === 0 ? end : undefined });
    }
    parts = columns.map(() => []);
  };
  let start = 0;
  for (const [at, column] of columns.entries()) {
    const cell = row[column.at];
    const isWhole = at < columns.length - 1 && cell !== undefined && cell.hang === '';
    if (isWhole && isWideName(cell.text, column.width) && start + textWidth(cell.text) <= width) {
      endLine({ start, text: cell.paint(cell.text) });
    } else {
      parts[at] = linesInColumn(cell, column.width);
    }
    start += widths[at] ?? 0;
  }
  if (parts.some(([first = '']) => first !== '') || lines.length === 0) endLine();
  return lines;
}

function isWideName(text: string, width: number): boolean {
  return textWidth(text) > width && !text.includes(' ');
}

/** What stands below a row: the columns that have no room beside it. */
function notesBelow({ columns, below, gap, width }: Layout) {
  const second = (columns[0]?.width ?? 0) + gap;
  const indent = ' '.repeat(second <= deepestIndent && columns.length > 1 ? second + 2 : 4);
  return (row: readonly ShownCell[]): string[] => {
    // The branches of a tree in the first column continue beside what stands below the row.
    const start = row[columns[0]?.at ?? 0]?.hang || indent;
    const notes = below.flatMap((at) => row[at] ?? []).filter(({ text }) => text !== '');
    return notes.flatMap(({ text, paint }) => wrapped(start + paint(text), width, start));
  };
}

/** A cell as the lines that fit into its column. */
function linesInColumn(cell: ShownCell | undefined, width: number): string[] {
  return cell ? wrapped(cell.text, width, cell.hang).map((line) => cell.paint(line)) : [''];
}

/** cli-table3 takes 0.1 ms a line, and time quadratic in their number: 20 ms for this many. */
const mostMeasured = 200;

function drawnLines(lines: readonly (readonly string[])[], widths: readonly number[]): string[] {
  if (lines.length <= mostMeasured) return measuredLines(lines, widths);
  return lines.map((cells) => paddedLine(cells, widths) ?? measuredLines([cells], widths).join(''));
}

/** Undefined where the text has to be measured. */
function paddedLine(cells: readonly string[], widths: readonly number[]): string | undefined {
  let line = '';
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at] ?? '';
    const text = withoutColours(cell);
    if (!isNarrow(text)) return undefined;
    line += cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - text.length));
  }
  return line.trimEnd();
}

function measuredLines(
  lines: readonly (readonly string[])[],
  colWidths: readonly number[],
): string[] {
  const table = new Table({
    chars: noLines,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: [...colWidths],
  });
  table.push(...lines.map((cells) => [...cells]));
  const drawn = table.toString();
  return drawn.split('\n').map((line) => line.trimEnd());
}

const edges = ['top', 'bottom', 'left', 'right', 'mid', 'middle'];
const noLines = Object.fromEntries(
  ['', '-mid', '-left', '-right'].flatMap((end) => edges.map((edge) => [`${edge}${end}`, ''])),
);
