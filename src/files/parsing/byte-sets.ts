/** The bytes of a set have a 1. */
export type ByteSet = Uint8Array;

/** The ASCII characters that match. */
export function bytesOf(pattern: RegExp): ByteSet {
  return setOf((character) => pattern.test(character));
}

/** Control characters, line breaks and tabs among them, and these ASCII characters. */
export function controlsAnd(others: string): ByteSet {
  return setOf(
    (character) => character < ' ' || character === '\x7f' || others.includes(character),
  );
}

function setOf(has: (character: string) => boolean): ByteSet {
  return Uint8Array.from({ length: 256 }, (_, code) =>
    code < 0x80 && has(String.fromCharCode(code)) ? 1 : 0,
  );
}
