import type { Plan } from '../deletion/plan/plan.ts';
import { planDifference } from '../deletion/plan/plan-difference.ts';
import { unreadOf } from '../deletion/plan/unread-content.ts';
import { GcError, type Suggestion } from '../errors.ts';
import type { Limits } from './limits.ts';

/** Throws where a plan that was shown, or saved, would not be made again. `next`: what to do then. */
export function refuseMoved(
  before: Plan,
  now: Plan,
  name: string,
  gapLines: Limits['gapLines'],
  next: readonly Suggestion[] = [],
): void {
  const { words } = planDifference(before, now);
  if (words.length === 0) return;
  // What cannot be read looks as if the deletion did not touch it any more.
  const unread = gapLines(unreadOf(now));
  const what =
    unread.length === 0
      ? `the cluster has moved since ${name} was made`
      : `the cluster is not as in ${name}, as far as it could be read`;
  throw new GcError(`${what}; nothing was sent`, {
    code: 'moved',
    suggestions: [
      ...words.slice(0, 20),
      ...(words.length > 20 ? [`… and ${words.length - 20} more`] : []),
      ...unread,
      ...next,
    ],
  });
}
