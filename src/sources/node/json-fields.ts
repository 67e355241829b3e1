/** A JSON object, of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** A number, also written as a string, as protobuf's JSON writes 64 bits. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Epoch milliseconds of nanoseconds. */
export function millisecondsOf(nanoseconds: unknown): number | undefined {
  const text = typeof nanoseconds === 'number' ? String(nanoseconds) : textOf(nanoseconds);
  if (!/^\d+$/.test(text)) return undefined;
  // In two steps, as nanoseconds since 1970 are too many for a double.
  return Number(BigInt(text) / 1_000_000n) + Number(BigInt(text) % 1_000_000n) / 1e6;
}

/** Epoch milliseconds of RFC 3339. */
export function timeIn(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
