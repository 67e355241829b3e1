/**
 * Is it the same in JSON, in the text of a set, and in a path: letters, digits, `-`, `.`, `_`, `/`, `:` and the like?
 * White space, a quote, a backslash, a bar and what is no ASCII are not.
 */
export function isPlain(text: string): boolean {
  return !/[\0- "\\|\x7f-\uffff]/.test(text);
}

const isPlainByte = Uint8Array.from({ length: 256 }, (_, code) =>
  isPlain(String.fromCharCode(code)) ? 1 : 0,
);
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** To copy fewer bytes than this takes less time than to ask for it. */
const longestByHand = 128;

/** Bytes that grow. */
export class ByteList {
  bytes: Uint8Array;
  view: DataView;
  length = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  push(byte: number): void {
    if (this.length === this.bytes.length) this.#grow(1);
    this.bytes[this.length++] = byte;
  }

  /** In UTF-8. */
  addText(text: string): void {
    if (this.length + 3 * text.length > this.bytes.length) this.#grow(3 * text.length);
    const { bytes, length } = this;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 0x80) {
        this.length = length + encoder.encodeInto(text, bytes.subarray(length)).written;
        return;
      }
      bytes[length + at] = code;
    }
    this.length = length + text.length;
  }

  add(from: Uint8Array, start: number, end: number): void {
    if (this.length + end - start > this.bytes.length) this.#grow(end - start);
    const { bytes } = this;
    let { length } = this;
    if (end - start > longestByHand) bytes.set(from.subarray(start, end), length);
    else for (let at = start; at < end; at++) bytes[length++] = from[at] as number;
    this.length += end - start;
  }

  /** The same of bytes that more often are many: eight at a time. */
  addFrom(from: DataView, start: number, end: number): void {
    if (this.length + end - start > this.bytes.length) this.#grow(end - start);
    const { view } = this;
    let { length } = this;
    let at = start;
    // No BigInt is made of them.
    for (; at + 8 <= end; at += 8, length += 8) view.setBigUint64(length, from.getBigUint64(at));
    for (; at < end; at++, length++) view.setUint8(length, from.getUint8(at));
    this.length = length;
  }

  /** False where there is one that is not plain. */
  addPlain(from: Uint8Array, start: number, end: number): boolean {
    if (this.length + end - start > this.bytes.length) this.#grow(end - start);
    const { bytes } = this;
    let { length } = this;
    for (let at = start; at < end; at++) {
      const byte = from[at] as number;
      if (isPlainByte[byte] === 0) return false;
      bytes[length++] = byte;
    }
    this.length = length;
    return true;
  }

  text(): string {
    return decoder.decode(this.bytes.subarray(0, this.length));
  }

  /** Makes room for so many more. Whether there is some is asked where it is needed, millions of times. */
  #grow(count: number): void {
    const larger = new Uint8Array(2 * (this.length + count));
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}

/** Short text of plain bytes. */
export function plainText(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}
