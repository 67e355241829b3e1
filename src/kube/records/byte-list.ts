/**
 * Is it the same in JSON, in the text of a set, and in a path: letters, digits, `-`, `.`, `_`, `/`, `:` and the like?
 * White space, a quote, a backslash, a bar and what is no ASCII are not.
 */
export function isPlain(text: string): boolean {
  return !/[\0- "\\|\x7f-\uffff]/.test(text);
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** Bytes that grow. */
export class ByteList {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
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

  text(): string {
    return decoder.decode(this.bytes.subarray(0, this.length));
  }

  /** Makes room for so many more. Whether there is some is asked where it is needed, millions of times. */
  #grow(count: number): void {
    const larger = new Uint8Array(2 * (this.length + count));
    larger.set(this.bytes);
    this.bytes = larger;
  }
}
