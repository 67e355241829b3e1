import { DASH } from '../ascii.ts';

/** A UUID takes four words of 32 bits. */
export const uidWords = 4;
export const uidLength = 36;

const digitOf = new Int8Array(256).fill(-1);
const charOf = new Uint8Array(16);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  digitOf[digit.charCodeAt(0)] = value;
  charOf[value] = digit.charCodeAt(0);
}
const scratch = new Uint8Array(uidLength);

/** Packs the UUID at `start`, written as API servers write it; false when that is something else. */
export function packUid(text: string, start: number, words: Uint32Array, at: number): boolean {
  for (let index = 0; index < uidLength; index++) {
    const code = text.charCodeAt(start + index);
    scratch[index] = code < 128 ? code : 0;
  }
  return packUidBytes(scratch, 0, words, at);
}

function packUidBytes(bytes: Uint8Array, start: number, words: Uint32Array, at: number): boolean {
  if (
    bytes[start + 8] !== DASH ||
    bytes[start + 13] !== DASH ||
    bytes[start + 18] !== DASH ||
    bytes[start + 23] !== DASH
  ) {
    return false;
  }
  const a = fourDigits(bytes, start);
  const b = fourDigits(bytes, start + 4);
  const c = fourDigits(bytes, start + 9);
  const d = fourDigits(bytes, start + 14);
  const e = fourDigits(bytes, start + 19);
  const f = fourDigits(bytes, start + 24);
  const g = fourDigits(bytes, start + 28);
  const h = fourDigits(bytes, start + 32);
  // What is no digit makes them negative.
  if ((a | b | c | d | e | f | g | h) < 0) return false;
  words[at] = (a << 16) | b;
  words[at + 1] = (c << 16) | d;
  words[at + 2] = (e << 16) | f;
  words[at + 3] = (g << 16) | h;
  return true;
}

function fourDigits(bytes: Uint8Array, at: number): number {
  return (
    (digit(bytes, at) << 12) |
    (digit(bytes, at + 1) << 8) |
    (digit(bytes, at + 2) << 4) |
    digit(bytes, at + 3)
  );
}

function digit(bytes: Uint8Array, at: number): number {
  return digitOf[bytes[at] as number] as number;
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
