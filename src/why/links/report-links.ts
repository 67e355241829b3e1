import { claimType, volumeType } from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { unusedSince } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { conditionOf, isPod } from '../../kube/well-known-kinds.ts';
import { type Link, link } from '../chain.ts';
import { evidenceOf, type Inquiry, presence } from '../inquiry.ts';

/** What an object reports of itself in its status, which neither keeps it nor deletes it. */
export function reportLinks(inquiry: Inquiry, record: ObjectRecord): Link[] {
  switch (groupResourceOf(record.type)) {
    case groupResourceOf(volumeType):
      return failedVolumeLinks(inquiry, record);
    case groupResourceOf(claimType):
      return [...lostClaimLinks(inquiry, record), ...conditionLinks(record)];
    default:
      return conditionLinks(record);
  }
}

/** Who ends a pod and why, or that no pod uses a claim. */
function conditionLinks(record: ObjectRecord): Link[] {
  const conditionType = isPod(record)
    ? 'DisruptionTarget'
    : unusedSince(record) === undefined
      ? undefined
      : 'Unused';
  const condition = conditionType && conditionOf(record, conditionType);
  if (condition?.status !== 'True') return [];
  const { reason = 'no reason', message = '', lastTransitionTime } = condition;
  const since = lastTransitionTime === undefined ? '' : ` since ${lastTransitionTime}`;
  const because = `its condition ${conditionType} says${since}: ${[reason, message].filter(Boolean).join(': ')}`;
  return [link(record, 'reported', 'fine', because)];
}

/** The storage of a volume could not be deleted (PV-6). */
function failedVolumeLinks(inquiry: Inquiry, volume: ObjectRecord): Link[] {
  const { phase, message } = volume.facts ?? {};
  if (phase !== 'Failed' || message === undefined) return [];
  const { type, name } = volume;
  const reading = inquiry.ask({ ask: 'object', type, namespace: '', name });
  return [
    link(volume, 'reported', 'holds', `its status reports that it is Failed: ${message}`, {
      rule: 'PV-6',
      evidence: evidenceOf(reading, () => `phase Failed: ${message}`),
      next: 'Resolve what it reports: the program that deletes its storage tries again when the volume changes.',
    }),
  ];
}

/** A claim that was bound, and whose volume does not exist or is bound to another claim (syncBoundClaim, pv_controller.go). */
function lostClaimLinks(inquiry: Inquiry, claim: ObjectRecord): Link[] {
  const { phase, volumeName: name } = claim.facts ?? {};
  if (phase !== 'Lost' || name === undefined) return [];
  const volume = inquiry.ask({ ask: 'object', type: volumeType, namespace: '', name });
  if (volume.state !== 'read') return [];
  const uid = volume.value?.facts?.claimRef?.uid;
  if (volume.value && (uid === undefined || uid === claim.uid)) return [];
  const because = volume.value
    ? `it is Lost: its PersistentVolume ${name} is bound to another claim of its name, with uid ${uid}`
    : `it is Lost: its PersistentVolume ${name} does not exist`;
  return [
    link(claim, 'reported', 'holds', because, {
      rule: 'PV-2',
      evidence: presence(volume),
      next: volume.value
        ? `To bind them again, remove spec.claimRef of PersistentVolume ${name}: its data stays.`
        : 'Its data is lost. Delete the claim, and create it again.',
    }),
  ];
}
