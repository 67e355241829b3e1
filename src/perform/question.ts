import type { Plan, Planned } from '../deletion/plan/plan.ts';
import { disappearingIn, lostDataOf, mayDeleteMore } from '../deletion/plan/plan-totals.ts';
import { counted } from '../kube/counts-by-kind.ts';
import { isBeingDeleted } from '../kube/object-record.ts';
import { namesContainer } from '../kube/well-known-kinds.ts';

/** More objects than this are not deleted by a single key. */
const mostByKey = 100;

/** What to ask, and the word to type where a y is too easily given. */
export interface Question {
  readonly question: string;
  readonly word: string | undefined;
}

/**
 * The question before a plan is performed. The word to type is the name of a Namespace or of a
 * CustomResourceDefinition, else the number of deleted objects. Objects that are being deleted already are not asked about,
 * unless the requests change how they end. Undefined: no question is needed.
 */
export function questionOf(
  { plan, snapshot }: Pick<Planned, 'plan' | 'snapshot'>,
  changesEnd: boolean,
): Question | undefined {
  const { objects, requests } = plan;
  const leaving = new Set(
    changesEnd ? [] : snapshot.records.filter(isBeingDeleted).map(({ uid }) => uid),
  );
  const all = disappearingIn({ objects });
  const going = all.filter(({ uid }) => !leaving.has(uid));
  const patched = requests.filter(({ verb }) => verb === 'patch').length;
  if (going.length === 0 && patched === 0) return undefined;
  const parts = [
    ...(going.length > 0 ? [`delete ${atLeast(plan, going.length)}`] : []),
    ...(patched > 0 ? [`change ${count(patched)}`] : []),
  ].join(' and ');
  const already = all.length - going.length;
  const data = going.length > 0 ? lostDataOf(plan) : '';
  const along = data === '' ? '' : `, with ${data}`;
  const note = already > 0 ? ` (${already} more being deleted already)` : '';
  const wide = requests
    .filter(({ uid, verb }) => verb === 'delete' && !leaving.has(uid))
    .filter(namesContainer);
  const [only, ...others] = wide;
  const isMany = going.length > mostByKey || others.length > 0;
  return {
    question: `${parts.charAt(0).toUpperCase()}${parts.slice(1)}${note}${along}?`,
    word: isMany ? String(going.length) : only?.name,
  };
}

/** What could not be read may hold more. */
function atLeast(plan: Plan, objects: number): string {
  return mayDeleteMore(plan) ? `at least ${counted(objects, 'object')}` : count(objects);
}

function count(objects: number): string {
  return objects === 1 ? 'this object' : `these ${objects} objects`;
}
