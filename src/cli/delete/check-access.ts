import { GcError } from '../../errors.ts';
import type { UnallowedDelete } from '../../executor/access-reviews.ts';
import type { Plan } from '../../plan/plan.ts';
import type { OpenedCluster } from '../input.ts';
import { writeErr } from '../streams.ts';

/** Asks the server before the first request whether all of them are permitted; throws where one is not. */
export async function checkAccess(plan: Plan, { client, types }: OpenedCluster): Promise<void> {
  const { accessReviews } = await import('../../executor/access-reviews.ts');
  const { unallowed, notes } = await accessReviews(client, plan.requests, types);
  for (const note of notes) writeErr(`Note: ${note}`);
  // What nobody could answer the server will, request by request.
  const denied = unallowed.filter(({ answer }) => answer === 'denied');
  const [first, ...more] = denied;
  if (!first) return;
  throw new GcError(`delete is not permitted on ${placeOf(first)}; nothing was sent`, {
    code: 'not-permitted',
    suggestions: [
      first.reason,
      ...more.slice(0, 9).map((each) => `Nor on ${placeOf(each)}.`),
      'See what is permitted: kubectl auth can-i --list.',
    ],
  });
}

function placeOf({ group, resource, namespace, name }: UnallowedDelete): string {
  const kind = group === '' ? resource : `${resource}.${group}`;
  const object = name === undefined ? kind : `${kind} "${name}"`;
  return namespace === '' ? object : `${object} in namespace "${namespace}"`;
}
