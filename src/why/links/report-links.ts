import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { volumeType } from '../../kube/core-types.ts';
import { compareText } from '../../kube/names.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isClaim } from '../../kube/well-known-kinds.ts';
import { newestOfEach, type ObjectEvent } from '../../programs/object-event.ts';
import {
  failuresOf,
  type ObjectReport,
  reportInWords,
  reportOfEvent,
  reportsOf,
} from '../../programs/reports.ts';
import { type Link, link, widest } from '../chain.ts';
import { isLate, removalAge } from '../deletion-age.ts';
import { evidenceOf, type Inquiry, presence, seenIn } from '../inquiry.ts';

/** The maximum number of Events that are shown for one object. */
const mostEvents = 3;

/** What an object reports of itself: its status, which neither keeps it nor deletes it. */
export function reportLinks(inquiry: Inquiry, record: ObjectRecord): Link[] {
  const lost = isClaim(record) ? unboundClaimLinks(inquiry, record) : undefined;
  if (lost) return lost;
  return reportsOf(record).map((report) =>
    groupResourceOf(record.type) === groupResourceOf(volumeType)
      ? failedVolumeLink(inquiry, record, report)
      : link(record, 'reported', 'fine', reportInWords(report, inquiry.now)),
  );
}

/**
 * What Events in the input say of an object, the newest of each reason first. `since` (RFC 3339): what happened before is left
 * out; without it, what is no warning.
 */
export function reportedEventLinks(inquiry: Inquiry, object: ObjectRecord, since?: string): Link[] {
  const begun = since === undefined ? undefined : Date.parse(since);
  const events = inquiry
    .eventsAbout(referenceTo(object))
    .filter((event) => (begun === undefined ? event.isWarning : Date.parse(event.time) >= begun));
  return newestEventLinks(inquiry, object, events);
}

/** What Events say of an object, the newest of each reason first. */
export function newestEventLinks(
  inquiry: Inquiry,
  object: ObjectRecord,
  events: readonly ObjectEvent[],
): Link[] {
  return newestOfEach(events.map(reportOfEvent), ({ what }) => what)
    .toSorted((a, b) => compareText(b.time, a.time))
    .slice(0, mostEvents)
    .map((report) => link(object, 'event', 'fine', reportInWords(report, inquiry.now)));
}

/**
 * Failures that an object has reported since its deletion began. A program that fails tries again; one that has failed for so
 * long needs help. This outranks a guess who removes the finalizer, and never what was read.
 */
export function failureLinks(inquiry: Inquiry, record: ObjectRecord, finalizer: string): Link[] {
  return sinceDeletion(record, failuresOf(record)).map((report) => {
    const isLasting = inquiry.now - Date.parse(record.deletionTimestamp ?? '') >= removalAge;
    const state = isLasting ? 'blocked' : 'fine';
    return link(record, 'reported', state, reportInWords(report, inquiry.now), {
      finalizer,
      next: `Resolve what ${report.by} reports: its program tries again by itself.`,
    });
  });
}

/** What the program of a finalizer says that it is at work on, once the deletion is late: that explains why. */
export function lateWorkLinks(inquiry: Inquiry, record: ObjectRecord, finalizer: string): Link[] {
  if (!isLate(record, inquiry.now)) return [];
  const work = reportsOf(record).filter(({ isProgress, message }) => isProgress && message !== '');
  return sinceDeletion(record, work).map((report) =>
    link(record, 'reported', 'blocked', reportInWords(report, inquiry.now), {
      finalizer,
      next: `Resolve what ${report.by} waits for.`,
    }),
  );
}

function sinceDeletion(record: ObjectRecord, reports: readonly ObjectReport[]): ObjectReport[] {
  const begun = Date.parse(record.deletionTimestamp ?? '');
  return reports.filter(({ time }) => !(Date.parse(time) < begun));
}

/** A claim that has no volume, and why; undefined of others. */
function unboundClaimLinks(inquiry: Inquiry, claim: ObjectRecord): Link[] | undefined {
  switch (claim.facts?.phase) {
    case 'Pending':
      return pendingClaimLinks(inquiry, claim);
    case 'Lost':
      return lostClaimLinks(inquiry, claim);
    default:
      return undefined;
  }
}

function failedVolumeLink(inquiry: Inquiry, volume: ObjectRecord, report: ObjectReport): Link {
  const { type, name } = volume;
  const reading = inquiry.ask({ ask: 'object', type, namespace: '', name });
  return link(volume, 'reported', 'holds', reportInWords(report, inquiry.now), {
    rule: 'PV-6',
    evidence: evidenceOf(reading, () => `${report.what}: ${report.message}`),
    next: 'Resolve what it reports: the program that deletes its storage tries again when the volume changes.',
  });
}

/**
 * A claim that waits for a volume which is reserved for an earlier claim of its name: the binder compares uids
 * (IsVolumeBoundToClaim, pkg/controller/volume/persistentvolume). Undefined where no such volume was read.
 */
function pendingClaimLinks(inquiry: Inquiry, claim: ObjectRecord): Link[] | undefined {
  const { volumeName } = claim.facts ?? {};
  const volumes = inquiry.ask({ ask: 'list', type: volumeType, namespace: undefined });
  const taken = seenIn(volumes).filter(({ name, facts }) => {
    const { claimRef } = facts ?? {};
    const isNamed = claimRef?.namespace === claim.namespace && claimRef.name === claim.name;
    const isMeant = volumeName === undefined ? isNamed : name === volumeName;
    return isMeant && claimRef?.uid !== undefined && claimRef.uid !== claim.uid;
  });
  if (taken.length === 0) return undefined;
  return taken.slice(0, widest).map((volume) => {
    const { namespace, name, uid } = volume.facts?.claimRef ?? {};
    const isOwnName = namespace === claim.namespace && name === claim.name;
    const other = isOwnName
      ? `an earlier claim of its name, with uid ${uid}`
      : `claim ${namespace}/${name}`;
    const because = `it is Pending: PersistentVolume ${volume.name} is reserved for ${other}`;
    const removal = JSON.stringify([{ op: 'remove', path: '/spec/claimRef/uid' }]);
    return link(volume, 'volume-bound', 'holds', because, {
      rule: 'PV-2',
      evidence: evidenceOf(
        volumes,
        () => `${volume.name}: claimRef ${namespace}/${name}, uid ${uid}`,
      ),
      ...(isOwnName
        ? {
            next: 'Its data stays, and the claim gets it. Check first that it is the data that you expect.',
            command: suggested(
              'To bind them',
              shellCommand`kubectl patch pv ${volume.name} --type=json -p ${removal}`,
            ),
          }
        : {
            next: 'Leave out spec.volumeName, or name another volume: a claim that exists cannot be changed.',
          }),
    });
  });
}

/**
 * A claim that was bound, and whose volume does not exist or is bound to another claim; undefined where that was not read.
 */
function lostClaimLinks(inquiry: Inquiry, claim: ObjectRecord): Link[] | undefined {
  const name = claim.facts?.volumeName;
  if (name === undefined) return undefined;
  const volume = inquiry.ask({ ask: 'object', type: volumeType, namespace: '', name });
  if (volume.state !== 'read') return undefined;
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
