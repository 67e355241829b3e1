import { DASH, DOT, HASH, NEWLINE, RETURN, SPACE, TAB } from '../../kube/ascii.ts';

/** The text of one line, without its end. */
export function lineText(chunk: Buffer, start: number, newline: number): string {
  const end = chunk[newline - 1] === RETURN && newline > start ? newline - 1 : newline;
  return chunk.toString('utf8', start, end);
}

/** `---` or `...`, alone or with something behind a blank. */
export function isDocumentMarker(chunk: Buffer, start: number): boolean {
  const mark = chunk[start];
  if (mark !== DASH && mark !== DOT) return false;
  return chunk[start + 1] === mark && chunk[start + 2] === mark && isBlank(chunk[start + 3]);
}

/** Neither indented, nor empty, nor a comment. */
export function startsAtMargin(chunk: Buffer, start: number): boolean {
  const byte = chunk[start];
  return !isBlank(byte) && byte !== HASH;
}

/** How far the dash of a list entry is indented; undefined when the line begins with something else. */
export function entryIndent(chunk: Buffer, start: number): number | undefined {
  let at = start;
  while (chunk[at] === SPACE) at++;
  return chunk[at] === DASH && isBlank(chunk[at + 1]) ? at - start : undefined;
}

/** Empty, or nothing but a comment. */
export function isEmptyLine(chunk: Buffer, start: number): boolean {
  let at = start;
  while (chunk[at] === SPACE || chunk[at] === TAB || chunk[at] === RETURN) at++;
  return chunk[at] === NEWLINE || chunk[at] === HASH;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;
}

const start = /^==== START (logs for container .* of pod .*) ====$/;

/** `kubectl cluster-info dump` prints containers' logs between its lists: is this such a line? */
export function isContainerLogStart(line: string): boolean {
  return start.test(line);
}

/** The line, or the end of a line, that closes what `startLine` opened. */
export function containerLogEnd(startLine: string): string {
  return `==== END ${start.exec(startLine)?.[1] ?? ''} ====`;
}
