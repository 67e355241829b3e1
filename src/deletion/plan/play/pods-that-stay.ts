import { deletion } from '../../../controllers/decision.ts';
import { jobTracking } from '../../../controllers/jobs/job.ts';
import {
  deletedAsMoreEnd,
  type EndedPods,
  endedPodsIn,
  isTerminated,
  noEndedPods,
} from '../../../controllers/pod-gc/pass.ts';
import { podGarbageCollector } from '../../../controllers/pod-gc/pod-gc.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { objectKey } from '../../../kube/object-reference.ts';
import { isPod } from '../../../kube/well-known-kinds.ts';
import {
  defaultSimulationSettings,
  type SeenSettings,
} from '../../../settings/controller-settings.ts';
import { enabledControllers } from '../../../settings/enabled-controllers.ts';
import { type Reach, reachOf } from '../../../simulator/reach.ts';
import type { Simulation } from '../../../simulator/simulation.ts';
import type { Snapshot } from '../../../snapshot/snapshot.ts';
import { isForeign } from './blocking-finalizers.ts';
import { withDeletionsOpen } from './left-open.ts';
import { keepersAmong, keptBy } from './lifted-refusals.ts';

/**
 * What a deletion can reach, with what its objects may keep from going now. A Pod that ends and stays, as a finalizer blocks it, counts among the Pods that have ended; above
 * its threshold pod garbage collection deletes the oldest of these in any namespace (PG-5), so they are reached as well.
 */
export function deletionReach(
  snapshot: Snapshot,
  targets: readonly ObjectRecord[],
  settings: SeenSettings,
  now: number,
): Reach | undefined {
  const whole = { ...defaultSimulationSettings, ...settings };
  const reach = reachOf(snapshot, targets, whole);
  if (!reach) return undefined;
  const pods = podsThatMayStay(reach.members, settings);
  const ended = deletedAsMoreEnd(endedPodsBeside(snapshot.records, pods, settings), pods.length);
  const keepers = keepersAmong(snapshot, reach.members, targets);
  const kept = keptBy(snapshot, keepers, settings, now).map(({ object }) => object);
  const more = [...ended, ...kept];
  const known = new Set(reach.members);
  return more.every((one) => known.has(one))
    ? reach
    : reachOf(snapshot, [...targets, ...more], whole);
}

/** The Pods of a cluster that have ended, where so many others may stay when they end; none, where none is deleted for that. */
export function endedPodsBeside(
  records: Iterable<ObjectRecord>,
  staying: readonly ObjectRecord[],
  settings: SeenSettings,
): EndedPods {
  if (staying.length === 0 || !runs(settings, 'pod-garbage-collector-controller')) {
    return noEndedPods;
  }
  return endedPodsIn(records, settings.terminatedPodGCThreshold);
}

/** The Pods that may stay for a while when they end: their finalizers block them, or those of what they own. */
export function podsThatMayStay(
  records: readonly ObjectRecord[],
  settings: SeenSettings,
): ObjectRecord[] {
  const isBlocked = lastingIn(settings);
  const byUid = new Map<string, ObjectRecord>();
  const blocked = records.filter((record) => {
    if (record.uid !== '') byUid.set(record.uid, record);
    return isBlocked(record);
  });
  const waiting = new Set(blocked);
  for (const record of waiting) {
    for (const { uid } of record.ownerReferences) {
      const owner = byUid.get(uid);
      if (owner) waiting.add(owner);
    }
  }
  return [...waiting].filter((record) => isPod(record) && !hasEnded(record));
}

/** What was not read may not have ended. */
function hasEnded(pod: ObjectRecord): boolean {
  return pod.facts !== undefined && isTerminated(pod);
}

/** Is it blocked by more than controllers of Kubernetes remove within a second? */
function lastingIn(settings: SeenSettings): (record: ObjectRecord) => boolean {
  const countsPods = runs(settings, 'job-controller');
  return (record) =>
    record.finalizers.some(
      (finalizer) =>
        isForeign(finalizer) &&
        !(finalizer === jobTracking && countsPods && controllerOf(record)?.kind === 'Job'),
    );
}

function runs({ controllers = defaultSimulationSettings.controllers }: SeenSettings, name: string) {
  return enabledControllers(controllers)(name);
}

/** What ended Pods are judged by. */
interface EndedPodsInput {
  readonly ended: EndedPods;
  readonly records: readonly ObjectRecord[];
  readonly settings: SeenSettings;
  readonly untouched: Simulation;
  readonly now: number;
}

/** Leaves open whether the oldest ended Pods are deleted, as many as end in a play and stay for a while. */
export function endedPodsOpen(input: EndedPodsInput): (played: Simulation) => Simulation {
  const { ended, records, settings, untouched, now } = input;
  if (ended.pods.length === 0) return (played) => played;
  const isBlocked = lastingIn(settings);
  const endUntouched = endsByKey(untouched);
  const pods = records.filter((record) => isPod(record) && !hasEnded(record));
  return (played) => {
    const endPlayed = endsByKey(played);
    const staying = pods.filter((pod) => {
      const end = endPlayed.get(objectKey(pod));
      const otherwise = endUntouched.get(objectKey(pod));
      // Without the deletion it ends as well.
      if (!otherwise) return false;
      if (!end) return !isBeingDeleted(otherwise) && isBlocked(pod);
      if (!isBeingDeleted(end) || end.finalizers.length === 0) return false;
      return !isBeingDeleted(otherwise) || (isTerminated(end) && !isTerminated(otherwise));
    });
    const oldest = deletedAsMoreEnd(ended, staying.length).filter((pod) => {
      const end = endPlayed.get(objectKey(pod));
      return end && !isBeingDeleted(end);
    });
    const reason = {
      because: thresholdInWords(settings),
      rule: 'PG-5',
      confidence: 'unknown',
      notBefore: now,
      notAfter: undefined,
    } as const;
    return withDeletionsOpen(
      played,
      oldest.map((pod) => deletion(podGarbageCollector.id, pod, reason)),
    );
  };
}

function endsByKey({ objects }: Simulation): ReadonlyMap<string, ObjectRecord> {
  return new Map(objects.map((end) => [objectKey(end), end]));
}

function thresholdInWords({ terminatedPodGCThreshold: threshold }: SeenSettings): string {
  const why = 'Pods end and are blocked by a finalizer, and the oldest finished Pods are deleted';
  return threshold === undefined
    ? `${why} above --terminated-pod-gc-threshold, which could not be read`
    : `${why} once more than ${threshold} have finished`;
}
