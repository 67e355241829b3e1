import { jsonOf } from '../../kube/json-value.ts';

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
  return typeof before === 'string' && typeof after === 'string'
    ? [{ path, to: after }]
    : undefined;
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
  const edits: ValueEdit[] = [];
  for (const part of parts) {
    if (!part) return undefined;
    edits.push(...part);
  }
  return edits;
}
