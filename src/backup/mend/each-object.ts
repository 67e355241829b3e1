import { jsonOf, textOf } from '../../snapshot/json-value.ts';
import type { Path } from './value-edits.ts';

/**
 * A document with each of its objects changed: itself, or the items of a List, of Lists in it too.
 * What stays as it was is the same value.
 */
export function eachObject(
  value: unknown,
  change: (object: Readonly<Record<string, unknown>>, path: Path) => unknown,
  path: Path = [],
): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry, index) => eachObject(entry, change, [...path, index]));
    return entries.every((entry, index) => entry === value[index]) ? value : entries;
  }
  const object = jsonOf(value);
  if (!object) return value;
  if (textOf(object.kind)?.endsWith('List') && Array.isArray(object.items)) {
    const items = eachObject(object.items, change, [...path, 'items']);
    return items === object.items ? value : { ...object, items };
  }
  return change(object, path);
}
