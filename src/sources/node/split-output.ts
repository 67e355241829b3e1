/** What was found in saved output: JSON documents one after another, and the lines between them. */
export interface SplitOutput {
  readonly documents: readonly unknown[];
  readonly text: string;
  /** 1-based lines where a JSON document begins that is not one, or ends too soon. */
  readonly broken: readonly { readonly line: number; readonly why: string }[];
}

/** Takes saved output apart: a document begins at a `{` or `[` that starts a line. */
export function splitOutput(text: string): SplitOutput {
  const documents: unknown[] = [];
  const broken: { line: number; why: string }[] = [];
  const between: string[] = [];
  let at = 0;
  while (at < text.length) {
    const start = text.charAt(at);
    if (start !== '{' && start !== '[') {
      const end = lineEnd(text, at);
      between.push(text.slice(at, end));
      at = end + 1;
      continue;
    }
    const end = documentEnd(text, at);
    const line = lineOf(text, at);
    if (end === undefined) {
      broken.push({ line, why: 'it ends in the middle of a JSON document' });
      break;
    }
    try {
      documents.push(JSON.parse(text.slice(at, end)));
    } catch {
      broken.push({ line, why: 'what begins there is no JSON' });
    }
    at = end;
    while (/\s/.test(text.charAt(at))) at += 1;
  }
  return { documents, text: between.join('\n'), broken };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) {
    line += 1;
  }
  return line;
}

const structure = /["{}[\]]/g;
const stringEnd = /[\\"]/g;

/** Behind the bracket that closes the one at `start`; undefined when the text ends before. */
function documentEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let at = start;
  for (;;) {
    structure.lastIndex = at;
    const mark = structure.exec(text);
    if (!mark) return undefined;
    at = mark.index + 1;
    if (mark[0] === '{' || mark[0] === '[') depth += 1;
    else if (mark[0] !== '"') depth -= 1;
    else {
      const end = stringEndsAt(text, at);
      if (end === undefined) return undefined;
      at = end;
    }
    if (depth === 0) return at;
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
