import { keptAnnotations } from '../object-record.ts';

const encoder = new TextEncoder();
const keptKeys = Map.groupBy(
  [...keptAnnotations].map((key) => encoder.encode(key)),
  ({ length }) => length,
);

/** Do these bytes spell the key of an annotation that records keep? */
export function isKeptKey(bytes: Uint8Array, start: number, end: number): boolean {
  const keys = keptKeys.get(end - start);
  if (keys === undefined) return false;
  for (const key of keys) if (isSpelled(key, bytes, start)) return true;
  return false;
}

function isSpelled(key: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < key.length; at++) if (key[at] !== bytes[start + at]) return false;
  return true;
}
