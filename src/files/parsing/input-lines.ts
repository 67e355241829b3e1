/** A line without its end. */
export function withoutBreak(line: string): string {
  return line.replace(/\r?\n$/, '');
}

/** `---` or `...`, alone or with something behind a blank. */
export function isDocumentMarker(line: string): boolean {
  return /^(?:---|\.\.\.)[ \t\r\n]/.test(line);
}

/** Empty, or nothing but a comment. */
export function isEmptyLine(line: string): boolean {
  return /^[ \t\r]*[\n#]/.test(line);
}

const logStart = /^==== START (logs for container .* of pod .*) ====$/;

/** `kubectl cluster-info dump` prints containers' logs between its lists: is this such a line? */
export function isContainerLogStart(line: string): boolean {
  return logStart.test(line);
}

/** The line, or the end of a line, that closes what `startLine` opened. */
export function containerLogEnd(startLine: string): string {
  return `==== END ${logStart.exec(startLine)?.[1] ?? ''} ====`;
}
