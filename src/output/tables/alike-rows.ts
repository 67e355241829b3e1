import { counted } from '../../kube/counts-by-kind.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { parseApiVersion, printedKindOf } from '../../kube/resource-type.ts';
import { cutAtWord, flowed } from '../fit-text.ts';
import type { RenderOptions } from '../style.ts';
import type { Cell, Column } from './table.ts';

/** How much is said beside rows. */
export interface Room {
  /** Letters of a reason; 0: it is left out. */
  readonly characters: number;
  /** Reasons are left out where they would take lines of their own. */
  readonly onlyBeside?: boolean;
  /** Letters of each list of remarks; all by default. */
  readonly remarks?: number;
}

/** What items have in common that stand in one row. */
export interface Grouping<T> extends Room {
  readonly alike: (item: T) => string;
}

/** Items that share a row. */
export type Shared<T> = readonly (readonly T[])[];

/** A page of a terminal of 24 rows; above it, what is alike becomes one row. */
export const oneScreen = 24;
/** No preview is longer, with what stderr says beside it. */
const mostLines = 40;
/** What stderr usually says: a gap or two, and what to do next. */
export const usuallyBeside = 4;
export const usualWidth = 80;

/**
 * A row for each item where that fits on one screen of 80 columns, or where there is no way to group them; else the
 * first way that is short enough, else the last.
 */
export function groupedToFit<T>(
  items: readonly T[],
  groupings: readonly Grouping<T>[],
  options: RenderOptions,
  draw: (rows: Shared<T>, room: Room, options: RenderOptions) => string,
): string {
  const usual = { ...options, colour: false, width: usualWidth };
  const fits = (rows: Shared<T>, room: Room, most: number) =>
    rows.length < most && flowed(draw(rows, room, usual), usual).split('\n').length <= most + 1;
  const last = groupings.at(-1);
  const each = items.map((item) => [item]);
  const whole = { characters: Number.POSITIVE_INFINITY };
  if (!last || fits(each, whole, oneScreen)) return draw(each, whole, options);
  const most = mostLines - Math.max(usuallyBeside, options.linesBeside ?? 0);
  const rowsOf = ({ alike }: Grouping<T>) => [...Map.groupBy(items, alike).values()];
  const chosen =
    // What shows reasons is tried for one screen before.
    groupings.find((one) => one.characters > 0 && fits(rowsOf(one), one, oneScreen)) ??
    groupings.find((one) => fits(rowsOf(one), one, most));
  return draw(rowsOf(chosen ?? last), chosen ?? last, options);
}

/** Which object a row is about, or what several have in common. */
export function objectColumns<T>(
  objectsOf: (row: T) => readonly ObjectReference[],
  name = 'NAME',
): Column<T>[] {
  return [
    [
      'KIND',
      (row) => {
        const objects = objectsOf(row);
        const [kind = '', ...others] = new Set(objects.map(printedKind));
        return {
          text: others.length > 0 ? `${others.length + 1} kinds` : kind,
          paint: objects.some(({ namespace }) => namespace === '') ? 'bold' : undefined,
        };
      },
    ],
    ['NAMESPACE', (row) => namespaceCell(objectsOf(row))],
    [name, (row) => namesCell(objectsOf(row).map((object) => object.name))],
  ];
}

/** Cluster-scoped objects are marked, because more depends on them. */
export function namespaceCell(objects: readonly ObjectReference[]): Cell {
  const [first = '', ...others] = new Set(objects.map(({ namespace }) => namespace));
  if (others.length > 0) return `${others.length + 1} namespaces`;
  return first === '' ? { text: '<cluster>', paint: 'bold' } : first;
}

/** Names that fit beside each other are shown. */
const shortNames = 32;

function namesCell(names: readonly string[]): string {
  if (names.length === 1) return names[0] ?? '';
  const all = `${names.length}: ${names.join(', ')}`;
  return all.length <= shortNames ? all : `${names.length} objects`;
}

function printedKind({ apiVersion, kind }: ObjectReference): string {
  const group = parseApiVersion(apiVersion)?.group ?? '';
  return printedKindOf({ group, kind });
}

/** The one reason that all have, or the first and how many more there are; cut behind a word where it is longer. */
export function commonReason(
  items: readonly { readonly because: string }[],
  letters: number,
): string {
  const [first = '', ...more] = new Set(items.map(({ because }) => because));
  const others = more.length > 0 ? ` (and ${counted(more.length, 'more reason')})` : '';
  const room = letters - others.length;
  return cutAtWord(first, room) + others;
}
