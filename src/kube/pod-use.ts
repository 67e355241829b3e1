import type { PodVolume } from './facts/pod.ts';
import type { ObjectFacts, ObjectRecord } from './object-record.ts';
import { conditionOf, isPod } from './well-known-kinds.ts';

/** In place of a fact: the part of the object that contains it was not read. */
export const notRead: unique symbol = Symbol('not read');
export type NotRead = typeof notRead;

/** spec.nodeName: '' when the pod is bound to no node. */
export function nodeNameOf(pod: ObjectRecord): string | NotRead {
  return specOf(pod)?.nodeName ?? notRead;
}

/** The node that a pod is known to be bound to; undefined when there is none, and when that was not read. */
export function knownNodeOf(pod: ObjectRecord): string | undefined {
  return specOf(pod)?.nodeName || undefined;
}

/** The same or, of a DaemonSet's pod, the Node that it waits for (GetTargetNodeName, pkg/controller/daemon/util). */
export function targetNodeOf(pod: ObjectRecord): string | undefined {
  const required = specOf(pod)
    ?.affineNodes?.flat()
    .find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
  const [node, ...others] = required?.values ?? [];
  return knownNodeOf(pod) ?? (others.length === 0 ? node : undefined);
}

/** The Node without which a pod is of no use: one of a DaemonSet, or a static pod. `kubectl drain` leaves these alone. */
export function nodeServedBy(pod: ObjectRecord): string | undefined {
  if (!isPod(pod)) return undefined;
  const { annotations, ownerReferences } = pod;
  const isStatic = annotations?.['kubernetes.io/config.mirror'] !== undefined;
  const isOfDaemonSet = ownerReferences.some(
    ({ apiVersion, kind, controller }) =>
      controller === true && kind === 'DaemonSet' && apiVersion.startsWith('apps/'),
  );
  return isStatic || isOfDaemonSet ? knownNodeOf(pod) : undefined;
}

/** The volumes that are claims or hold Secrets. */
export function volumesOf(pod: ObjectRecord): readonly PodVolume[] | NotRead {
  const known = specOf(pod)?.volumes;
  return known ?? (nodeNameOf(pod) === notRead ? notRead : noVolumes);
}

/** The volumes that a pod is known to have: none of one whose spec was not read. */
export function knownVolumesOf(pod: ObjectRecord): readonly PodVolume[] {
  return specOf(pod)?.volumes ?? noVolumes;
}

/** Names of the claims that a pod is known to mount. */
export function knownClaimsOf(pod: ObjectRecord): string[] {
  return knownVolumesOf(pod).flatMap((volume) => claimOf(pod, volume) ?? []);
}

/** Does a pod that is bound to a node mount a claim? As long as one does, its protection stays (PV-12). */
export function holdsClaim(
  pod: ObjectRecord,
  { namespace, name }: Pick<ObjectRecord, 'namespace' | 'name'>,
): boolean {
  const isNear = isPod(pod) && pod.namespace === namespace && knownNodeOf(pod) !== undefined;
  return isNear && knownClaimsOf(pod).includes(name);
}

/** Name of the claim that a volume of a pod is. */
export function claimOf(
  pod: ObjectRecord,
  { name, claimName, ephemeral }: PodVolume,
): string | undefined {
  if (claimName !== undefined) return claimName;
  return ephemeral ? `${pod.name}-${name}` : undefined;
}

/**
 * `; no pod has used it since …`, appended to a reason if a claim's condition Unused reports it
 * (PersistentVolumeClaimUnusedSinceTime, on since v1.37).
 */
export function unusedInWords(record: ObjectRecord): string {
  const isClaim = record.type.group === '' && record.type.kind === 'PersistentVolumeClaim';
  const { status, lastTransitionTime: since } = (isClaim && conditionOf(record, 'Unused')) || {};
  return status === 'True' && since !== undefined ? `; no pod has used it since ${since}` : '';
}

const noVolumes: readonly PodVolume[] = Object.freeze([]);

/** Records keep these facts where only this file reads them. */
function specOf({ facts }: ObjectRecord): ObjectFacts | undefined {
  return facts as ObjectFacts | undefined;
}
