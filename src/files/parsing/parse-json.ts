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

/** What this program writes is far from it; each level takes some of the stack. */
const maxDepth = 500;

/** Parses a JSON document that is walked as a whole; throws ParseFailure also where it is nested too deeply. */
export function parseJsonDocument(text: string): unknown {
  const at = placeOfDepth(text);
  if (at !== undefined) {
    throw new ParseFailure('invalid JSON: it is nested too deeply', linesBefore(text, at));
  }
  return parseJson(text);
}

/** Where brackets and braces get deeper than they may. */
function placeOfDepth(text: string): number | undefined {
  for (const { at, depth } of brackets(text, 0)) if (depth > maxDepth) return at;
  return undefined;
}

/** Input that is not what it should be. The message never quotes it: it may hold a Secret. */
export class ParseFailure extends Error {
  override readonly name = 'ParseFailure';
  /** Lines between the beginning of the text and the fault. */
  readonly lines: number;

  constructor(message: string, lines: number) {
    super(message);
    this.lines = lines;
  }
}

/** Nothing in the input can be read as text. */
export class UnreadableInput extends Error {
  override readonly name: string = 'UnreadableInput';
}

/** How many lines of text lie in front of an offset. */
export function linesBefore(text: string, offset: number): number {
  const end = Math.min(offset, text.trimEnd().length);
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** Behind the bracket that closes the first one from `start` on; undefined when the text ends before. */
export function jsonEnd(text: string, start: number): number | undefined {
  for (const { at, depth } of brackets(text, start)) if (depth <= 0) return at + 1;
  return undefined;
}

const structure = /["{}[\]]/g;
const stringEnd = /[\\"]/g;

/** The brackets and braces from `start` on that stand outside of strings, and how many are open behind each. */
function* brackets(text: string, start: number): Generator<{ at: number; depth: number }, void> {
  let depth = 0;
  let next: number | undefined = start;
  while (next !== undefined) {
    structure.lastIndex = next;
    const mark = structure.exec(text);
    if (!mark) return;
    const at = mark.index;
    if (mark[0] === '"') next = stringEndsAt(text, at + 1);
    else {
      depth += mark[0] === '{' || mark[0] === '[' ? 1 : -1;
      yield { at, depth };
      next = at + 1;
    }
  }
}

function stringEndsAt(text: string, start: number): number | undefined {
  let at = start;
  for (;;) {
    stringEnd.lastIndex = at;
    const mark = stringEnd.exec(text);
    if (!mark) return undefined;
    if (mark[0] === '"') return mark.index + 1;
    at = mark.index + 2;
  }
}
