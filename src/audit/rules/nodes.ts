import { addressOf, operands, shellCommand } from '../../command-line/shell-command.ts';
import { isLeaseOfNode, nodeIsGone } from '../../controllers/left-without-reference.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { age } from '../../kube/time.ts';
import { isOutOfService, isReady } from '../../kube/well-known-kinds.ts';
import { eachOf, type Rule, wasRead } from '../rule.ts';

const taint = 'node.kubernetes.io/out-of-service';

export const outOfServiceNode: Rule = {
  id: 'out-of-service-node',
  title: 'A Node that is Ready, and still tainted as out of service',
  severity: 'warning',
  consequence:
    'as soon as the Node is not ready for a moment, pods that are being deleted there are force-deleted while they still run',
  advice: 'Remove the taint.',
  ...eachOf('nodes', (node, { cluster }) => {
    if (!isReady(node) || !isOutOfService(node)) return undefined;
    const pods = cluster.all('pods').filter((pod) => knownNodeOf(pod) === node.name);
    const effects = (node.facts?.taints ?? []).flatMap(({ key, effect }) =>
      key === taint ? effect : [],
    );
    return {
      object: node,
      message: `it is Ready and has the taint ${taint}:${effects.join(',')}; pods on it that were read: ${pods.length}`,
      ...(effects.includes('NoExecute') && {
        consequence:
          'pods that do not tolerate the taint are deleted from the Node; when it is not ready for a moment, they are force-deleted while they still run',
      }),
      fix: {
        summary: 'remove the taint: it is for machines that are off',
        command: shellCommand`kubectl taint nodes ${operands(node.name, `${taint}-`)}`,
      },
    };
  }),
};

/** A kubelet renews its Lease every ten seconds. */
const alive = 5 * 60_000;

export const orphanedNodeLease: Rule = {
  id: 'orphaned-node-lease',
  title: 'A Lease of a Node that does not exist',
  severity: 'info',
  consequence:
    'never collected: it has no owner, and no controller deletes node leases by their age',
  advice: 'Delete the Lease. A kubelet that returns creates a new one.',
  ...eachOf('leases.coordination.k8s.io', (lease, view) => {
    const { now, cluster } = view;
    const { renewTime } = lease.facts ?? {};
    if (!isLeaseOfNode(lease)) return undefined;
    if (cluster.at('nodes', '', lease.name) || !wasRead(view, lease, 'nodes', '')) return undefined;
    if (renewTime !== undefined && now - Date.parse(renewTime) < alive) return undefined;
    return {
      object: lease,
      message: `${nodeIsGone(lease)}; the Lease has no owner, and was ${renewTime === undefined ? 'never renewed' : `last renewed ${age(renewTime, now)} ago`}`,
      fix: { summary: 'delete it', command: shellCommand`kubectl delete ${addressOf(lease)}` },
    };
  }),
};
