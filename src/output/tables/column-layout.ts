import { cutAtWord, textWidth } from '../fit-text.ts';
import type { RenderOptions } from '../style.ts';

/** Columns that stand below their row where the terminal has no room beside it. */
const below: ReadonlySet<string> = new Set(['REASON', 'MEANING', 'REMARKS', 'FIRST']);
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
/** A line of a pipe, unless a name is longer. @internal */
export const pipeWidth = 160;
/** Reasons of a pipe keep so much while other sentences can give way. */
const readableReason = 40;

/** What a cell shows, in one line. */
export interface ShownCell {
  readonly text: string;
  readonly paint: (text: string) => string;
  readonly hang: string;
}

/** Of each column, the most that any of its cells measures. */
function widest(
  rows: readonly (readonly ShownCell[])[],
  widthOf: (text: string, cell: ShownCell) => number,
): readonly number[] {
  const most = (rows[0] ?? []).map(() => 0);
  for (const cells of rows) {
    for (const [at, cell] of cells.entries()) {
      most[at] = Math.max(most[at] ?? 0, widthOf(cell.text, cell));
    }
  }
  return most;
}

export interface Layout {
  readonly columns: readonly { readonly at: number; readonly width: number }[];
  /** The columns that stand below. */
  readonly below: readonly number[];
  readonly gap: number;
  readonly width: number;
}

interface LayoutOptions extends Pick<RenderOptions, 'width' | 'noHeaders'> {
  /** Were cells cut, as there was too little room in a pipe? */
  readonly isFitted?: boolean;
}

export function layoutOf(
  headers: readonly string[],
  rows: readonly (readonly ShownCell[])[],
  { width: limit, noHeaders, isFitted = false }: LayoutOptions,
): Layout {
  const most = widest(rows, textWidth);
  const all = headers.map((header, at) => ({
    at,
    width: Math.max(noHeaders ? 0 : textWidth(header), most[at] ?? 0),
  }));
  if (limit === undefined) {
    const gap = isFitted ? narrowGap : wideGap;
    return { columns: all, below: [], gap, width: Number.POSITIVE_INFINITY };
  }
  const width = Math.max(leastWidth, limit);
  const overOf = (columns: Layout['columns']) => widthOfAll(columns, narrowGap) - width;
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
    const least = (at: number) =>
      isCopied(at) ? leastOfCopied(most[at] ?? 0, width) : leastOf(at);
    return narrowed(given, over, least, headers);
  }, beside);
  return { ...close, columns, below: all.filter(isBelow).map(({ at }) => at) };
}

/** A name that takes more than half of a line stands whole on its own one, before the rest of its row. */
function leastOfCopied(most: number, width: number): number {
  return 2 * most <= width || most > width ? most : narrowest;
}

/**
 * The cells of a pipe, where a row is a line: reasons give way, then other sentences, each behind a word. Names stay
 * whole; `-o wide` has everything.
 */
export function fittedToPipe(
  headers: readonly string[],
  rows: readonly (readonly ShownCell[])[],
): readonly (readonly ShownCell[])[] {
  const { columns: all } = layoutOf(headers, rows, { width: undefined });
  if (widthOfAll(all, wideGap) <= pipeWidth) return rows;
  const words = widest(rows, (text) => widestOf(text.split(/(?<=,)| /)));
  const branches = widest(rows, (_, { hang }) => hang.length);
  const isReason = (at: number) => below.has(headers[at] ?? '');
  const whole = (at: number) => all[at]?.width ?? 0;
  const shortest = (at: number) =>
    branches[at] ? whole(at) : Math.max(shortColumn, (words[at] ?? 0) + 1);
  const columns = [
    (at: number) => (isReason(at) ? readableReason : whole(at)),
    (at: number) => (isReason(at) ? whole(at) : shortest(at)),
    (at: number) => (isReason(at) ? shortColumn : whole(at)),
  ].reduce((given: Layout['columns'], leastOf) => {
    return narrowed(given, widthOfAll(given, narrowGap) - pipeWidth, leastOf, headers);
  }, all);
  const isCut = columns.map(({ width }, at) => width < whole(at));
  return rows.map((cells) =>
    cells.map((cell, at) =>
      isCut[at] ? { ...cell, text: cutAtWord(cell.text, columns[at]?.width ?? 0) } : cell,
    ),
  );
}

function widthOfAll(columns: Layout['columns'], gap: number): number {
  return columns.reduce((sum, { width }) => sum + width + gap, -gap);
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
