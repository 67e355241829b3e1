import { setTimeout as sleep } from 'node:timers/promises';

/** Reads until what counts of it has stayed the same for so many seconds. */
export async function untilQuiet<T>(
  seconds: number,
  read: () => Promise<T>,
  whatCounts: (seen: T) => unknown = (seen) => seen,
): Promise<T> {
  let before = '';
  let since = performance.now();
  for (;;) {
    const seen = await read();
    const now = JSON.stringify(whatCounts(seen));
    if (now !== before) since = performance.now();
    before = now;
    if (performance.now() - since > seconds * 1000) return seen;
    await sleep(1000);
  }
}
