import { BodyTooLong } from './read-body.ts';

const newline = 0x0a;

/**
 * The lines of a body as they arrive, cut anywhere; holds one line at most and throws BodyTooLong
 * when one is longer than `longest` bytes. What stands behind the last newline is not complete.
 */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      parts.push(chunk.subarray(from, at));
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      length = 0;
      from = at + 1;
      if (line !== '') yield line;
    }
    if (from === chunk.length) continue;
    // A copy, so that a small rest does not keep a large chunk.
    parts.push(chunk.slice(from));
    length += chunk.length - from;
    if (length > longest) throw new BodyTooLong(`a line is longer than ${longest} bytes`);
  }
}
