const defaultSlots = 1 << 17;

/**
 * Makes strings of UTF-8 bytes, and one string of equal bytes seen again soon: namespaces,
 * label keys and owners' uids repeat thousands of times in a list. A slot remembers only the last
 * string that fell into it, so the pool never grows.
 */
export class StringPool {
  readonly #slots: (string | undefined)[];

  /** `slots` must be a power of two. */
  constructor(slots = defaultSlots) {
    this.#slots = new Array<string | undefined>(slots).fill(undefined);
  }

  /** For values that repeat. */
  shared(bytes: Buffer, start: number, end: number): string {
    let hash = 0x811c9dc5;
    let bits = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      bits |= byte;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    if (bits >= 0x80) return bytes.toString('utf8', start, end);
    const slot = (hash ^ (hash >>> 15)) & (this.#slots.length - 1);
    const known = this.#slots[slot];
    if (known !== undefined && isAsciiOf(known, bytes, start, end)) return known;
    const fresh = bytes.toString('latin1', start, end);
    this.#slots[slot] = fresh;
    return fresh;
  }

  /** For values that are unique in their list. */
  single(bytes: Buffer, start: number, end: number): string {
    for (let at = start; at < end; at++) {
      if ((bytes[at] as number) >= 0x80) return bytes.toString('utf8', start, end);
    }
    return bytes.toString('latin1', start, end);
  }
}

function isAsciiOf(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let at = start, index = 0; at < end; at++, index++) {
    if (text.charCodeAt(index) !== bytes[at]) return false;
  }
  return true;
}
