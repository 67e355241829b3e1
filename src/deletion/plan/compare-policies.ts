import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import { type DocumentHead, headOf, type Snapshot } from '../../snapshot/snapshot.ts';
import type {
  DeletionIntent,
  Fate,
  Plan,
  PlanContext,
  Planned,
  PlannedCluster,
  PlanRemark,
} from './plan.ts';
import { inPlanOrder, planPlayed } from './plan-deletion.ts';
import { type PlayedDeletion, playDeletion } from './play/play-deletion.ts';

/** kubectl's words for --cascade. */
export const cascades = ['background', 'foreground', 'orphan'] as const;
export type Cascade = (typeof cascades)[number];

/** untouched: this policy leaves it as it is. */
export interface ComparedFate {
  readonly fate: Fate | 'untouched';
  /** What becomes of it once the finalizers are removed that it waits for; unset where that is the same. */
  readonly then?: Fate;
  /** As in a plan. */
  readonly likely?: true;
  readonly because: string;
}

export interface ComparedObject extends Readonly<Record<Cascade, ComparedFate>> {
  readonly object: ObjectReference;
}

/** A remark, and which policies it is about. */
export interface ComparedRemark extends PlanRemark {
  readonly policies: readonly Cascade[];
}

/** What each propagation policy does to the same targets, side by side. */
export interface DeletionComparison extends DocumentHead<'DeletionComparison'> {
  readonly cluster: PlannedCluster;
  /** RFC 3339. */
  readonly createdAt: string;
  /** How many objects meet which fate in the end. */
  readonly policies: Readonly<Record<Cascade, Readonly<Record<Fate, number>>>>;
  /** What at least one policy touches, the targets first. */
  readonly objects: readonly ComparedObject[];
  readonly remarks: readonly ComparedRemark[];
}

const policyOf: Readonly<Record<Cascade, PropagationPolicy>> = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
};

/** With one of the policies, the deletion was planned already. */
type KnownPlan = Pick<DeletionIntent, 'policy'> & Pick<Planned, 'plan' | 'remarksOn'>;

/** Plans the same deletion with each policy; `intent` is asked for its targets and grace period only. */
export function comparePolicies(
  snapshot: Snapshot,
  intent: Omit<DeletionIntent, 'policy'>,
  context: PlanContext,
  known?: KnownPlan,
): DeletionComparison {
  let before: PlayedDeletion | undefined;
  const planFor = (cascade: Cascade): Plan => {
    const policy = policyOf[cascade];
    if (known?.policy === policy) return known.plan;
    const asked = { ...intent, policy };
    before = playDeletion(snapshot, asked, context, before);
    const plan = planPlayed(snapshot, before, asked, context);
    return { ...plan, remarks: [...plan.remarks, ...(known?.remarksOn?.(plan) ?? [])] };
  };
  const plans = mapped(planFor);
  return {
    ...headOf('DeletionComparison', snapshot),
    coverage: plans.background.coverage,
    cluster: context.cluster,
    createdAt: timestampOf(context.now),
    policies: mapped((cascade) => countsOf(plans[cascade])),
    objects: comparedObjects(plans),
    remarks: comparedRemarks(plans),
  };
}

type Plans = Readonly<Record<Cascade, Plan>>;

function mapped<T>(answer: (cascade: Cascade) => T): Record<Cascade, T> {
  const answers = cascades.map((cascade) => [cascade, answer(cascade)]);
  return Object.fromEntries(answers) as Record<Cascade, T>;
}

/** By fate: the number of objects, counting the end after finalizers are removed. */
function countsOf({ objects }: Plan): Record<Fate, number> {
  const counts = { deleted: 0, recreated: 0, orphaned: 0, kept: 0, terminating: 0, unknown: 0 };
  for (const { fate, then = fate } of objects) counts[then]++;
  return counts;
}

const untouched: ComparedFate = { fate: 'untouched', because: 'nothing happens to it' };

function comparedObjects(plans: Plans): ComparedObject[] {
  const fates = mapped(
    (cascade) => new Map(plans[cascade].objects.map((object) => [objectKey(object), object])),
  );
  const fateIn = (cascade: Cascade, key: string): ComparedFate => {
    const found = fates[cascade].get(key);
    if (!found) return untouched;
    const { fate, then, likely, because } = found;
    return { fate, ...(then && { then }), ...(likely && { likely }), because };
  };
  const targets = new Set(plans.background.requests.map(objectKey));
  const first = new Map<string, ObjectReference & { readonly wave: number }>();
  for (const cascade of cascades) {
    for (const [key, object] of fates[cascade]) if (!first.has(key)) first.set(key, object);
  }
  return inPlanOrder(first, targets).map((object) => ({
    object: referenceTo(object),
    ...mapped((cascade) => fateIn(cascade, objectKey(object))),
  }));
}

function comparedRemarks(plans: Plans): ComparedRemark[] {
  const all = cascades.flatMap((cascade) =>
    plans[cascade].remarks.map((remark) => ({ ...remark, policies: [cascade] })),
  );
  const same = Map.groupBy(all, ({ code, message }) => `${code} ${message}`);
  return [...same.values()].flatMap(([first, ...rest]) =>
    first ? { ...first, policies: [first, ...rest].flatMap(({ policies }) => policies) } : [],
  );
}
