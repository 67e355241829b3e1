import type { ObjectRecord } from './object-record.ts';
import { locationKey, type ObjectLocation } from './object-reference.ts';

/** Where the replicas of kube-controller-manager agree who leads. */
export const managerLease = { namespace: 'kube-system', name: 'kube-controller-manager' } as const;

/** Is a Lease of this place that of kube-controller-manager? */
export function isManagerLease({ namespace, name }: Omit<ObjectLocation, 'type'>): boolean {
  return namespace === managerLease.namespace && name === managerLease.name;
}

/** What leader election goes by in a Lease. */
export interface LeaderLease {
  /** RFC 3339. */
  readonly renewTime?: string | undefined;
  readonly leaseDurationSeconds?: number | undefined;
}

/** What kube-controller-manager and most others ask for, if a Lease does not say. */
const usualSeconds = 15;

/** For input whose parts were read at different times, and clocks that differ; milliseconds. */
export const readingTime = 45_000;

/**
 * Does its holder still lead at a time, in epoch milliseconds? Others wait for the Lease's duration since
 * its last renewal, and a leader that cannot renew gives up before that. Mirrors isLeaseValid, client-go
 * tools/leaderelection/leaderelection.go. `allowance` is how much older a renewal may look than it is.
 */
export function isLeaseValid(lease: LeaderLease, at: number, allowance = 0): boolean {
  const duration = (lease.leaseDurationSeconds ?? usualSeconds) * 1000;
  return Date.parse(lease.renewTime ?? '') + duration + allowance > at;
}

/**
 * Does the holder of a Lease lead, given all `leases` that were read? Undefined if nothing shows the age of the input.
 * Every command asks this function.
 */
export function isLed(
  lease: ObjectRecord,
  leases: readonly ObjectRecord[],
  now: number,
  ofCluster: boolean,
): boolean | undefined {
  if (lease.facts?.renewTime === undefined) return undefined;
  const time = leaseTime(lease, leases, now, ofCluster);
  return time === undefined ? undefined : isLeaseValid(lease.facts, time, readingTime);
}

/** The same of a Lease that may have been given up: one without a holder has no leader. */
export function hasLeader(
  lease: ObjectRecord,
  leases: readonly ObjectRecord[],
  now: number,
  ofCluster: boolean,
): boolean | undefined {
  const { holderIdentity, renewTime } = lease.facts ?? {};
  return Boolean(holderIdentity && renewTime) && isLed(lease, leases, now, ofCluster);
}

/**
 * The time against which a Lease is compared, in epoch milliseconds. Files may be old: then the latest renewal of another
 * Lease is the time at which they were written. Undefined: there is none.
 */
export function leaseTime(
  lease: ObjectRecord,
  leases: readonly ObjectRecord[],
  now: number,
  ofCluster: boolean,
): number | undefined {
  if (ofCluster) return now;
  const others = leases
    .filter((one) => locationKey(one) !== locationKey(lease))
    .map(({ facts }) => Date.parse(facts?.renewTime ?? ''))
    .filter((time) => time <= now);
  return others.length === 0 ? undefined : others.reduce((a, b) => Math.max(a, b));
}
