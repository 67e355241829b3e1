/** A text that is not what it should be. The message never quotes it: it may hold a Secret. */
export class ParseFailure extends Error {
  /** Lines between the beginning of the text and the fault. */
  readonly lines: number;

  constructor(message: string, text: string, offset: number) {
    super(message);
    this.name = 'ParseFailure';
    this.lines = lineBreaksIn(text, Math.min(offset, text.trimEnd().length));
  }
}

function lineBreaksIn(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
