/** A UUID takes four words of 32 bits. */
export const uidWords = 4;
export const uidLength = 36;

const DASH = 0x2d;
const digitOf = new Int8Array(128).fill(-1);
const charOf = new Uint8Array(16);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  digitOf[digit.charCodeAt(0)] = value;
  charOf[value] = digit.charCodeAt(0);
}

/** Packs the UUID at `start`, written as API servers write it; false when that is something else. */
export function packUid(text: string, start: number, words: Uint32Array, at: number): boolean {
  if (
    text.charCodeAt(start + 8) !== DASH ||
    text.charCodeAt(start + 13) !== DASH ||
    text.charCodeAt(start + 18) !== DASH ||
    text.charCodeAt(start + 23) !== DASH
  ) {
    return false;
  }
  const a = fourDigits(text, start);
  const b = fourDigits(text, start + 4);
  const c = fourDigits(text, start + 9);
  const d = fourDigits(text, start + 14);
  const e = fourDigits(text, start + 19);
  const f = fourDigits(text, start + 24);
  const g = fourDigits(text, start + 28);
  const h = fourDigits(text, start + 32);
  // What is no digit makes them negative.
  if ((a | b | c | d | e | f | g | h) < 0) return false;
  words[at] = (a << 16) | b;
  words[at + 1] = (c << 16) | d;
  words[at + 2] = (e << 16) | f;
  words[at + 3] = (g << 16) | h;
  return true;
}

function fourDigits(text: string, at: number): number {
  return (
    (digit(text, at) << 12) |
    (digit(text, at + 1) << 8) |
    (digit(text, at + 2) << 4) |
    digit(text, at + 3)
  );
}

function digit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (digitOf[code] as number) : -1;
}

/** The text that packUid packed. */
export function unpackUid(words: Uint32Array, at: number): string {
  const a = words[at] as number;
  const b = words[at + 1] as number;
  const c = words[at + 2] as number;
  const d = words[at + 3] as number;
  // One call makes one flat string; parts that are put together would be flattened at their first use.
  return String.fromCharCode(
    hex(a >>> 28),
    hex(a >>> 24),
    hex(a >>> 20),
    hex(a >>> 16),
    hex(a >>> 12),
    hex(a >>> 8),
    hex(a >>> 4),
    hex(a),
    DASH,
    hex(b >>> 28),
    hex(b >>> 24),
    hex(b >>> 20),
    hex(b >>> 16),
    DASH,
    hex(b >>> 12),
    hex(b >>> 8),
    hex(b >>> 4),
    hex(b),
    DASH,
    hex(c >>> 28),
    hex(c >>> 24),
    hex(c >>> 20),
    hex(c >>> 16),
    DASH,
    hex(c >>> 12),
    hex(c >>> 8),
    hex(c >>> 4),
    hex(c),
    hex(d >>> 28),
    hex(d >>> 24),
    hex(d >>> 20),
    hex(d >>> 16),
    hex(d >>> 12),
    hex(d >>> 8),
    hex(d >>> 4),
    hex(d),
  );
}

function hex(bits: number): number {
  return charOf[bits & 15] as number;
}
