const fewest = 16;

/** A list of whole numbers that grows: four bytes each. */
export class NumberList {
  #numbers = new Int32Array(fewest);
  length = 0;

  push(value: number): void {
    if (this.length === this.#numbers.length) {
      const larger = new Int32Array(this.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.length++] = value;
  }

  at(index: number): number {
    return this.#numbers[index] as number;
  }

  set(index: number, value: number): void {
    this.#numbers[index] = value;
  }
}

/** Numbers of entries by the hash of what they are found by: sixteen to thirty bytes each. */
export class HashTable {
  /** Pairs: number of the entry plus one, and its hash; 0 where free. */
  #slots: Int32Array;
  #count = 0;

  /** `expected`: so many entries it will have at least. */
  constructor(expected = 0) {
    let length = 2 * fewest;
    while (length <= 3 * expected) length *= 2;
    this.#slots = new Int32Array(length);
  }

  /** The entry with this hash of which `isSame` holds; -1 when there is none. */
  find(hash: number, isSame: (entry: number) => boolean): number {
    const slots = this.#slots;
    const mask = slots.length - 2;
    for (let at = (hash << 1) & mask; ; at = (at + 2) & mask) {
      const entry = (slots[at] as number) - 1;
      if (entry < 0) return -1;
      if (slots[at + 1] === hash && isSame(entry)) return entry;
    }
  }

  /** `hash` is one of 32 bits with a sign; what is added is not there yet. */
  add(hash: number, entry: number): void {
    if (this.#count * 3 >= this.#slots.length) this.#grow();
    this.#count++;
    this.#put(hash, entry + 1);
  }

  #put(hash: number, value: number): void {
    const slots = this.#slots;
    const mask = slots.length - 2;
    let at = (hash << 1) & mask;
    while (slots[at] !== 0) at = (at + 2) & mask;
    slots[at] = value;
    slots[at + 1] = hash;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(before.length * 2);
    for (let at = 0; at < before.length; at += 2) {
      const value = before[at] as number;
      if (value !== 0) this.#put(before[at + 1] as number, value);
    }
  }
}

/** A hash of 32 bits with a sign, of a text and what stands in front of it. */
export function hashOf(text: string, before: number): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash, 31) + text.charCodeAt(at);
  return mixed(hash);
}

/** Every bit of the result depends on every bit of the hash. */
export function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return half ^ (half >>> 15);
}
