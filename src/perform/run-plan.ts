import { goesThen } from '../deletion/plan/going.ts';
import type { Plan, PlannedObject } from '../deletion/plan/plan.ts';
import { namesNamespace } from '../kube/well-known-kinds.ts';
import { Account } from './account.ts';
import type { Manner, PlanCluster, Talk } from './manner.ts';
import { execute } from './send/execute.ts';

const controllerConcurrency = 8;

/** Sends the requests of a plan, follows its objects to their end and tells each event; answers the account. */
export async function runPlan(
  plan: Plan,
  { client, types }: PlanCluster,
  { wait, timeout, useResourceVersion, asController, rehearses }: Manner,
  { tell }: Pick<Talk, 'tell'>,
  signal: AbortSignal,
): Promise<Account> {
  const awaited = asController ? { plan, held: new Set<string>() } : awaitingTargets(plan);
  const remade = remadeObjects(plan);
  const account = new Account(plan);
  const events = execute(awaited.plan, client, types, {
    wait,
    timeoutMs: timeout,
    signal,
    useResourceVersion,
    now: () => Date.now(),
    ...(asController && { concurrency: controllerConcurrency, dryRun: rehearses }),
  });
  let expected = 0;
  for await (const given of events) {
    // That a finalizer holds it, or that another is made, is what the plan said.
    const isPlanned =
      given.type === 'difference' &&
      (given.observed === 'recreated' ? remade : awaited.held).has(given.object.uid);
    if (isPlanned) {
      expected += 1;
      continue;
    }
    const event =
      given.type === 'done' ? { ...given, differences: given.differences - expected } : given;
    account.note(event);
    await tell({ event, account });
  }
  return account;
}

/**
 * The plan as it is to be waited for. What was asked for is waited for even where a finalizer holds
 * it, as kubectl does: the program that removes the finalizer may be at work. So is what goes once what
 * was asked for is let go. `held` are the uids of all these.
 */
function awaitingTargets(plan: Plan): { readonly plan: Plan; readonly held: Set<string> } {
  const requested = new Set(plan.requests.map(({ uid }) => uid));
  const held = new Set<string>();
  const isAwaited = (object: PlannedObject) => {
    const { uid, fate, waitsFor = [] } = object;
    if (requested.has(uid)) return fate === 'terminating' || fate === 'unknown' || goesThen(object);
    return goesThen(object) && waitsFor.every(({ object: holder }) => requested.has(holder.uid));
  };
  const objects = plan.objects.map((object) => {
    // Whether it goes depends on a program that may not run.
    if (object.likely) return { ...object, fate: 'unknown' as const };
    if (!isAwaited(object)) return object;
    held.add(object.uid);
    return { ...object, fate: object.then === 'recreated' ? object.then : ('deleted' as const) };
  });
  return { plan: { ...plan, objects }, held };
}

/**
 * uids of what may be made again without being a surprise: a remark has said so, or the namespace
 * goes in which it was made, and with it what was made.
 * @internal
 */
export function remadeObjects({ objects, remarks }: Plan): Set<string> {
  const uids = new Set(
    remarks.flatMap((remark) =>
      remark.code === 'recreated' ? remark.objects.map(({ uid }) => uid) : [],
    ),
  );
  const namespaces = new Set(
    objects.flatMap((object) =>
      namesNamespace(object) && object.fate === 'deleted' ? [object.name] : [],
    ),
  );
  for (const { namespace, uid } of objects) if (namespaces.has(namespace)) uids.add(uid);
  return uids;
}
