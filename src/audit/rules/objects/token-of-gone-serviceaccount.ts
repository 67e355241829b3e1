import {
  serviceAccountOf,
  serviceAccountToken,
  tokensIn,
} from '../../../controllers/credentials/serviceaccount-token.ts';
import { enabledControllers } from '../../../controllers/settings/enabled-controllers.ts';
import { isBeingDeleted } from '../../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { type AuditRule, type AuditView, wasRead } from '../audit-rule.ts';

export const tokenOfGoneServiceAccount: AuditRule = {
  id: 'token-of-gone-serviceaccount',
  title: 'A token of a ServiceAccount that is gone',
  severity: 'warning',
  consequence:
    'the API refuses the token; serviceaccount-token-controller deletes the Secret when it next looks at it',
  // Most Secrets are not tokens, and no facts are kept of them.
  advice: 'Delete the Secret. Give its users a token of an account that exists.',
  subjects: [],
  readsFacts: false,
  check(view) {
    const { cluster, settings, now } = view;
    const name = 'serviceaccount-token-controller';
    const runs = enabledControllers(settings.controllers, '')(name);
    tellUnread(view);
    return serviceAccountToken
      .decide(cluster, settings, now)
      .map(({ object: secret, because }) => ({
        object: secret,
        message: because,
        ...(!runs && { consequence: `never collected: ${name} does not run` }),
        fix: {
          summary: 'delete the Secret',
          command: shellCommand`kubectl delete ${addressOf(secret)}`,
        },
      }));
  },
};

function tellUnread(view: AuditView): void {
  for (const secret of tokensIn(view.cluster)) {
    const { account } = serviceAccountOf(view.cluster, secret);
    if (!account && !isBeingDeleted(secret)) wasRead(view, secret, 'serviceaccounts');
  }
  const all = view.of('secrets');
  // Types are read of all Secrets or of none.
  if (all.some(({ facts }) => facts !== undefined)) return;
  for (const secret of all) {
    const isToken = secret.annotations?.['kubernetes.io/service-account.name'] !== undefined;
    if (isToken) view.cannotTell(secret, 'only metadata of secrets was read');
  }
}
