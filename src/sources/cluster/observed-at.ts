/** The latest of the server's times, else the given clock; RFC 3339. */
export function observedAtOf(
  serverTimes: readonly (string | undefined)[],
  now: () => Date = () => new Date(),
): string {
  let latest: string | undefined;
  for (const time of serverTimes) {
    if (time !== undefined && (latest === undefined || time > latest)) latest = time;
  }
  return latest ?? `${now().toISOString().slice(0, -5)}Z`;
}
