import Table from 'cli-table3';
import { compareText } from '../../kube/names.ts';
import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import { isNarrow, spelled, textWidth, withoutColours, wrapped } from '../fit-text.ts';
import { printable } from '../printable.ts';
import { noSign, type Paint, type RenderOptions, signOf, styleOf } from '../style.ts';

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
  const { marks } = options;
  const style = styleOf(options);
  return renderTable(
    all.map(([header]) => header),
    items.map((item) => all.map(([, cell]) => cell(item))),
    options,
    marks && items.map((item) => signOf(marks.get(keyOf(item)), style)),
  );
}

function clusterColumn<T>(items: readonly T[]): Column<T>[] {
  const clusterOf = (item: T) => (item as { readonly cluster?: string }).cluster;
  const isOfSeveral = items.some((item) => clusterOf(item) !== undefined);
  return isOfSeveral ? [['CLUSTER', (item) => clusterOf(item) ?? '']] : [];
}

/** The object that an item is about, or that at a place of a tree. */
function objectIn(item: unknown): ObjectReference | undefined {
  const { object, node } = item as Partial<Record<'object' | 'node', ObjectReference>>;
  return object ?? node;
}

function keyOf(item: unknown): string {
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

/**
 * A table in kubectl's manner: no lines, a row a line. On a terminal that is too narrow, reasons move to
 * indented lines below their row; where that is not enough, the widest columns are wrapped. Without rows
 * there is nothing to print. `signs`: what the row begins with, each as wide as `noSign`.
 */
export function renderTable(
  headers: readonly string[],
  rows: readonly (readonly Cell[])[],
  given: RenderOptions,
  signs?: readonly string[],
): string {
  if (rows.length === 0) return '';
  const isNarrower = signs !== undefined && given.width !== undefined;
  const options = isNarrower ? { ...given, width: given.width - noSign.length } : given;
  const texts = rows.map((row) =>
    row.map((cell) => spelled(printable(typeof cell === 'string' ? cell : cell.text), options)),
  );
  const layout = layoutOf(headers, texts, options);
  const draw = drawingOf(layout);
  const lines: string[] = [];
  if (!options.noHeaders) {
    const cells = layout.columns.map(({ at }) => [headers[at] ?? '']);
    lines.push(...signed(draw({ cells, below: [], hang: '' }), signs && noSign));
  }
  rows.forEach((row, index) => {
    const shown = texts[index] ?? [];
    const drawn = draw({
      cells: layout.columns.map(({ at, width }) =>
        linesOf(row[at] ?? '', shown[at] ?? '', width, options),
      ),
      below: layout.below.map((at) => paintOf(row[at] ?? '')(shown[at] ?? '')),
      hang: hangOf(row[layout.columns[0]?.at ?? 0] ?? '', options),
    });
    for (const line of signed(drawn, signs?.[index])) lines.push(line);
  });
  return `${lines.join('\n')}\n`;
}

/** The lines of a row behind its sign; without a sign, as they are. */
function signed(lines: readonly string[], sign: string | undefined): readonly string[] {
  if (sign === undefined) return lines;
  return lines.map((line, index) => (index === 0 ? sign : noSign) + line);
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
  /** The lines of each cell, painted. */
  readonly cells: readonly (readonly string[])[];
  readonly below: readonly string[];
  /** The branches of a tree in the first column: what stands below the row keeps them. */
  readonly hang: string;
}

/** Draws rows, a line at a time: cli-table3 takes time quadratic in the number of lines that it is given. */
function drawingOf({ columns, gap, width }: Layout): (row: DrawnRow) => string[] {
  const last = columns.length - 1;
  const widths = columns.map((column, at) => (at === last ? column.width : column.width + gap));
  const second = (columns[0]?.width ?? 0) + gap;
  const indent = ' '.repeat(second <= deepestIndent && columns.length > 1 ? second + 2 : 4);
  return ({ cells, below: notes, hang }) => {
    const height = Math.max(1, ...cells.map(({ length }) => length));
    const lines = Array.from({ length: height }, (_, at) =>
      lineOf(
        cells.map((parts) => parts[at] ?? ''),
        widths,
      ),
    );
    const start = hang === '' ? indent : hang;
    const told = notes.filter((note) => note !== '');
    return lines.concat(told.flatMap((note) => wrapped(start + note, width, start)));
  };
}

/** Where nothing has to be measured, a line is only padded: in a twentieth of the time that cli-table3 takes. */
function lineOf(cells: readonly string[], widths: readonly number[]): string {
  let line = '';
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at] ?? '';
    const text = withoutColours(cell);
    if (!isNarrow(text)) return measuredLineOf(cells, widths);
    line += cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - text.length));
  }
  return line.trimEnd();
}

function measuredLineOf(cells: readonly string[], colWidths: readonly number[]): string {
  const table = new Table({
    chars: noLines,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colWidths: [...colWidths],
  });
  table.push([...cells]);
  return table.toString().trimEnd();
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
