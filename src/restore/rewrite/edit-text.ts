import {
  type Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type Node,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { jsonOf, listOf } from '../../kube/json-value.ts';

/** A part of a string, and its replacement. */
interface Cut {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

type Collection = YAMLMap<unknown, unknown> | YAMLSeq<unknown>;

/**
 * Changes the text of a YAML document in place, so that everything else stays as it was written:
 * comments, quotes, indentation, order. Undefined where that cannot be done.
 */
export function editText(
  source: string,
  document: Document,
  edits: readonly ValueEdit[],
): string | undefined {
  const cuts: Cut[] = [];
  for (const { path, to } of edits) {
    const cut =
      to === undefined ? removal(source, document, path) : replacement(source, document, path, to);
    if (!cut) return undefined;
    cuts.push(cut);
  }
  // They come in the order of the text.
  let text = '';
  let at = 0;
  for (const { start, end, text: by } of cuts) {
    text += source.slice(at, start) + by;
    at = end;
  }
  return text + source.slice(at);
}

function replacement(source: string, document: Document, path: Path, to: string): Cut | undefined {
  const node = nodeAt(document, path);
  if (!isScalar(node) || !node.range) return undefined;
  const [start, end] = node.range;
  if (node.type === 'QUOTE_SINGLE') return { start, end, text: `'${to.replaceAll("'", "''")}'` };
  const isPlain = !source.startsWith('"', start) && staysText.test(to);
  return { start, end, text: isPlain ? to : JSON.stringify(to) };
}

/** Names, versions and uids that no reader takes for a number, a time or a truth. */
const staysText =
  /^(?:[0-9a-f]{8}-[0-9a-f-]+|[a-z][a-z0-9.]*[./][a-z0-9./]*[a-z0-9]|v\d[a-z0-9]*)$/;

function removal(source: string, document: Document, path: Path): Cut | undefined {
  const parent = nodeAt(document, path.slice(0, -1));
  if (!isCollection(parent)) return undefined;
  const within = parent as Collection;
  const key = path.at(-1);
  const index = isMap(within)
    ? within.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === key)
    : Number(key);
  const span = spanOf(within.items[index]);
  if (!span) return undefined;
  return within.flow
    ? cutInFlow(within, index, span)
    : cutLines(source, span, isMap(within) ? /^\s*$/ : /^\s*-\s+$/);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** From the first character of a key or entry to the last one of its value. */
function spanOf(item: unknown): Span | undefined {
  const [first, last] = isPair(item) ? [item.key, item.value ?? item.key] : [item, item];
  const start = (first as Node | null | undefined)?.range?.[0];
  const end = last ? endOf(last as Node) : undefined;
  return start === undefined || end === undefined ? undefined : { start, end };
}

/** A block collection claims the comments behind it, which belong to what comes next. */
function endOf(node: Node): number | undefined {
  if (!isCollection(node) || node.flow || node.items.length === 0) return node.range?.[1];
  return spanOf(node.items.at(-1))?.end;
}

function cutInFlow({ items }: Collection, index: number, { start, end }: Span): Cut | undefined {
  const before = index > 0 ? spanOf(items[index - 1]) : undefined;
  if (before) return { start: before.end, end, text: '' };
  const next = spanOf(items[index + 1]);
  return { start, end: next?.start ?? end, text: '' };
}

/** Whole lines, with the comment behind the last one. */
function cutLines(source: string, { start, end }: Span, before: RegExp): Cut | undefined {
  const lineStart = source.lastIndexOf('\n', start - 1) + 1;
  if (!before.test(source.slice(lineStart, start))) return undefined;
  if (source[end - 1] === '\n') return { start: lineStart, end, text: '' };
  const newline = source.indexOf('\n', end);
  return { start: lineStart, end: newline < 0 ? source.length : newline + 1, text: '' };
}

/** Undefined behind an alias: what it stands for is written elsewhere, and for others too. */
function nodeAt(document: Document, path: Path): unknown {
  let node: unknown = document.contents;
  for (const step of path) {
    if (!isCollection(node)) return undefined;
    node = node.get(step as never, true);
  }
  return node;
}

export type Path = readonly (string | number)[];

/** One change of a value: the value at a path is removed or replaced by a string. */
export interface ValueEdit {
  readonly path: Path;
  /** Undefined removes it. */
  readonly to: string | undefined;
}

/**
 * The edits from one value to the other, where strings differ and fields or entries are removed;
 * undefined when more is different than that.
 */
export function valueEdits(
  before: unknown,
  after: unknown,
  path: Path = [],
): ValueEdit[] | undefined {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listEdits(before, after, path);
  const [from, to] = [jsonOf(before), jsonOf(after)];
  if (from && to) {
    return together(
      Object.keys({ ...from, ...to }).map((key) =>
        key in to
          ? valueEdits(key in from ? from[key] : '', to[key], [...path, key])
          : [{ path: [...path, key], to: undefined }],
      ),
    );
  }
  return typeof after === 'string' ? [{ path, to: after }] : undefined;
}

/** Entries that are there twice as the same object have stayed; the others are gone or changed in place. */
function listEdits(
  before: readonly unknown[],
  after: readonly unknown[],
  path: Path,
): ValueEdit[] | undefined {
  if (before.length === after.length) {
    return together(
      before.map((entry, index) => valueEdits(entry, after[index], [...path, index])),
    );
  }
  const stayed = new Set(after);
  const removed = before.flatMap((entry, index) =>
    stayed.has(entry) ? [] : [{ path: [...path, index], to: undefined }],
  );
  return removed.length === before.length - after.length ? removed : undefined;
}

function together(parts: readonly (ValueEdit[] | undefined)[]): ValueEdit[] | undefined {
  return listOf(parts, (part) => part as ValueEdit[] | undefined)?.flat();
}
