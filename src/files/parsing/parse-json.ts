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
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    } else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > maxDepth) return at;
    } else if (character === '}' || character === ']') depth -= 1;
  }
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
export class NotText extends Error {
  override readonly name: string = 'NotText';
}

/** How many lines of text lie in front of an offset. */
export function linesBefore(text: string, offset: number): number {
  const end = Math.min(offset, text.trimEnd().length);
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** Cuts JSON values that stand one after the other into strings; what is left over is the last one. */
export function jsonValues(text: string): string[] {
  const values: string[] = [];
  let start = 0;
  for (;;) {
    const end = jsonEnd(text, start);
    if (end === undefined) break;
    values.push(text.slice(start, end));
    start = end;
  }
  const rest = text.slice(start);
  return rest.trim() === '' ? values : [...values, rest];
}

const structure = /["{}[\]]/g;
const stringEnd = /[\\"]/g;

/** Behind the bracket that closes the first one from `start` on; undefined when the text ends before. */
export function jsonEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let at = start;
  for (;;) {
    structure.lastIndex = at;
    const mark = structure.exec(text);
    if (!mark) return undefined;
    at = mark.index + 1;
    if (mark[0] === '"') {
      const end = stringEndsAt(text, at);
      if (end === undefined) return undefined;
      at = end;
      continue;
    }
    depth += mark[0] === '{' || mark[0] === '[' ? 1 : -1;
    if (depth <= 0) return at;
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
