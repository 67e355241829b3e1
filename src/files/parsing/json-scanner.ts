import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DASH,
  DOT,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  QUOTE,
  ZERO,
} from '../../kube/ascii.ts';

const LETTER_E = 0x65;
const LETTER_U = 0x75;
/** The bit that makes a letter a small one. */
const SMALL = 0x20;
/** Deeper is left to JSON.parse. */
const deepest = 100;

function setOf(...bytes: readonly number[]): Uint8Array {
  const set = new Uint8Array(256);
  for (const byte of bytes) set[byte] = 1;
  return set;
}

const isSpace = setOf(0x20, 0x09, 0x0a, 0x0d);
const isDigit = setOf(...Buffer.from('0123456789'));
const isHex = setOf(...Buffer.from('0123456789abcdefABCDEF'));
const isEscape = setOf(...Buffer.from('"\\/bfnrt'));
/** What ends a run of ordinary characters in a string: control characters may not stand in one. */
const endsRun = setOf(...Array.from({ length: 0x20 }, (_, code) => code), QUOTE, BACKSLASH);

/**
 * Walks JSON byte by byte, without making a value of it. What it steps over is as valid as JSON.parse has it, or the
 * step is refused (below 0). Behind the bytes there must be a line break, so that no string runs over their end.
 */
export class JsonScanner {
  bytes: Uint8Array = new Uint8Array(0);
  /** Where the key of the field lies that `nextField` found. */
  keyAt = 0;
  keyEnd = 0;
  /** Did the string that was stepped over last have a backslash? */
  hasEscape = false;

  /** Where the next token begins. */
  skipSpace(from: number): number {
    const { bytes } = this;
    let at = from;
    while (isSpace[bytes[at] as number] === 1) at++;
    return at;
  }

  /**
   * Where the value of the next field begins, or -1 behind the closing brace of the object: `end` is set then. -2:
   * refused. `from` is behind the opening brace, or behind a value.
   */
  nextField(from: number, isFirst: boolean): number {
    const { bytes } = this;
    let at = this.skipSpace(from);
    if (bytes[at] === CLOSE_BRACE) {
      this.end = at + 1;
      return -1;
    }
    if (!isFirst) {
      if (bytes[at] !== COMMA) return -2;
      at = this.skipSpace(at + 1);
    }
    if (bytes[at] !== QUOTE) return -2;
    const keyEnd = this.#string(at + 1);
    // A key with a backslash may be any key.
    if (keyEnd < 0 || this.hasEscape) return -2;
    this.keyAt = at + 1;
    this.keyEnd = keyEnd - 1;
    at = this.skipSpace(keyEnd);
    return bytes[at] === COLON ? this.skipSpace(at + 1) : -2;
  }

  /** The same of the next element of an array. */
  nextElement(from: number, isFirst: boolean): number {
    const { bytes } = this;
    const at = this.skipSpace(from);
    if (bytes[at] === CLOSE_BRACKET) {
      this.end = at + 1;
      return -1;
    }
    if (isFirst) return at;
    return bytes[at] === COMMA ? this.skipSpace(at + 1) : -2;
  }

  /** Behind the object or array that nextField or nextElement ended. */
  end = 0;

  isKey(key: Buffer): boolean {
    const { bytes, keyAt } = this;
    if (this.keyEnd - keyAt !== key.length) return false;
    for (let at = 0; at < key.length; at++) if (bytes[keyAt + at] !== key[at]) return false;
    return true;
  }

  /** Behind the string that begins at `at`, which has no backslash; below 0: it is none, or has one. */
  plainString(at: number): number {
    if (this.bytes[at] !== QUOTE) return -1;
    const end = this.#string(at + 1);
    return this.hasEscape ? -1 : end;
  }

  /** Behind the value that begins at `at`. */
  value(at: number, depth = 0): number {
    const byte = this.bytes[at] as number;
    if (byte === QUOTE) return this.#string(at + 1);
    if (byte === OPEN_BRACE) return depth > deepest ? -1 : this.#object(at + 1, depth + 1);
    if (byte === OPEN_BRACKET) return depth > deepest ? -1 : this.#array(at + 1, depth + 1);
    if (byte === DASH || isDigit[byte] === 1) return this.#number(at);
    for (const word of words) if (byte === word[0]) return this.#word(at, word);
    return -1;
  }

