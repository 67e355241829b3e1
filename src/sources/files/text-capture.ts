import { maxPieceBytes } from './piece.ts';

/** Collects the bytes of one piece across chunks, up to `maxPieceBytes`. */
export class TextCapture {
  #parts: Buffer[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get tooLarge(): boolean {
    return this.#bytes > maxPieceBytes;
  }

  add(chunk: Buffer, from: number, to: number): void {
    if (to <= from) return;
    this.#bytes += to - from;
    if (this.tooLarge) this.#parts = [];
    else this.#parts.push(chunk.subarray(from, to));
  }

  /** What was collected so far; '' when it was too large. */
  text(): string {
    const [only] = this.#parts;
    if (only && this.#parts.length === 1) return only.toString('utf8');
    return Buffer.concat(this.#parts).toString('utf8');
  }

  /** What was collected, leaving nothing. */
  take(): string {
    const text = this.text();
    this.clear();
    return text;
  }

  clear(): void {
    this.#parts = [];
    this.#bytes = 0;
  }
}
