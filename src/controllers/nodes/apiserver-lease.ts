import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { minute } from '../../kube/time.ts';
import { leases } from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { ControllerMemory, Decision, PassController, Passes } from '../controller.ts';
import { deletion, passesFrom, timeIn } from '../decision.ts';

export const candidates = 'leasecandidates.coordination.k8s.io';
const identity = 'apiserver.kubernetes.io/identity';

/** Every kube-apiserver deletes the Leases of API servers that no longer run (LEASE-5, LEASE-6). */
export const apiServerLease: PassController = {
  id: 'apiserver-lease',
  controllers: [],
  reads: [leases, candidates],
  pass: (view, _settings, now, memory) => expiredLeases(view, now, liveHolders(view), memory),
};

/** API servers make passes from their own start. */
const hourly: Passes = { period: 60 * minute, afterStart: () => 0 };
const halfHourly: Passes = { period: 30 * minute, afterStart: () => 0 };

/**
 * In a play: API servers delete what is no longer renewed, by passes of which it is unknown when they began. `isOwn`: what
 * these passes are about.
 */
function collection(
  resource: string,
  passes: Passes,
  isOwn: (record: ObjectRecord) => boolean,
): PassController {
  return {
    ...apiServerLease,
    reads: [resource],
    passes,
    needsPass: isOwn,
    // The latest renewal of all decides about all.
    groupOf: (record) => (isIdentityLease(record) || isCandidate(record) ? 'renewed' : undefined),
    begin() {
      let alive: ReadonlySet<string> | undefined;
      return (view, _settings, { now, since }) => {
        alive ??= liveHolders(view);
        return expiredLeases(view, now, alive)
          .filter(({ object }) => isOwn(object))
          .map((decision) => {
            const at = decision.notBefore;
            const from = at > now ? at : since;
            return { decision, at, from, to: from + passes.period, inGroup: false };
          });
      };
    },
  };
}

/** Leases of API servers that no longer run (LEASE-5), and LeaseCandidates of components that no longer run (LEASE-6). */
export const leaseCollections: readonly PassController[] = [
  collection(leases, hourly, isIdentityLease),
  collection(candidates, halfHourly, isCandidate),
];

/**
 * Leases that are no longer renewed, except those of running servers, whose uids are in `alive`.
 * @internal
 */
export function expiredLeases(
  view: ClusterView,
  now: number,
  alive: ReadonlySet<string>,
  memory?: ControllerMemory,
): readonly Decision[] {
  // The API servers' start is not the controllers'.
  const known = memory?.lastPasses && { lastPasses: memory.lastPasses };
  const found = identityLeases(view).flatMap((lease) => {
    const expiry = leaseExpiryOf(lease);
    if (alive.has(lease.uid) || isRenewed(lease, now)) return [];
    const isPast = expiry < now;
    return [
      deletion(apiServerLease.id, lease, {
        ...passesFrom(apiServerLease.id, hourly, expiry, now, known),
        confidence: isPast ? 'certain' : 'likely',
        because: lapse(lease) + (isPast ? '' : ', unless its API server returns'),
        rule: 'LEASE-5',
      }),
    ];
  });
  const stale = view.all(candidates).flatMap((candidate) => {
    const renewed = candidate.facts?.renewTime;
    const expiry = renewed === undefined ? 0 : Date.parse(renewed) + 30 * minute;
    if (!candidate.facts || alive.has(candidate.uid) || isRenewed(candidate, now)) return [];
    const confidence = expiry < now ? ('certain' as const) : ('likely' as const);
    const because =
      renewed === undefined ? 'it was never renewed' : `it was last renewed at ${renewed}`;
    const range = passesFrom(apiServerLease.id, halfHourly, expiry, now, known);
    return [
      deletion(apiServerLease.id, candidate, { ...range, confidence, because, rule: 'LEASE-6' }),
    ];
  });
  return [...found, ...stale];
}

/**
 * The API servers that count as running. At least one answered when the snapshot was taken: the one
 * with the latest renewal. All others that were renewed in time before it count, too.
 */
function liveHolders(view: ClusterView): ReadonlySet<string> {
  const own = [...identityLeases(view), ...view.all(candidates).filter(isCandidate)];
  const renewed = (one: ObjectRecord) => timeIn(one.facts?.renewTime);
  const last = Math.max(0, ...own.map(renewed));
  const alive = own.filter((one) => renewed(one) + renewalLimit(one) > last);
  return new Set(alive.map(({ uid }) => uid));
}

function identityLeases(view: ClusterView): readonly ObjectRecord[] {
  return view.in(leases, 'kube-system').filter(isIdentityLease);
}

/** Without a time or a duration a Lease has expired. */
function leaseExpiryOf({ facts }: ObjectRecord): number {
  const { renewTime, leaseDurationSeconds } = facts ?? {};
  if (renewTime === undefined || leaseDurationSeconds === undefined) return 0;
  return Date.parse(renewTime) + leaseDurationSeconds * 1000;
}

/** Is it the Lease of an API server? */
export function isIdentityLease({ labels, facts }: ObjectRecord): boolean {
  return facts !== undefined && labels?.[identity] === 'kube-apiserver';
}

function isCandidate({ facts, type }: ObjectRecord): boolean {
  return facts !== undefined && groupResourceOf(type) === candidates;
}

/**
 * What lives renews its own more often than this, in milliseconds: an API server its Lease every ten seconds, a
 * candidate every five minutes.
 */
function renewalLimit(record: ObjectRecord): number {
  return isCandidate(record) ? 6 * minute : minute;
}

/** Does its holder still renew it? */
export function isRenewed(record: ObjectRecord, now: number): boolean {
  const { renewTime } = record.facts ?? {};
  return renewTime !== undefined && Date.parse(renewTime) + renewalLimit(record) > now;
}

function lapse({ facts }: ObjectRecord): string {
  const { renewTime, leaseDurationSeconds } = facts ?? {};
  if (renewTime === undefined) return 'it was never renewed';
  if (leaseDurationSeconds === undefined) return 'it has no duration';
  return `it was last renewed at ${renewTime} and lasts ${leaseDurationSeconds} seconds`;
}