  #object(from: number, depth: number): number {
    const { bytes } = this;
    let at = this.skipSpace(from);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    for (;;) {
      if (bytes[at] !== QUOTE) return -1;
      at = this.#string(at + 1);
      if (at < 0) return -1;
      at = this.skipSpace(at);
      if (bytes[at] !== COLON) return -1;
      at = this.value(this.skipSpace(at + 1), depth);
      if (at < 0) return -1;
      at = this.skipSpace(at);
      if (bytes[at] === CLOSE_BRACE) return at + 1;
      if (bytes[at] !== COMMA) return -1;
      at = this.skipSpace(at + 1);
    }
  }

  #array(from: number, depth: number): number {
    const { bytes } = this;
    let at = this.skipSpace(from);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = this.value(at, depth);
      if (at < 0) return -1;
      at = this.skipSpace(at);
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      if (bytes[at] !== COMMA) return -1;
      at = this.skipSpace(at + 1);
    }
  }

  /** Behind the string whose first character is at `from`. */
  #string(from: number): number {
    const { bytes } = this;
    this.hasEscape = false;
    let at = from;
    for (;;) {
      while (endsRun[bytes[at] as number] === 0) at++;
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      if (byte !== BACKSLASH) return -1;
      this.hasEscape = true;
      const escaped = bytes[at + 1] as number;
      if (isEscape[escaped] === 1) at += 2;
      else if (escaped === LETTER_U && this.#areHex(at + 2)) at += 6;
      else return -1;
    }
  }

  #areHex(from: number): boolean {
    for (let at = from; at < from + 4; at++) {
      if (isHex[this.bytes[at] as number] !== 1) return false;
    }
    return true;
  }

  #number(from: number): number {
    const { bytes } = this;
    let at = bytes[from] === DASH ? from + 1 : from;
    if (bytes[at] === ZERO) at++;
    else {
      at = this.#digits(at);
      if (at < 0) return -1;
    }
    if (bytes[at] === DOT) {
      at = this.#digits(at + 1);
      if (at < 0) return -1;
    }
    if (((bytes[at] as number) | SMALL) === LETTER_E) {
      const sign = bytes[at + 1];
      at = this.#digits(sign === PLUS || sign === DASH ? at + 2 : at + 1);
    }
    return at;
  }

  /** Behind one digit or more. */
  #digits(from: number): number {
    let at = from;
    while (isDigit[this.bytes[at] as number] === 1) at++;
    return at === from ? -1 : at;
  }

  #word(at: number, word: Buffer): number {
    for (let index = 0; index < word.length; index++) {
      if (this.bytes[at + index] !== word[index]) return -1;
    }
    return at + word.length;
  }
}

/** Finds what is known of a key. */
export class KeyTable<T extends { readonly key: Buffer }> {
  /** By the length of the key. */
  readonly #known: (readonly T[])[] = [];

  constructor(known: readonly T[]) {
    const longest = Math.max(0, ...known.map(({ key }) => key.length));
    for (let length = 0; length <= longest; length++) {
      this.#known.push(known.filter(({ key }) => key.length === length));
    }
  }

  /** Of the field that nextField found. */
  find(json: JsonScanner): T | undefined {
    const length = json.keyEnd - json.keyAt;
    if (length >= this.#known.length) return undefined;
    const known = this.#known[length] as readonly T[];
    for (let index = 0; index < known.length; index++) {
      const one = known[index] as T;
      if (json.isKey(one.key)) return one;
    }
    return undefined;
  }
}

/** A field of the objects of one sort. */
export interface NamedKey {
  readonly key: Buffer;
  /** A comma, the key in quotes, and a colon: as it mostly stands behind another field. */
  readonly token: Buffer;
}

export function namedKey(name: string): NamedKey {
  return { key: Buffer.from(name), token: Buffer.from(`,"${name}":`) };
}

/** Finds the known fields of objects, most of which have them in one order. */
export class FieldOrder<T extends NamedKey> {
  /** The field that was found; undefined when it is none of the known. */
  found: T | undefined;
  readonly #known: KeyTable<T>;
  readonly #order: (T | undefined)[] = [];

  constructor(known: KeyTable<T>) {
    this.#known = known;
  }

  /** As nextField, for the field with this index from 0. */
  next(json: JsonScanner, from: number, index: number): number {
    const expected = this.#order[index];
    if (expected) {
      const at = behindToken(json.bytes, from, expected.token, index === 0 ? 1 : 0);
      if (at > 0) {
        this.found = expected;
        return json.skipSpace(at);
      }
    }
    const value = json.nextField(from, index === 0);
    if (value < 0) return value;
    this.found = this.#known.find(json);
    if (index < mostExpected) this.#order[index] = this.found;
    return value;
  }
}

const mostExpected = 32;

/** Behind the rest of the token; -1 when it does not stand there. */
function behindToken(bytes: Uint8Array, from: number, token: Buffer, skipped: number): number {
  let at = from;
  for (let index = skipped; index < token.length; index++) {
    if (bytes[at++] !== token[index]) return -1;
  }
  return at;
}

const words = ['null', 'true', 'false'].map((word) => Buffer.from(word));
