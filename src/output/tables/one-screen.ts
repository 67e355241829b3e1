import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import { type ObjectReference, tableName } from '../../kube/object-reference.ts';
import { flowed, stacked } from '../fit-text.ts';
import type { RenderOptions } from '../style.ts';
import {
  commonReason,
  type Grouping,
  oneScreen,
  type Room,
  type Shared,
  usuallyBeside,
  usualWidth,
} from './alike-rows.ts';
import { type Cell, type Column, renderItems } from './table.ts';

/** What a screen shows of items: a row for each, or for those that are alike. */
export interface ScreenTable<T> {
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
  /** The object that an item is about. */
  readonly objectOf?: (item: T) => ObjectReference;
  /** The first that fits on the screen is taken; the rows of a pipe are never grouped. */
  readonly groupings: readonly Grouping<T>[];
  /** What an item is called: `finding`. */
  readonly noun: string;
  /** How many items there are beside these, which only `-o wide` lists. */
  readonly unlisted?: number;
  /** By header, what several items have in common that share a row. */
  readonly merged?: Readonly<Record<string, (items: readonly T[]) => string>>;
  /** Which rows stay where there is no room for all; by default, the first. */
  readonly byImportance?: (a: T, b: T) => number;
  /** An item as it stands for others, whose ages differ. */
  readonly withoutAge?: (item: T) => T;
}

/** Letters of a reason that is one line of a terminal of the usual width; a wider one has room for more. */
export const reasonLine = 60;

/** Items with one cause are a row, with less of the reason where room is short; else those of one class. */
export function groupingsBy<T>(
  causeOf: (item: T) => string,
  classOf: (item: T) => string,
): readonly Grouping<T>[] {
  return [causeOf, classOf].flatMap((alike) =>
    [Number.POSITIVE_INFINITY, reasonLine, 0].map((characters) => ({ alike, characters })),
  );
}

/** What objects have in common that stand for each other: `shop Pod`. */
export function kindAndPlace({ object }: { readonly object: ObjectReference }): string {
  return `${object.namespace} ${object.kind}`;
}

/** The command and the next prompt. */
const ownLines = 2;

/** How many lines an answer may have on a terminal, with what stderr says below it. */
function screenLines({ height = oneScreen, linesBeside = 0 }: RenderOptions): number {
  return height - ownLines - Math.max(usuallyBeside, linesBeside);
}

/** Does the table have a row for each item, whatever the terminal? */
function isForEach({ width, wide, marks, labels }: RenderOptions): boolean {
  return width === undefined || wide === true || marks !== undefined || labels !== undefined;
}

/**
 * A table that fits on the screen of a terminal: items that are alike are one row, and rows that do not fit are counted, the
 * last ones. In a pipe and with `-o wide` each item is a row.
 */
export function onOneScreen<T>(
  table: ScreenTable<T>,
  options: RenderOptions,
  most = screenLines(options),
): string {
  const { items, columns } = table;
  if (items.length === 0 || isForEach(options)) return renderItems(items, columns, options);
  let rows: Shared<T> = [];
  for (const grouping of table.groupings) {
    rows = [...Map.groupBy(items, grouping.alike).values()];
    if (rows.length >= most) continue;
    const text = drawnRows(table, rows, grouping, options);
    if (heightOf(text, options) <= most) return text;
  }
  return firstRows(table, rows, options, most);
}

/** As many rows as fit, one at least. */
function firstRows<T>(
  table: ScreenTable<T>,
  rows: Shared<T>,
  options: RenderOptions,
  most: number,
): string {
  const { groupings, byImportance } = table;
  const room = groupings.at(-1) ?? { characters: Number.POSITIVE_INFINITY };
  const sorted = byImportance
    ? rows.toSorted(([a], [b]) => (a && b ? byImportance(a, b) : 0))
    : rows;
  let text = '';
  for (let count = Math.max(1, Math.min(rows.length, most)); count > 0; count--) {
    text = drawnRows(table, sorted.slice(0, count), room, options);
    if (heightOf(text, options) <= most) break;
  }
  return text;
}

/** Objects of which no more than a reason is known. */
export function openTable<T extends OpenObject>(
  header: string,
  items: readonly T[],
  options: RenderOptions,
  most?: number,
): string {
  const columns: readonly Column<T>[] = [
    ['NAMESPACE', ({ object }) => object.namespace],
    [header, ({ object }) => tableName(object)],
    ['REASON', ({ because }) => because],
  ];
  const objectOf = ({ object }: T) => object;
  const merged = { [header]: (some: readonly T[]) => objectsInWords(some.map(objectOf)) };
  const table = {
    ...{ items, columns, objectOf, noun: 'object', merged },
    get groupings() {
      return groupingsBy((item: T) => `${kindAndPlace(item)} ${item.because}`, kindAndPlace);
    },
  };
  return onOneScreen(table, options, most);
}

interface OpenObject {
  readonly object: ObjectReference;
  readonly because: string;
}

