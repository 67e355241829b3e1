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

/** API servers drop the Leases of those that are gone; no clock tells when they began to (LEASE-5). */
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

/** Somebody answered when the picture was taken: who was heard of last, and whoever was heard of with it. */
function livingIn(view: ClusterView): Set<string> {
  const leases = view.in('leases.coordination.k8s.io', 'kube-system').filter(isIdentity);
  const renewed = (lease: ObjectRecord) => timeIn(lease.facts?.renewTime);
  const last = Math.max(0, ...leases.map(renewed));
  return new Set(leases.filter((one) => renewed(one) > last - minute).map(({ uid }) => uid));
}

function isIdentity({ labels, facts }: ObjectRecord): boolean {
  return facts !== undefined && labels?.[identity] === 'kube-apiserver';
}

/** Only the cloud knows whether the machine of a Node is there (NODE-1). */
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
