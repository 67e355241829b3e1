import { setTimeout as delay } from 'node:timers/promises';

/** Waits, and no longer than until the signal is aborted; never rejects. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** The wait after so many failures in a row (1: the first): doubled each time, and spread. */
export function backoff(failures: number, first: number, longest: number): number {
  const full = Math.min(first * 2 ** Math.min(failures - 1, 30), longest);
  return full * (0.5 + Math.random() / 2);
}
