import type { Plan } from '../deletion/plan/plan.ts';
import { planDeletion } from '../deletion/plan/plan-deletion.ts';
import { disappearingIn, mayDeleteMore } from '../deletion/plan/plan-totals.ts';
import { countsByKind } from '../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { inWords, type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import { isCustomResourceDefinition, isNamespace } from '../kube/well-known-kinds.ts';
import { protectedIn } from '../perform/limits.ts';
import { isLabelledProtected } from '../programs/deletion-approval.ts';
import { remarkLines, summaryLines } from '../questions/delete/plan-words.ts';
import type { SeenSettings } from '../settings/controller-settings.ts';
import { effectivePolicy } from '../simulator/api-server/delete-object.ts';
import type { DeleteOptions } from '../simulator/api-server/request.ts';
import { type AnswerTime, PlayTimeOver } from './answer-time.ts';
import { countDeletion, type DeletionEffect } from './count-deletion.ts';
import { besideThePlan, deletionPart, endedPodsAfter } from './deletion-part.ts';
import type { KnownCluster } from './watched-cluster.ts';

/** What is deleted, and what follows from it. */
export interface Judgement extends DeletionEffect {
  readonly isNamespace: boolean;
  /** Instances of the definition that is deleted. */
  readonly instances: number;
}

interface JudgementOptions {
  readonly now: number;
  readonly time: Pick<AnswerTime, 'mayPlay' | 'mayCount' | 'checkPlay'>;
  /** Up to how many objects a namespace is looked at as a whole. */
  readonly largest?: number;
}

/** Judges the deletion of one object: plays it, and counts what may be deleted where there is no time for that. */
export function judgeDeletion(
  cluster: KnownCluster,
  target: ObjectRecord,
  options: DeleteOptions,
  how: JudgementOptions,
): Judgement {
  const instances = isCustomResourceDefinition(target) ? [...cluster.ofKind(target.name)] : [];
  return {
    ...(played(cluster, target, options, how) ?? countDeletion(cluster, target, how.time)),
    isNamespace: isNamespace(target),
    instances: instances.length,
  };
}

/** Undefined where there is no time for it, or no time is left before its end. */
function played(
  cluster: KnownCluster,
  target: ObjectRecord,
  options: DeleteOptions,
  { now, time, largest }: JudgementOptions,
): DeletionEffect | undefined {
  const part = time.mayPlay ? deletionPart(cluster, target, largest) : undefined;
  if (!part) return undefined;
  const snapshot = cluster.snapshotOf(part);
  const intent = {
    targets: [target],
    policy: effectivePolicy(target, options),
    gracePeriodSeconds: options.gracePeriodSeconds,
  };
  const context = {
    now,
    settings: settingsFor(cluster, part),
    cluster: { server: '', uid: '' },
    // A DELETE waits for a second at most, and others wait behind it.
    inUsualOrders: true as const,
    goOn: time.checkPlay,
    ...besideThePlan(cluster, part),
  };
  try {
    return effectOf(planDeletion(snapshot, intent, context), part);
  } catch (error) {
    if (error instanceof PlayTimeOver) return undefined;
    throw error;
  }
}

/** The part has all ended Pods that may be deleted, but not all that are counted. */
function settingsFor(cluster: KnownCluster, part: ReadonlySet<ObjectRecord>): SeenSettings {
  const { terminatedPodGCThreshold, ...others } = cluster.settings;
  return endedPodsAfter(cluster, part).length > 0 ? others : cluster.settings;
}

const plainOptions = { colour: false, width: undefined, now: 0 };

function effectOf(plan: Plan, part: ReadonlySet<ObjectRecord>): DeletionEffect {
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
