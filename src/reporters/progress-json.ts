import type { ProgressEvent } from '../plan/progress-event.ts';

/** One event as a line of JSON, its time first. */
export function progressJson(event: ProgressEvent): string {
  const { at, type, ...rest } = event;
  return JSON.stringify({ at, type, ...rest });
}
