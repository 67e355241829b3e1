/** A JSON object whose fields nobody has checked yet. */
export type Json = Readonly<Record<string, unknown>>;

export function jsonOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Each entry as `read` makes it; undefined when it is no list or an entry is not what it should be. */
export function listOf<T>(
  value: unknown,
  read: (entry: unknown) => T | undefined,
): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: T[] = [];
  for (const entry of value) {
    const one = read(entry);
    if (one === undefined) return undefined;
    list.push(one);
  }
  return list;
}
