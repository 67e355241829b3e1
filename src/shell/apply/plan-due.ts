import type {
  LeftAlone,
  Plan,
  Planned,
  PlannedCluster,
  PlannedObject,
  PlannedRequest,
} from '../../deletion/plan/plan.ts';
import { planDeletion } from '../../deletion/plan/plan-deletion.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { withProblems } from '../../perform/limits.ts';
import type { SeenSettings } from '../../settings/controller-settings.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { isolated } from '../../snapshot/isolated.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { OpenedCluster } from '../input/session.ts';
import { readNear } from '../plan/plan-on-cluster.ts';
import { contextOf } from '../plan/planning.ts';
import { readForPlan, sameObjects } from '../plan/read-for-plan.ts';
import { computing } from '../terminal/interruption.ts';

export interface DueWork {
  readonly record: ObjectRecord;
  readonly request: PlannedRequest;
  readonly because: string;
  readonly rule: string;
}

/** What a controller would do now, as it was found in one look at the cluster. */
export interface Work {
  readonly snapshot: Snapshot;
  readonly due: readonly DueWork[];
  readonly leftAlone: readonly LeftAlone[];
  /** What could not be read, and decides. */
  readonly problems: readonly CoverageProblem[];
}

/** What a plan is made for, beside what is read for it. */
interface PlanBasis {
  readonly where: PlannedCluster;
  readonly seen: SeenSettings;
}

/** What of a second look at the cluster was seen and agreed to before; nothing is added. */
export function approvedPart(
  again: Work,
  approved: Work,
): { readonly work: Work; readonly dropped: number } {
  const known = new Map(approved.due.map((one) => [one.record.uid, one]));
  const due = again.due.flatMap((one) => {
    const before = known.get(one.record.uid);
    if (before?.request.verb !== one.request.verb) return [];
    // What the server has rehearsed is what is sent; a status is about the generation seen then.
    const { patch } = one.request.patch?.subresource === 'status' ? before.request : one.request;
    return [{ ...one, request: { ...one.request, ...(patch && { patch }) } }];
  });
  const work = { ...again, due, leftAlone: approved.leftAlone };
  return { work, dropped: approved.due.length - due.length };
}

export async function planWorkOnCluster(
  cluster: OpenedCluster,
  work: Work,
  basis: PlanBasis,
): Promise<Planned> {
  const deleted = work.due.filter(isDeletion).map(({ record }) => record);
  if (deleted.length === 0) return planControllerWork(work.snapshot, work, basis);
  const near = await readNear(cluster, deleted);
  const { snapshot } = await readForPlan(cluster, deleted, near?.snapshot, basis.seen);
  return planControllerWork(snapshot, work, basis);
}

/** The plan of what is due: the controller's own requests, and all that follows from them. */
export function planControllerWork(
  snapshot: Snapshot,
  work: Work,
  { where, seen }: PlanBasis,
): Planned {
  const deleted = work.due.filter(isDeletion);
  const targets = sameObjects(
    snapshot,
    deleted.map(({ record }) => record),
  );
  const still = new Map(targets.map((record) => [record.uid, record]));
  // What is to be patched is in the snapshot that the decision was made on.
  const due = work.due.filter((one) => !isDeletion(one) || still.has(one.record.uid));
  const groups = [
    ...Map.groupBy(
      due.filter(isDeletion),
      ({ request }) => `${request.propagationPolicy} ${request.gracePeriodSeconds}`,
    ).values(),
  ];
  const context = contextOf(snapshot, where, seen);
  const plans = (groups.length > 0 ? groups : [[]]).map((group) =>
    computing(() =>
      isolated(snapshot, (known, same) => {
        const intent = intentOfGroup(group, still);
        return planDeletion(known, { ...intent, targets: same(intent.targets) }, context);
      }),
    ),
  );
  return { plan: asOneController(plans, due, work), snapshot, targets, context };
}

function isDeletion({ request }: DueWork): boolean {
  return request.verb === 'delete';
}

function intentOfGroup(group: readonly DueWork[], still: ReadonlyMap<string, ObjectRecord>) {
  const { gracePeriodSeconds, propagationPolicy: policy = 'Background' } = group[0]?.request ?? {};
  const targets = group.flatMap(({ record }) => still.get(record.uid) ?? []);
  return { targets, policy, gracePeriodSeconds };
}

/** The plans as one, with the controllers' own requests and reasons. */
function asOneController(plans: readonly Plan[], due: readonly DueWork[], work: Work): Plan {
  const [first] = plans;
  if (!first) throw new Error('there is a plan for each group of requests, and one for none');
  const reasons = new Map(due.map((one) => [one.record.uid, one]));
  const objects = new Map<string, PlannedObject>();
  for (const one of due) {
    if (isDeletion(one)) continue;
    const { record, because, rule } = one;
    const kept = { wave: 0, fate: 'kept', because, rule, blockedBy: [] } as const;
    objects.set(record.uid, { ...referenceTo(record), ...kept });
  }
  for (const object of plans.flatMap((plan) => plan.objects)) {
    const reason = reasons.get(object.uid);
    // Why it stays is said by what keeps it.
    const isOwn = reason && object.fate !== 'terminating' && object.fate !== 'unknown';
    const because = isOwn ? { because: reason.because, rule: reason.rule || object.rule } : {};
    const known = objects.get(object.uid);
    if (!known || (reason && object.wave === 0)) objects.set(object.uid, { ...object, ...because });
  }
  const problems = [...work.problems, ...plans.flatMap(({ coverage }) => coverage.problems)];
  const plan = {
    ...first,
    requests: due.map(({ request }) => request),
    objects: [...objects.values()].sort((a, b) => a.wave - b.wave),
    remarks: plans.flatMap(({ remarks }) => remarks),
    undetermined: plans.flatMap(({ undetermined }) => undetermined),
    leftAlone: work.leftAlone,
  };
  return withProblems(plan, problems);
}
