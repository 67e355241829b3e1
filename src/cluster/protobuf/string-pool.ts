/** Enough for the lists of one namespace; more would take longer to make than to use. */
const firstSlots = 1 << 10;
const mostSlots = 1 << 17;

/**
 * Makes strings of UTF-8 bytes, and one string of equal bytes seen again soon: namespaces,
 * label keys and owners' uids repeat thousands of times in a list. A slot remembers only the last
 * string that fell into it, so the pool does not grow beyond its slots.
 */
export class StringPool {
  readonly #most: number;
  #slots: (string | undefined)[];
  #made = 0;

  /** `most` slots; it must be a power of two. */
  constructor(most = mostSlots) {
    this.#most = most;
    this.#slots = emptySlots(Math.min(firstSlots, most));
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
    this.#made += 1;
    if (this.#made > this.#slots.length) this.#grow();
    return fresh;
  }

  /** For values that are unique in their list. */
  single(bytes: Buffer, start: number, end: number): string {
    for (let at = start; at < end; at++) {
      if ((bytes[at] as number) >= 0x80) return bytes.toString('utf8', start, end);
    }
    return bytes.toString('latin1', start, end);
  }

  /** What it remembers is forgotten: few strings are made a second time. */
  #grow(): void {
    const slots = Math.min(this.#slots.length * 16, this.#most);
    if (slots > this.#slots.length) this.#slots = emptySlots(slots);
  }
}

function emptySlots(count: number): (string | undefined)[] {
  return new Array<string | undefined>(count).fill(undefined);
}

function isAsciiOf(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let at = start, index = 0; at < end; at++, index++) {
    if (text.charCodeAt(index) !== bytes[at]) return false;
  }
  return true;
}
