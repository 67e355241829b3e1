/** Parses JSON; throws ParseFailure. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8 quotes the text around the fault: only the position may be used.
    const position = /at position (\d+)/.exec(String(error))?.[1];
    throw new ParseFailure('invalid JSON', linesBefore(text, Number(position ?? 0)));
  }
}

/** A text that is not what it should be. The message never quotes it: it may hold a Secret. */
export class ParseFailure extends Error {
  override readonly name = 'ParseFailure';
  /** Lines between the beginning of the text and the fault. */
  readonly lines: number;

  constructor(message: string, lines: number) {
    super(message);
    this.lines = lines;
  }
}

/** How many lines of a text lie in front of an offset. */
export function linesBefore(text: string, offset: number): number {
  const end = Math.min(offset, text.trimEnd().length);
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
