import type { ClusterView } from '../../controllers/cluster-view.ts';
import { timeIn } from '../../controllers/decision.ts';
import { apiServerLease } from '../../controllers/nodes/apiserver-lease.ts';
import { cloudNode } from '../../controllers/nodes/cloud-node.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { focusOn, type KeyedController } from './keyed-controller.ts';
import type { Due, PeriodicController } from './periodic-controller.ts';

const identity = 'apiserver.kubernetes.io/identity';
const minute = 60_000;
const hour = 60 * minute;

/**
 * API servers delete the Leases of API servers that are gone; when their passes began is unknown
 * (LEASE-5).
 */
export const apiServerLeases: PeriodicController = {
  id: apiServerLease.id,
  controller: 'kube-apiserver',
  isElsewhere: true,
  reads: apiServerLease.reads,
  passes: { period: hour, afterStart: () => 0 },
  concerns: isIdentity,
  begin: () => {
    let alive: ReadonlySet<string> | undefined;
    return (view, settings, { now, since }) => {
      alive ??= livingIn(view);
      return apiServerLease
        .decide(view, settings, now)
        .filter(({ object }) => !alive?.has(object.uid))
        .map((decision): Due => {
          const at = decision.notBefore;
          const from = at > now ? at : since;
          return { decision, at, from, to: from + hour, inGroup: false };
        });
    };
  },
};

/**
 * At least one API server answered when the snapshot was taken. Those that count as alive: the one
 * with the latest renewal, and all that renewed within a minute before it.
 */
function livingIn(view: ClusterView): Set<string> {
  const leases = view.in('leases.coordination.k8s.io', 'kube-system').filter(isIdentity);
  const renewed = (lease: ObjectRecord) => timeIn(lease.facts?.renewTime);
  const last = Math.max(0, ...leases.map(renewed));
  return new Set(leases.filter((one) => renewed(one) > last - minute).map(({ uid }) => uid));
}

function isIdentity({ labels, facts }: ObjectRecord): boolean {
  return facts !== undefined && labels?.[identity] === 'kube-apiserver';
}

/** Only the cloud provider knows whether a Node's machine exists (NODE-1). */
export const cloudNodes: KeyedController = {
  id: cloudNode.id,
  controller: 'cloud-controller-manager',
  isElsewhere: true,
  kinds: ['nodes'],
  reads: ['nodes'],
  concerns: ({ facts }) => facts?.providerID !== undefined,
  decide: (node, { view, settings }, { now }) =>
    cloudNode.decide(focusOn(node, view), settings, now),
};
