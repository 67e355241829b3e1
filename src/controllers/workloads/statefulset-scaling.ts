import { counted } from '../../kube/counts-by-kind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { replicasOf } from '../../kube/well-known-kinds.ts';
import type { Decision } from '../controller.ts';
import { deletion, nextSync } from '../decision.ts';
import { revisionLabel } from './controllerrevision-history.ts';
import { isAvailable, ordinalOf } from './statefulset-ordinals.ts';

const retentionId = 'statefulset-pvc-retention';

/**
 * Pods beyond the replicas of a StatefulSet are deleted, and their claims may be deleted after them: all together, or the
 * last one first, each when all Pods before it are ready for minReadySeconds. Until then it is undetermined whether these
 * become ready, or are deleted and replaced. Mirrors processCondemned, pkg/controller/statefulset/stateful_set_control.go.
 */
export function condemnedPods(
  set: ObjectRecord,
  pods: readonly ObjectRecord[],
  now: number,
): readonly Decision[] {
  const condemned = pods
    .filter((pod) => isBeyond(set, pod))
    .sort((a, b) => ordinalOf(set, b.name) - ordinalOf(set, a.name));
  if (condemned.length === 0) return [];
  if (set.facts?.podManagementPolicy === 'Parallel') return condemned.flatMap(removed);
  const [last, ...rest] = condemned;
  const staying = pods.filter((pod) => !isBeyond(set, pod) && !isBeingDeleted(pod));
  const isReady = (pod: ObjectRecord) => isAvailable(pod, set.facts?.minReadySeconds, now);
  const isHeld = staying.length < replicasOf(set) || !staying.every(isReady);
  const isNext = last && (isReady(last) || isBeingDeleted(last) || rest.every(isReady));
  if (isNext && !isHeld) return removed(last);
  return condemned.flatMap(removed).map((one) => ({ ...one, confidence: 'unknown' }));

  function removed(pod: ObjectRecord): Decision[] {
    if (isBeingDeleted(pod)) return [];
    const because = `StatefulSet ${set.name} has ${counted(replicasOf(set), 'replica')}, and this Pod is beyond that`;
    return [deletion(retentionId, pod, { ...nextSync(now), because, rule: 'STS-2' })];
  }
}

/** The claims of pods of which it is open whether they go: these come to own them before. */
export function claimsWith(
  { facts }: ObjectRecord,
  condemned: readonly Decision[],
  kept: readonly Decision[],
): readonly Decision[] {
  if (facts?.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return [];
  const isOf = (claim: ObjectRecord) =>
    condemned.some(({ object }) => claim.name.endsWith(`-${object.name}`));
  return kept
    .filter(({ object, confidence }) => confidence === 'unknown' && isOf(object))
    .map(({ patch: _, because, ...decision }) => ({
      ...decision,
      action: 'delete',
      because: `${because}, and is deleted with it`,
    }));
}

/** The API server takes this strategy only with the gate; a controller without it leaves the whole set alone (STS-6). */
export function recreates({ facts }: ObjectRecord): boolean {
  return facts?.updateStrategy === 'Recreate';
}

/**
 * All Pods of another revision are deleted together. If the controller has not seen the spec yet, the current revision is
 * unknown. Mirrors recreateDeleteAndWait, pkg/controller/statefulset/stateful_set_control.go.
 */
export function outdatedPods(
  { name, facts = {} }: ObjectRecord,
  pods: readonly ObjectRecord[],
  now: number,
): readonly Decision[] {
  const { updateRevision, generation = 0, observedGeneration = 0 } = facts;
  const isNew = updateRevision === '';
  const isKnown = isNew || (updateRevision !== undefined && generation <= observedGeneration);
  const because = isKnown
    ? `StatefulSet ${name} recreates its pods, and this one is of another revision`
    : `StatefulSet ${name} recreates its pods, if its template has changed`;
  const confidence = isKnown ? 'certain' : 'unknown';
  return pods
    .filter((pod) => {
      const isCurrent = pod.labels?.[revisionLabel] === updateRevision;
      return !isBeingDeleted(pod) && !(isKnown && isCurrent);
    })
    .map((pod) =>
      deletion(retentionId, pod, {
        ...nextSync(now),
        because,
        rule: 'STS-6',
        confidence,
      }),
    );
}

export function isBeyond(set: ObjectRecord, pod: ObjectRecord): boolean {
  const { firstOrdinal: first = 0 } = set.facts ?? {};
  const ordinal = ordinalOf(set, pod.name);
  return ordinal >= 0 && (ordinal < first || ordinal >= first + replicasOf(set));
}
