import { knownNodeOf } from '../../../kube/pod-use.ts';
import { operands, shellCommand } from '../../../kube/shell-command.ts';
import { isOutOfService, isReady } from '../../../kube/well-known-kinds.ts';
import type { AuditRule } from '../audit-rule.ts';

const taint = 'node.kubernetes.io/out-of-service';

export const outOfServiceNode: AuditRule = {
  id: 'out-of-service-node',
  title: 'A Node that is Ready, and still tainted as out of service',
  severity: 'warning',
  consequence:
    'as soon as the Node is not ready for a moment, pods that are being deleted there are force-deleted while they still run',
  advice: 'Remove the taint.',
  subjects: ['nodes'],
  readsFacts: true,
  check: ({ of, cluster }) =>
    of('nodes')
      .filter((node) => isReady(node) && isOutOfService(node))
      .map((node) => {
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
