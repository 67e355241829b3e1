/** 1: as it is in JSON, in the text of a set, and in a path: letters, digits, `-`, `.`, `_`, `/`, `:` and the like. */
const isPlain = new Uint8Array(256);
for (let code = 0x21; code < 0x7f; code++) {
  isPlain[code] = '"\\|'.includes(String.fromCharCode(code)) ? 0 : 1;
}
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

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
    this.#makeRoom(1);
    this.bytes[this.length++] = byte;
  }

  /** In UTF-8. */
  addText(text: string): void {
    this.#makeRoom(3 * text.length);
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
    this.#makeRoom(end - start);
    const { bytes } = this;
    let { length } = this;
    for (let at = start; at < end; at++) bytes[length++] = from[at] as number;
    this.length = length;
  }

  /** False where there is one that is not plain: white space, a quote, a backslash, a bar, or no ASCII. */
  addPlain(from: Uint8Array, start: number, end: number): boolean {
    this.#makeRoom(end - start);
    const { bytes } = this;
    let { length } = this;
    for (let at = start; at < end; at++) {
      const byte = from[at] as number;
      if (isPlain[byte] === 0) return false;
      bytes[length++] = byte;
    }
    this.length = length;
    return true;
  }

  text(): string {
    return decoder.decode(this.bytes.subarray(0, this.length));
  }

  #makeRoom(count: number): void {
    const length = this.length + count;
    if (length <= this.bytes.length) return;
    const larger = new Uint8Array(2 * length);
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}

/** Short text of plain bytes. */
export function plainText(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}
