import {
  isUnused,
  legacyServiceAccountTokenCleaner,
} from '../../../controllers/credentials/legacy-serviceaccount-token-cleaner.ts';
import {
  serviceAccountOf,
  tokensIn,
} from '../../../controllers/credentials/serviceaccount-token.ts';
import { enabledControllers } from '../../../controllers/settings/enabled-controllers.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import { notRead, volumesOf } from '../../../kube/pod-use.ts';
import { addressOf, type ShellCommand, shellCommand } from '../../../kube/shell-command.ts';
import { day } from '../../../kube/time.ts';
import { type AuditRule, type AuditView, type AuditViolation, wasRead } from '../audit-rule.ts';

const cleaner = 'legacy-serviceaccount-token-cleaner-controller';
/** API servers make it when they begin to keep track of tokens. */
const tracking = 'kube-apiserver-legacy-service-account-token-tracking';

export const unusedLegacyToken: AuditRule = {
  id: 'unused-legacy-token',
  title: 'A token in a Secret that is not used',
  severity: 'info',
  consequence:
    'never collected: the token never expires, and the cleaner only removes those that Kubernetes made itself',
  // Most Secrets are not tokens, and no facts are kept of them.
  advice: 'Delete the Secret. Use tokens that expire instead: kubectl create token.',
  subjects: [],
  readsFacts: false,
  check(view) {
    const { cluster, settings, now } = view;
    const unused = settings.legacyServiceAccountTokenCleanUpPeriod;
    const tokens = tokensIn(cluster).filter((secret) => canTell(view, secret));
    if (now < trackedSince(view) + day + unused) return [];
    const days = Math.round(unused / day);
    const runs = enabledControllers(settings.controllers, '')(cleaner);
    const decisions = runs ? legacyServiceAccountTokenCleaner.decide(cluster, settings, now) : [];
    const decided = new Map(decisions.map((decision) => [decision.object, decision]));
    return tokens.flatMap((secret): AuditViolation[] => {
      const { account, name } = serviceAccountOf(cluster, secret);
      if (!account || !isUnused(cluster, secret, now - unused)) return [];
      const decision = decided.get(secret);
      const isOwn = account.facts?.secrets?.includes(secret.name) ?? false;
      // The cleaner has marked it and waits.
      if (runs && isOwn && !decision) return [];
      const consequence = {
        delete: `deleted by ${cleaner} on its next daily pass`,
        patch: `marked as invalid by ${cleaner} on its next daily pass, which ends it, and deleted ${days} days later`,
      };
      return [
        {
          object: secret,
          confidence: 'likely',
          message: `this token of ServiceAccount ${name} was not used for ${days} days, and no pod refers to its Secret`,
          related: [account],
          ...(decision && { consequence: consequence[decision.action] }),
          fix: { summary: 'delete the Secret, which ends the token', command: deletion(secret) },
        },
      ];
    });
  },
};

function canTell(view: AuditView, secret: ObjectRecord): boolean {
  const isRead =
    wasRead(view, secret, 'configmaps', 'kube-system') &&
    ['serviceaccounts', 'pods'].every((resource) => wasRead(view, secret, resource));
  if (!isRead) return false;
  const pods = view.cluster.in('pods', secret.namespace);
  if (!pods.some((pod) => volumesOf(pod) === notRead)) return true;
  view.cannotTell(secret, 'only metadata of pods was read');
  return false;
}

/** Epoch milliseconds; infinity when token use is not tracked. */
function trackedSince({ cluster }: AuditView): number {
  const since = cluster.at('configmaps', 'kube-system', tracking)?.creationTimestamp;
  return since === undefined ? Number.POSITIVE_INFINITY : Date.parse(since);
}

function deletion(secret: ObjectRecord): ShellCommand {
  return shellCommand`kubectl delete ${addressOf(secret)}`;
}
