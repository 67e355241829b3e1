/** What the readers of documents use of Node's Buffer, where a page has none. */
class BrowserBuffer extends Uint8Array {
  override toString(encoding?: string, start = 0, end = this.length): string {
    const bytes = this.subarray(start, end);
    if (encoding !== 'latin1') return new TextDecoder().decode(bytes);
    return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  }
}

function concat(parts: readonly Uint8Array[]): BrowserBuffer {
  const whole = new BrowserBuffer(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const from = (text: string) => concat([new TextEncoder().encode(text)]);
const alloc = (size: number) => new BrowserBuffer(size);

globalThis.Buffer ??= { from, alloc, concat } as unknown as typeof Buffer;
