import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import { compareObjects, type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import type { Simulation } from '../../simulator/simulate.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type DocumentHead, headOf } from '../../snapshot/snapshot.ts';
import { inContentOrder } from './content-order.ts';
import type {
  DeletionIntent,
  Fate,
  Plan,
  PlanContext,
  PlannedCluster,
  PlanRemark,
} from './plan.ts';
import { planOf } from './plan-deletion.ts';

/** kubectl's words for --cascade. */
export const cascades = ['background', 'foreground', 'orphan'] as const;
export type Cascade = (typeof cascades)[number];

/** untouched: this policy leaves it as it is. */
export interface ComparedFate {
  readonly fate: Fate | 'untouched';
  /** What becomes of it once the finalizers are removed that others have set; unset where that is the same. */
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

/** Plans the same deletion with each policy; `intent` is asked for its targets and grace period only. */
export function comparePolicies(
  given: Snapshot,
  intent: Pick<DeletionIntent, 'targets' | 'gracePeriodSeconds'>,
  context: PlanContext,
): DeletionComparison {
  const snapshot = inContentOrder(given);
  let baseline: Simulation | undefined;
  const planFor = (cascade: Cascade): Plan => {
    const one: DeletionIntent = { ...intent, policy: policyOf[cascade], order: 'server' };
    const made = planOf(snapshot, one, context, baseline);
    baseline = made.baseline;
    return made.plan;
  };
  const plans = {
    background: planFor('background'),
    foreground: planFor('foreground'),
    orphan: planFor('orphan'),
  };
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
  return {
    background: answer('background'),
    foreground: answer('foreground'),
    orphan: answer('orphan'),
  };
}

/** Every fate with how many objects meet it, at once or then. */
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
  const named = [...targets].flatMap((key) => first.get(key) ?? []);
  const rest = [...first].flatMap(([key, object]) => (targets.has(key) ? [] : [object]));
  rest.sort((a, b) => a.wave - b.wave || compareObjects(a, b));
  return [...named, ...rest].map((entry) => {
    const { apiVersion, kind, namespace, name, uid } = entry;
    const key = objectKey(entry);
    return {
      object: { apiVersion, kind, namespace, name, uid },
      ...mapped((cascade) => fateIn(cascade, key)),
    };
  });
}

function comparedRemarks(plans: Plans): ComparedRemark[] {
  const remarks = new Map<string, { remark: PlanRemark; policies: Cascade[] }>();
  for (const cascade of cascades) {
    for (const remark of plans[cascade].remarks) {
      const key = `${remark.code} ${remark.message}`;
      const known = remarks.get(key);
      if (known) known.policies.push(cascade);
      else remarks.set(key, { remark, policies: [cascade] });
    }
  }
  return [...remarks.values()].map(({ remark, policies }) => ({ ...remark, policies }));
}
