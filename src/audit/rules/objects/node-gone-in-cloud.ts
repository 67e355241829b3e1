import { isBeingDeleted } from '../../../kube/object-record.ts';
import { knownNodeOf } from '../../../kube/pod-use.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { age, hour } from '../../../kube/time.ts';
import type { AuditRule } from '../audit-rule.ts';

/** The cloud provider reports the machine as shut down, so it exists. */
const shutdown = 'node.cloudprovider.kubernetes.io/shutdown';

export const nodeGoneInCloud: AuditRule = {
  id: 'node-gone-in-cloud',
  title: 'A Node whose machine the cloud may not have any more',
  severity: 'warning',
  consequence:
    'only the cloud knows: if the machine is gone, a cloud controller manager deletes the Node; without one the Node stays, and pods that are deleted there never end',
  advice:
    'Look for the machine. If it is gone, delete the Node: its pods are then deleted by pod garbage collection.',
  subjects: ['nodes'],
  readsFacts: true,
  check: ({ of, cluster, now }) =>
    of('nodes').flatMap((node) => {
      const { providerID, conditions = [], taints = [] } = node.facts ?? {};
      const ready = conditions.find(({ type }) => type === 'Ready');
      const since = ready?.lastTransitionTime;
      if (providerID === undefined || since === undefined || isBeingDeleted(node)) return [];
      // The status False comes from a kubelet, so there is a machine.
      if (ready?.status !== 'Unknown' || now - Date.parse(since) < hour) return [];
      if (taints.some(({ key }) => key === shutdown)) return [];
      const pods = cluster.all('pods').filter((pod) => knownNodeOf(pod) === node.name);
      return [
        {
          object: node,
          confidence: 'likely',
          message: `its kubelet has said nothing for ${age(since, now)}; the machine is ${providerID}; pods bound to it that were read: ${pods.length}`,
          fix: {
            summary: `look for ${providerID} in the cloud, and delete the Node if it is not there`,
            command: shellCommand`kubectl delete ${addressOf(node)}`,
          },
        },
      ];
    }),
};
