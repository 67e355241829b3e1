import { isForeign } from '../deletion/plan/blocking-finalizers.ts';
import { disappearingIn } from '../deletion/plan/disappearing.ts';
import type { Plan } from '../deletion/plan/plan.ts';
import { planDeletion } from '../deletion/plan/plan-deletion.ts';
import { mayGoWith } from '../deletion/plan/relations.ts';
import { mayDeleteMore } from '../deletion/plan/unread-in-plan.ts';
import { counted, countsByKind } from '../kube/counts-by-kind.ts';
import { isLabelledProtected } from '../kube/deletion-approval.ts';
import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { inWords, type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import { nodeServedBy } from '../kube/pod-use.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace } from '../kube/well-known-kinds.ts';
import { guardedIn, protectedIn } from '../perform/limits.ts';
import { remarkLines, summaryLines } from '../questions/delete/plan-words.ts';
import { effectivePolicy } from '../simulator/api-server/delete-object.ts';
import type { DeleteOptions } from '../simulator/api-server/request.ts';
import { besideThePlan, deletionPart } from './deletion-part.ts';
import type { KnownCluster } from './watched-cluster.ts';

/** What a deletion does, as far as rules and warnings look at it. */
export interface Judgement {
  /** How many objects may be deleted, the one that is asked for included: an upper bound of what was read. */
  readonly objects: number;
  /** `3 Pods, 1 ReplicaSet` */
  readonly kinds: string;
  /** Was something not read that may hold more, or did it take too long to play the deletion? */
  readonly isExact: boolean;
  /** What to say, what weighs most first; empty: nothing but the object is deleted. */
  readonly lines: readonly string[];
  readonly isNamespace: boolean;
  /** Instances of the definition that is deleted. */
  readonly instances: number;
  readonly losesVolumes: boolean;
  /** One of the objects that would be deleted and are protected, in words. */
  readonly protectedObject: string | undefined;
  /** Does it leave objects that wait for a program that would be deleted? */
  readonly leavesWithoutProgram: boolean;
}

/** To play more objects than this would take longer than a DELETE may wait. */
const mostPlayed = 6_000;

interface JudgementOptions {
  readonly now: number;
  /** Is there time to play it? */
  readonly mayPlay: boolean;
  /** Up to how many objects a namespace is looked at as a whole. */
  readonly largest?: number;
}

/** Judges the deletion of one object. */
export function judgeDeletion(
  cluster: KnownCluster,
  target: ObjectRecord,
  options: DeleteOptions,
  { now, mayPlay, largest }: JudgementOptions,
): Judgement {
  const part = deletionPart(cluster, target, largest);
  if (!mayPlay || part.size > mostPlayed) return counting(cluster, part, target);
  const snapshot = cluster.snapshotOf(part);
  const intent = {
    targets: [target],
    policy: effectivePolicy(target, options),
    gracePeriodSeconds: options.gracePeriodSeconds,
  };
  const context = {
    now,
    settings: {},
    cluster: { server: '', uid: '' },
    // A DELETE waits for a second at most, and others wait behind it.
    inUsualOrders: true as const,
    ...besideThePlan(cluster, part),
  };
  const plan = planDeletion(snapshot, intent, context);
  return ofPlan(plan, part, target);
}

const plainOptions = { colour: false, width: undefined, now: 0 };

function ofPlan(plan: Plan, part: ReadonlySet<ObjectRecord>, target: ObjectRecord): Judgement {
  const going = disappearingIn(plan);
  const goingUids = new Set(going.map(({ uid }) => uid));
  const labelled = [...part].find(
    ({ uid, labels }) => goingUids.has(uid) && isLabelledProtected(labels),
  );
  const guarded = labelled ? referenceTo(labelled) : protectedIn(plan)[0];
  const remarks = plan.remarks.filter(({ severity }) => severity === 'warning');
  const isAlone = plan.objects.length <= 1 && remarks.length === 0;
  const isStuck = plan.objects.some(({ fate, waitsFor }) => fate === 'terminating' || waitsFor);
  const isQuiet = isAlone && !isStuck && !mayDeleteMore(plan);
  return {
    objects: going.length,
    kinds: countsByKind(going),
    isExact: !mayDeleteMore(plan),
    lines: isQuiet
      ? []
      : [...summaryLines(plan, plainOptions), ...messagesOf(remarkLines(remarks, plainOptions))],
    isNamespace: isNamespace(target),
    instances: isCustomResourceDefinition(target) ? instancesIn(part, target) : 0,
    losesVolumes: remarks.some(({ code, objects }) => code === 'data' && objects.some(isVolume)),
    protectedObject: guarded && inWords(guarded),
    leavesWithoutProgram: remarks.some(({ code }) => code === 'finalizer-deadlock'),
  };
}

function messagesOf(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/^Warning: /, ''));
}

function isVolume({ kind, apiVersion }: ObjectReference): boolean {
  return apiVersion === 'v1' && (kind === 'PersistentVolume' || kind === 'PersistentVolumeClaim');
}

function instancesIn(part: ReadonlySet<ObjectRecord>, definition: ObjectRecord): number {
  return [...part].filter(({ type }) => groupResourceOf(type) === definition.name).length;
}

/** Used where a simulation would take too long: counts what may be deleted, and lists its blockers. */
function counting(
  cluster: KnownCluster,
  part: ReadonlySet<ObjectRecord>,
  target: ObjectRecord,
): Judgement {
  const going = mayGoWith([...part], [target]).filter(
    (record) => record === target || !isBeingDeleted(record),
  );
  const references = going.map((record) => ({
    ...referenceTo(record),
    servesNode: nodeServedBy(record),
  }));
  const { problems } = cluster.snapshotOf([]).coverage;
  const least = problems.length > 0 ? 'At least' : 'Up to';
  const held = going.flatMap((record) =>
    record.finalizers.filter(isForeign).map((finalizer) => ({ finalizer, record })),
  );
  const [first, ...more] = held;
  const lost = going.filter(
    ({ type, facts }) =>
      groupResourceOf(type) === 'persistentvolumes' &&
      facts?.persistentVolumeReclaimPolicy !== 'Retain',
  );
  const labelled = going.find(({ labels }) => isLabelledProtected(labels));
  const guarded = labelled ? referenceTo(labelled) : references.find(guardedIn(references));
  return {
    objects: going.length,
    kinds: countsByKind(references),
    isExact: false,
    lines: [
      `${least} ${counted(going.length, 'object')} will be deleted: ${countsByKind(references)}`,
      ...(lost.length > 0
        ? [`The data of ${counted(lost.length, 'PersistentVolume')} is lost.`]
        : []),
      ...(first
        ? [
            `Might be stuck: finalizer ${first.finalizer} of ${inWords(first.record)}${more.length > 0 ? ` and ${more.length} more` : ''}.`,
          ]
        : []),
    ],
    isNamespace: isNamespace(target),
    instances: isCustomResourceDefinition(target) ? instancesIn(part, target) : 0,
    losesVolumes: lost.length > 0,
    protectedObject: guarded && inWords(guarded),
    // Whether another program of its kind remains is seen in a play alone.
    leavesWithoutProgram: false,
  };
}
