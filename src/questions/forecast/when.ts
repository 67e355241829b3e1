import { humanDuration, humanDurationUp } from '../../kube/time.ts';
import type { ForecastItem } from './document.ts';

/** Nothing says that it happens: the time at which something likely happens may have no end. */
export function isOpen({
  confidence,
  notAfter,
}: Pick<ForecastItem, 'confidence' | 'notAfter'>): boolean {
  return confidence === 'unknown' || (confidence === 'likely' && notAfter === undefined);
}

/** `now`, `≤20s`, `in 25m`, `in 21h to 22h`, `after 5m`. */
export function forecastTime(
  item: Pick<ForecastItem, 'notBefore' | 'notAfter' | 'confidence' | 'overdue'>,
  now: number,
): string {
  const { notBefore, notAfter } = item;
  if (item.overdue) return 'overdue';
  const from = secondsUntil(notBefore, now);
  if (isOpen(item)) return from === 0 ? 'perhaps' : `after ${humanDuration(from)}`;
  if (notAfter === undefined) return from === 0 ? 'now' : `after ${humanDuration(from)}`;
  const to = secondsUntil(notAfter, now);
  if (to === 0) return 'now';
  if (from === 0) return `≤${humanDurationUp(to)}`;
  // What follows immediately differs by less than a second.
  if (to - from <= 1) return `in ${humanDuration(to)}`;
  const [start, end] = [humanDuration(from), humanDurationUp(to)];
  return start === end ? `in ${end}` : `in ${start} to ${end}`;
}

function secondsUntil(time: string, now: number): number {
  return Math.max(0, Math.ceil((Date.parse(time) - now) / 1000));
}
