import { usageError } from '../../errors.ts';
import { day } from '../../kube/time.ts';
import { parseGoDuration } from '../../syntax/go-syntax.ts';

/** Beyond it, the calendar of the clock ends. */
const longestRange = 100 * 365 * day;

/** `--within`: a duration as Go writes it, or whole days and weeks (`7d`, `2w`); in milliseconds. */
export function parseWithin(text: string, flag = '--within'): number {
  const [, amount, unit] = /^(\d+)([dw])$/.exec(text) ?? [];
  const within =
    amount === undefined ? parseGoDuration(text) : Number(amount) * (unit === 'w' ? 7 * day : day);
  if (within === undefined) {
    throw usageError(`${flag} "${text}" is not a duration`, [
      'Write it as in 7d, 24h, 90m or 30s.',
    ]);
  }
  if (within < 0) {
    throw usageError(`${flag} "${text}" is before now: this looks ahead`, [
      "The cluster's audit log shows what was deleted in the past.",
    ]);
  }
  if (within <= longestRange) return within;
  throw usageError(`${flag} "${text}" is more than a hundred years`, ['Give at most 876000h.']);
}
