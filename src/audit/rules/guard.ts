import { shellCommand } from '../../command-line/shell-command.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { isReady } from '../../kube/well-known-kinds.ts';
import { isGuard } from '../../programs/deletion-approval.ts';
import { type Rule, wasRead } from '../rule.ts';

const configurations = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
const selector = 'app.kubernetes.io/component=guard';

/** Is it of our chart or our Kustomize bases? */
function isGuardPod({ labels }: ObjectRecord): boolean {
  return (
    labels?.['app.kubernetes.io/name'] === 'kubectl-gc' &&
    labels['app.kubernetes.io/component'] === 'guard'
  );
}

export const guardWithoutPod: Rule = {
  id: 'guard-without-pod',
  title: 'A deletion guard without a ready Pod',
  severity: 'warning',
  consequence: 'deletions pass unjudged: no client is warned, and no rule refuses them',
  advice:
    'Look at the Pods of the guard and their logs. If it was uninstalled, delete its ValidatingWebhookConfiguration.',
  subjects: [configurations],
  check: (view) =>
    view
      .of(configurations)
      .filter(isGuard)
      .flatMap((configuration) => {
        if (!wasRead(view, configuration, 'pods', '')) return [];
        const pods = view.of('pods').filter(isGuardPod);
        if (pods.some(isReady)) return [];
        const [first] = pods;
        const where = first ? ['-n', first.namespace] : ['-A'];
        return [
          {
            object: configuration,
            message: first
              ? `none of the Pods of the guard is ready (${pods.length})`
              : 'there are no Pods of the guard',
            related: pods.slice(0, 3),
            confidence: 'likely',
            fix: {
              summary: 'find out why no Pod of the guard is ready',
              command: shellCommand`kubectl get pods ${where} -l ${selector}`,
            },
          },
        ];
      }),
};
