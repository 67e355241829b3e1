const start = /^==== START (logs for container .* of pod .*) ====$/;

/** `kubectl cluster-info dump` prints containers' logs between its lists: is this such a line? */
export function isContainerLogStart(line: string): boolean {
  return start.test(line);
}

/** The line, or the end of a line, that closes what `startLine` opened. */
export function containerLogEnd(startLine: string): string {
  return `==== END ${start.exec(startLine)?.[1] ?? ''} ====`;
}
