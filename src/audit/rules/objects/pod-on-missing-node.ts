import { enabledControllers } from '../../../controllers/settings/enabled-controllers.ts';
import { knownNodeOf } from '../../../kube/pod-use.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { type AuditRule, wasRead } from '../audit-rule.ts';

export const podOnMissingNode: AuditRule = {
  id: 'pod-on-missing-node',
  title: 'A pod that is bound to a Node that does not exist',
  severity: 'warning',
  consequence:
    'will be deleted: pod garbage collection does it 40 to 80 seconds after it found the Node gone, whatever the pod does',
  advice:
    'When the machine is off for good there is nothing to do. If the pod stays, delete it without waiting for a kubelet.',
  subjects: ['pods'],
  readsFacts: true,
  check(view) {
    const { of, cluster, settings } = view;
    const runs = enabledControllers(settings.controllers, '')('pod-garbage-collector-controller');
    return of('pods').flatMap((pod) => {
      const { phase = 'Unknown' } = pod.facts ?? {};
      const nodeName = knownNodeOf(pod);
      if (pod.uid === '' || nodeName === undefined || cluster.at('nodes', '', nodeName)) return [];
      if (!wasRead(view, pod, 'nodes', '')) return [];
      return [
        {
          object: pod,
          message: `Node ${nodeName} does not exist; the pod is ${phase} there`,
          ...(!runs && {
            consequence: 'never collected: pod-garbage-collector-controller is switched off',
          }),
          fix: {
            summary: 'if the machine is off for good, delete the pod without waiting for a kubelet',
            command: shellCommand`kubectl delete ${addressOf(pod)} --grace-period=0 --force`,
          },
        },
      ];
    });
  },
};
