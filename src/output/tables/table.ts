import Table from 'cli-table3';
import { compareText } from '../../kube/names.ts';
import { type ObjectReference, objectKey, tableName } from '../../kube/object-reference.ts';
import { isNarrow, spelled, textWidth, withoutColours, wrapped } from '../fit-text.ts';
import { printable } from '../printable.ts';
import { noSign, type Paint, painted, type RenderOptions, signOf } from '../style.ts';
import { fittedToPipe, type Layout, layoutOf, type ShownCell } from './column-layout.ts';

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
 * indented lines below their row; where that is not enough, the widest columns are wrapped. In a pipe reasons are
 * cut. Without rows there is nothing to print. Each row may begin with a sign, as wide as `noSign`.
 */
export function renderTable(
  headers: readonly string[],
  rows: readonly (readonly Cell[])[],
  options: RenderOptions,
  signs?: readonly string[],
): string {
  if (rows.length === 0) return '';
  const { width, noHeaders, wide, labels } = options;
  const given = rows.map((cells) => headers.map((_, at) => shownCell(cells[at] ?? '', options)));
  const isPipe = width === undefined && !wide && !labels;
  const shown = isPipe ? fittedToPipe(headers, given) : given;
  const room = width === undefined ? width : width - (signs ? noSign.length : 0);
  const layout = layoutOf(headers, shown, { width: room, noHeaders, isFitted: shown !== given });
  const head = headers.map((text): ShownCell => ({ text, paint: String, hang: '' }));
  const all = noHeaders ? shown : [head, ...shown];
  const drawn = width === undefined ? lineOfEach(all, layout) : linesOfEach(all, layout, noHeaders);
  const signOfRow = noHeaders ? signs : signs && [noSign, ...signs];
  return drawn
    .flatMap((lines, row) => {
      const first = signOfRow?.[row] ?? noSign;
      return signs ? lines.map((line, at) => (at === 0 ? first : noSign) + line) : lines;
    })
    .map((line) => `${line}\n`)
    .join('');
}

/** In a pipe a column is as wide as its cells, and a row is a line. */
function lineOfEach(rows: readonly (readonly ShownCell[])[], layout: Layout): string[][] {
  const cellsOf = (row: readonly ShownCell[]) =>
    layout.columns.map(({ at }) => row[at]?.paint(row[at].text) ?? '');
  return drawnLines(rows.map(cellsOf), widthsIn(layout)).map((line) => [line]);
}

/** How wide each column is, with the gap behind it. */
function widthsIn({ columns, gap }: Layout): number[] {
  return columns.map(({ width }, at) => (at === columns.length - 1 ? width : width + gap));
}

/** A line of a row. A name that is wider than its column stands whole at the end of the line. */
interface RowLine {
  readonly cells: readonly string[];
  readonly end?: { readonly start: number; readonly text: string } | undefined;
}

/** The lines of each row, with what stands below it; below the headers stands nothing. */
function linesOfEach(
  rows: readonly (readonly ShownCell[])[],
  layout: Layout,
  noHeaders: boolean | undefined,
): string[][] {
  const widths = widthsIn(layout);
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
  const notesOf = notesBelow(layout);
  let next = 0;
  return rowLines.map(({ length }, at) => {
    next += length;
    const notes = at === 0 && !noHeaders ? [] : notesOf(rows[at] ?? []);
    return [...drawn.slice(next - length, next), ...notes];
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
