import { keptAnnotations } from '../object-record.ts';

const encoder = new TextEncoder();
const keptKeys = Map.groupBy(
  [...keptAnnotations].map((key) => encoder.encode(key)),
  ({ length }) => length,
);

/** Do these bytes spell the key of an annotation that records keep? */
export function isKeptKey(bytes: Uint8Array, start: number, end: number): boolean {
  // Asked of each annotation of each object: no closure and no iterator is made for it.
  const keys = keptKeys.get(end - start);
  if (keys === undefined) return false;
  for (let index = 0; index < keys.length; index++) {
    if (standsAt(keys[index] as Uint8Array, bytes, start)) return true;
  }
  return false;
}

function standsAt(key: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < key.length; at++) if (key[at] !== bytes[start + at]) return false;
  return true;
}
