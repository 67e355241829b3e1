import { isBeingDeleted } from '../../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { age } from '../../../kube/time.ts';
import { type AuditRule, wasRead } from '../audit-rule.ts';

/** A kubelet renews its Lease every ten seconds. */
const alive = 5 * 60_000;

export const orphanedNodeLease: AuditRule = {
  id: 'orphaned-node-lease',
  title: 'A Lease of a Node that does not exist',
  severity: 'info',
  consequence:
    'never collected: it has no owner, and no controller deletes node leases by their age',
  advice: 'Delete the Lease. A kubelet that comes back makes a new one.',
  subjects: ['leases.coordination.k8s.io'],
  readsFacts: true,
  check: (view) =>
    view.of('leases.coordination.k8s.io').flatMap((lease) => {
      const { now, cluster } = view;
      const { renewTime } = lease.facts ?? {};
      if (lease.namespace !== 'kube-node-lease' || lease.ownerReferences.length > 0) return [];
      if (isBeingDeleted(lease) || lease.uid === '') return [];
      if (cluster.at('nodes', '', lease.name) || !wasRead(view, lease, 'nodes', '')) return [];
      if (renewTime !== undefined && now - Date.parse(renewTime) < alive) return [];
      return [
        {
          object: lease,
          message: `Node ${lease.name} does not exist; the Lease has no owner, and was ${renewTime === undefined ? 'never renewed' : `last renewed ${age(renewTime, now)} ago`}`,
          fix: { summary: 'delete it', command: shellCommand`kubectl delete ${addressOf(lease)}` },
        },
      ];
    }),
};
