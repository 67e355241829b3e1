/** To copy fewer bytes than this takes less time than to ask for it. */
const longestByHand = 128;

/** JSON while it is written, over what was written before. */
export class JsonBytes {
  bytes: Buffer = Buffer.alloc(0);
  length = 0;
  /** As much as must be free when something is written whose length is not known beforehand. */
  #reserve = 0;

  /** Begins another text, of which `reserve` bytes at most may be pushed and copied. */
  begin(reserve: number): void {
    this.length = 0;
    this.#reserve = reserve;
    this.#makeRoom(0);
  }

  push(byte: number): void {
    this.bytes[this.length++] = byte;
  }

  copy(from: Uint8Array, start: number, end: number): void {
    const { bytes } = this;
    let to = this.length;
    if (end - start > longestByHand) bytes.set(from.subarray(start, end), to);
    else for (let at = start; at < end; at++) bytes[to++] = from[at] as number;
    this.length += end - start;
  }

  /** Does not count against the reserve. */
  add(value: unknown): void {
    const text = JSON.stringify(value);
    this.#makeRoom(3 * text.length);
    this.length += this.bytes.write(text, this.length);
  }

  /** Until the next text begins. */
  written(): Buffer {
    if (this.length > this.bytes.length) throw new Error('more JSON than there is room for');
    return this.bytes.subarray(0, this.length);
  }

  #makeRoom(count: number): void {
    const needed = this.length + count + this.#reserve;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
