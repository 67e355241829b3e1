import type { ObjectRecord, OwnerReference } from '../kube/object-record.ts';
import type { Confidence, Decision, DeleteOptions, PatchRequest } from './collector.ts';
import type { CollectorId } from './collector-ids.ts';

/** When something happens, in epoch milliseconds; no latest moment: nobody knows how long it takes. */
export interface TimeRange {
  readonly notBefore: number;
  readonly notAfter: number | undefined;
}

interface Reason extends TimeRange {
  readonly because: string;
  readonly rule: string;
  readonly confidence?: Confidence;
}

export function deletion(
  collector: CollectorId,
  object: ObjectRecord,
  reason: Reason & { readonly options?: DeleteOptions },
): Decision {
  return { collector, object, action: 'delete', confidence: 'certain', ...reason };
}

export function patching(
  collector: CollectorId,
  object: ObjectRecord,
  reason: Reason & { readonly patch: PatchRequest },
): Decision {
  return { collector, object, action: 'patch', confidence: 'certain', ...reason };
}

const hour = 3_600_000;

/**
 * Controllers that work on events look at an object when it or something of its changes, when they start,
 * and when their informers replay everything, after 12 to 24 hours.
 */
export function nextSync(now: number): TimeRange {
  return { notBefore: now, notAfter: now + 24 * hour };
}

/** The first reference that says `controller: true`. */
export function controllerOf({ ownerReferences }: ObjectRecord): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller === true);
}

/** Absent times are before all others, as Go's zero time is. */
export function timeIn(timestamp: string | undefined): number {
  return timestamp === undefined ? 0 : Date.parse(timestamp);
}

/** Names hold ASCII only, where the order of code units is that of bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function byCreationAndName(a: ObjectRecord, b: ObjectRecord): number {
  return timeIn(a.creationTimestamp) - timeIn(b.creationTimestamp) || compareText(a.name, b.name);
}