/**
 * Sections of an answer, the most important first: each gets the lines that those below it do not need, and about
 * twice as many as each of them where all need more.
 */
export function sectionsOnScreen(
  sections: readonly ((most: number) => string)[],
  options: RenderOptions,
): string {
  return stacked(
    isForEach(options)
      ? sections.map((section) => section(Number.POSITIVE_INFINITY))
      : sharedScreen(sections, options),
  );
}

function sharedScreen(
  sections: readonly ((most: number) => string)[],
  options: RenderOptions,
): string[] {
  let left = screenLines(options);
  return sections.map((section, at) => {
    const others = sections.slice(at + 1);
    const share = Math.floor(left / (others.length + 2));
    const needed = others
      .map((other) => heightOf(other(share), options))
      .reduce((sum, height) => sum + (height > 0 ? height + 1 : 0), 0);
    const text = section(left - needed);
    left -= text === '' ? 0 : heightOf(text, options) + 1;
    return text;
  });
}

function heightOf(text: string, options: RenderOptions): number {
  return text === '' ? 0 : flowed(text, options).split('\n').length - 1;
}

function drawnRows<T>(
  table: ScreenTable<T>,
  rows: Shared<T>,
  room: Room,
  options: RenderOptions,
): string {
  const text = renderItems(rows, sharedColumns(table, room), options);
  return text + restOf(table, rows, room);
}

/** What the rows do not show, and what lists it. */
function restOf<T>(
  { items, columns, noun, unlisted = 0 }: ScreenTable<T>,
  rows: Shared<T>,
  room: Room,
): string {
  const all = items.length + unlisted;
  const hidden = all - rows.flat().length;
  const isShort = room.characters !== Number.POSITIVE_INFINITY;
  const left = columns.some(([header]) => header === 'MEANING') ? 'meanings' : 'reasons';
  const reasons = isShort ? ` with their ${left}` : '';
  if (hidden > 0) {
    return `and ${counted(hidden, `more ${noun}`)}: -o wide lists all ${all}${reasons}\n`;
  }
  if (rows.length < items.length) {
    return `-o wide lists all ${counted(items.length, noun)}${reasons}\n`;
  }
  return isShort ? `-o wide shows the ${left}\n` : '';
}

/** The columns of a table for rows that several items share. */
function sharedColumns<T>(
  { columns, objectOf, merged = {}, withoutAge = (item) => item }: ScreenTable<T>,
  { characters }: Room,
): Column<readonly T[]>[] {
  const cells: Readonly<Record<string, (items: readonly T[]) => string>> = {
    ...(objectOf && {
      NAMESPACE: (items) => placesInWords(items.map(objectOf)),
      OBJECT: (items) => objectsInWords(items.map(objectOf)),
    }),
    ...merged,
  };
  return columns.flatMap(([header, cell, only]): Column<readonly T[]>[] => {
    const isReason = header === 'REASON';
    if (characters === 0 && (isReason || header === 'MEANING')) return [];
    const common = (items: readonly T[], options: RenderOptions): Cell => {
      const given = items.map((item) => cell(item, options));
      const [first = ''] = given;
      const isSame = new Set(given.map(textOf)).size === 1;
      if (isReason) {
        const all = isSame ? given : items.map((item) => cell(withoutAge(item), options));
        const reasons = all.map((one) => ({ because: textOf(one) }));
        return commonReason(reasons, characters + Math.max(0, (options.width ?? 0) - usualWidth));
      }
      const several = items.length > 1 ? cells[header]?.(items) : undefined;
      return several ?? (isSame ? first : '');
    };
    return [only ? [header, common, only] : [header, common]];
  });
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function placesInWords(objects: readonly ObjectReference[]): string {
  const [first = '', ...others] = new Set(objects.map(({ namespace }) => namespace));
  return others.length > 0 ? `${others.length + 1} namespaces` : first;
}

/** Names beside each other that fit into half a line. */
const someNames = 44;
/** Kinds that are named. */
const someKinds = 3;

/** `Pod/web`, `2 Services: cart, search`, `6 PersistentVolumes`, `3 Pods, 1 Secret`, `9 objects of 5 kinds`; `Pod/web-0, twice`. */
export function objectsInWords(objects: readonly ObjectReference[]): string {
  const [first, ...more] = objects;
  if (!first) return '';
  if (more.length === 0) return tableName(first);
  const same = ({ kind, namespace, name }: ObjectReference) => `${kind} ${namespace}/${name}`;
  if (more.every((one) => same(one) === same(first))) {
    return `${tableName(first)}, ${more.length === 1 ? 'twice' : `${objects.length} times`}`;
  }
  const kinds = new Set(objects.map(({ kind }) => kind)).size;
  if (kinds > someKinds) return `${counted(objects.length, 'object')} of ${kinds} kinds`;
  const count = countsByKind(objects);
  const names = objects.map(({ name }) => name).join(', ');
  return kinds === 1 && names.length <= someNames ? `${count}: ${names}` : count;
}
