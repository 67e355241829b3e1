import { ByteList } from './byte-list.ts';

/** A power of two. */
const slots = 4096;

/**
 * Remembers which number stands for some bytes. Of two that fall into one slot it knows the later one: what it
 * does not know costs time, and nothing else.
 */
export class ByteMemo {
  /** By slot: where its bytes begin, how many they are, their number from 1; 0: none. */
  readonly #slots = new Int32Array(3 * slots);
  readonly #known = new ByteList(16 * 1024);
  /** Of what was sought last. */
  #slot = 0;

  /** The number of the bytes from `start` to `end`; 0 when it is not known. */
  find(view: DataView, start: number, end: number): number {
    // Objects that lie side by side are often alike.
    const last = this.#numberIn(this.#slot, view, start, end);
    if (last > 0) return last;
    const slot = 3 * (hashOf(view, start, end) & (slots - 1));
    this.#slot = slot;
    return this.#numberIn(slot, view, start, end);
  }

  #numberIn(slot: number, view: DataView, start: number, end: number): number {
    const number = this.#slots[slot + 2] as number;
    if (number === 0 || this.#slots[slot + 1] !== end - start) return 0;
    return areEqual(view, start, end, this.#known.view, this.#slots[slot] as number) ? number : 0;
  }

  /** The number of the bytes that were sought last. */
  add(view: DataView, start: number, end: number, number: number): void {
    this.#slots[this.#slot] = this.#known.length;
    this.#slots[this.#slot + 1] = end - start;
    this.#slots[this.#slot + 2] = number;
    this.#known.addFrom(view, start, end);
  }
}

/** Four bytes at a time. */
function hashOf(view: DataView, start: number, end: number): number {
  let hash = end - start;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at, true), 0x45d9f3b);
    hash ^= hash >>> 15;
  }
  for (; at < end; at++) hash = Math.imul(hash ^ view.getUint8(at), 0x45d9f3b);
  return hash ^ (hash >>> 15);
}

function areEqual(
  a: DataView,
  start: number,
  end: number,
  b: DataView,
  otherStart: number,
): boolean {
  let at = start;
  let other = otherStart;
  // Eight bytes at a time; no BigInt is made of them.
  for (; at + 8 <= end; at += 8, other += 8) {
    if (a.getBigUint64(at) !== b.getBigUint64(other)) return false;
  }
  for (; at < end; at++, other++) if (a.getUint8(at) !== b.getUint8(other)) return false;
  return true;
}
