import { keptAnnotations } from '../object-record.ts';

const encoder = new TextEncoder();
const keptKeys = Map.groupBy(
  [...keptAnnotations].map((key) => encoder.encode(key)),
  ({ length }) => length,
);

/** Do these bytes spell the key of an annotation that records keep? */
export function isKeptKey(bytes: Uint8Array, start: number, end: number): boolean {
  const keys = keptKeys.get(end - start) ?? [];
  return keys.some((key) => key.every((byte, index) => byte === bytes[start + index]));
}
