import type { Plan } from '../../plan/plan.ts';

/**
 * The plan as it is to be waited for. What was asked for is waited for even where a finalizer holds
 * it, as kubectl does: whoever removes the finalizer may be at work. `held` are the uids of these.
 */
export function awaitingTargets(plan: Plan): { readonly plan: Plan; readonly held: Set<string> } {
  const requested = new Set(plan.requests.map(({ uid }) => uid));
  const held = new Set<string>();
  const objects = plan.objects.map((object) => {
    const { uid, fate } = object;
    if (!requested.has(uid) || (fate !== 'terminating' && fate !== 'unknown')) return object;
    held.add(uid);
    return { ...object, fate: 'deleted' as const };
  });
  return { plan: { ...plan, objects }, held };
}
