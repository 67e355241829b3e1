/** A JSON object whose fields are not checked yet. */
export type Json = Readonly<Record<string, unknown>>;
/** The same while it is being made. */
export type MutableJson = Record<string, unknown>;

export function withoutUnset<V>(
  fields: Readonly<Record<string, V | undefined>>,
): Readonly<Record<string, V>> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

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

/** The fields of an object, by the names that `T` gives them, their values unchecked; none of what is no object. */
export function fieldsOf<T = Json>(value: unknown): { readonly [field in keyof T]?: unknown } {
  return jsonOf(value) ?? {};
}

export function fieldsListOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOrEmpty(value: unknown): string {
  return textOf(value) ?? '';
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

type Texts = Readonly<Record<string, string>>;

/** The fields that are strings, of all or of these names; undefined when there are none. */
export function textsByKey(value: unknown, only?: ReadonlySet<string>): Texts | undefined {
  const json = jsonOf(value);
  if (!json) return undefined;
  let kept: Record<string, string> | undefined;
  for (const key of Object.keys(json)) {
    const entry = json[key];
    if (typeof entry !== 'string' || (only && !only.has(key))) continue;
    kept ??= {};
    kept[key] = entry;
  }
  return kept;
}

/** The bytes that JSON writes in base64, as characters; undefined when they cannot be read. */
export function bytesOf(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
}

/** A number, also written as a string, as protobuf's JSON writes 64 bits. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Epoch milliseconds of nanoseconds. */
export function millisecondsOfNanoseconds(nanoseconds: unknown): number | undefined {
  const text = typeof nanoseconds === 'number' ? String(nanoseconds) : textOrEmpty(nanoseconds);
  if (!/^\d{1,19}$/.test(text)) return undefined;
  // In two steps, as nanoseconds since 1970 are too many for a double.
  return Number(BigInt(text) / 1_000_000n) + Number(BigInt(text) % 1_000_000n) / 1e6;
}

/** Epoch milliseconds of RFC 3339, which has the years 0 to 9999. */
export function millisecondsIn(value: unknown): number | undefined {
  const time = typeof value === 'string' && /^\d{4}-/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** What a value is, in the words of YAML. */
export function typeNameOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

/** The field at a dotted path, whatever it is; undefined where the way ends. */
export function fieldAt(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => jsonOf(value)?.[key], object);
}

export function textAt(object: unknown, path: string): string {
  const value = fieldAt(object, path);
  return typeof value === 'string' ? value : '';
}

export function listAt(object: unknown, path: string): readonly unknown[] {
  const value = fieldAt(object, path);
  return Array.isArray(value) ? value : [];
}

export function conditionOf(object: unknown, type: string): Json | undefined {
  return listAt(object, 'status.conditions')
    .map(jsonOf)
    .find((entry) => entry?.type === type);
}

/** The same, with what may be undefined as what may be missing. */
type Given<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** The fields of these names, in this order; what is undefined is left out. */
export function picked<T extends object, K extends keyof T>(
  from: T,
  ...names: readonly K[]
): Given<Pick<T, K>> {
  const found: Record<PropertyKey, unknown> = {};
  for (const name of names) if (from[name] !== undefined) found[name] = from[name];
  return found as Given<Pick<T, K>>;
}

/** Adds a value to the list under a key, which begins with its first one. */
export function pushTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
