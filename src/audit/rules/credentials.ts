import { csrExpiry } from '../../controllers/credentials/csr-cleaner.ts';
import {
  isUnused,
  legacyServiceAccountTokenCleaner,
} from '../../controllers/credentials/legacy-serviceaccount-token-cleaner.ts';
import { serviceAccountOf, tokensIn } from '../../controllers/credentials/serviceaccount-token.ts';
import { enabledControllers } from '../../controllers/settings/enabled-controllers.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { notRead, volumesOf } from '../../kube/pod-use.ts';
import { addressOf, type ShellCommand, shellCommand } from '../../kube/shell-command.ts';
import { age, day, hour } from '../../kube/time.ts';
import { type Rule, type View, type Violation, wasRead } from '../rule.ts';

const csrCleaner = 'certificatesigningrequest-cleaner-controller';
const tokenCleaner = 'legacy-serviceaccount-token-cleaner-controller';

export const overdueCsr: Rule = {
  id: 'overdue-csr',
  title: 'A certificate signing request that the cleaner does not remove',
  severity: 'info',
  consequence: 'never collected: the request stays until it is deleted',
  advice:
    'Delete the requests. If the cleaner does not run, switch it on, or see why kube-controller-manager restarts.',
  subjects: ['certificatesigningrequests.certificates.k8s.io'],
  readsFacts: true,
  check({ of, now, settings, cluster }) {
    const runs = enabledControllers(settings.controllers, '')(csrCleaner);
    return of('certificatesigningrequests.certificates.k8s.io').flatMap((csr) => {
      if (isBeingDeleted(csr) || csr.uid === '') return [];
      const fix = { summary: 'delete it', command: shellCommand`kubectl delete ${addressOf(csr)}` };
      const expiry = csrExpiry(csr, cluster.minor);
      if (!expiry) {
        const created = Date.parse(csr.creationTimestamp ?? '');
        const types = (csr.facts?.conditions ?? []).map(({ type }) => type);
        // As long as one that is pending may stay.
        if (!(now - created > 24 * hour)) return [];
        const isUnissued = types.includes('Approved') && !csr.facts?.certificate;
        const known = isUnissued
          ? 'it was approved and never issued, which the cleaner of this version does not look at'
          : `it has only conditions that the cleaner does not know: ${types.join(', ')}`;
        const why = `created ${age(csr.creationTimestamp, now)} ago, ${known}`;
        return [{ object: csr, message: why, fix }];
      }
      // The cleaner looks once an hour, and sees nothing at its first look.
      if (now - expiry.at < (runs ? 2 * hour : 0)) return [];
      const since = `${expiry.because}, and has been due for deletion for ${age(new Date(expiry.at).toISOString(), now)}`;
      return [
        runs
          ? {
              object: csr,
              severity: 'warning' as const,
              confidence: 'likely' as const,
              message: since,
              consequence: `never collected while ${csrCleaner} does not get through an hourly pass: it is off, or restarts too often`,
              fix,
            }
          : { object: csr, message: `${since}; ${csrCleaner} is switched off`, fix },
      ];
    });
  },
};

/** API servers make it when they begin to keep track of tokens. */
const tracking = 'kube-apiserver-legacy-service-account-token-tracking';

export const unusedLegacyToken: Rule = {
  id: 'unused-legacy-token',
  title: 'A token in a Secret that is not used',
  severity: 'info',
  consequence:
    'never collected: the token never expires, and the cleaner only removes those that Kubernetes made itself',
  // Most Secrets are not tokens, and no facts are kept of them.
  advice: 'Delete the Secret. Use tokens that expire instead: `kubectl create token`.',
  check(view) {
    const { cluster, settings, now } = view;
    const unused = settings.legacyServiceAccountTokenCleanUpPeriod;
    const tokens = tokensIn(cluster).filter((secret) => canTell(view, secret));
    if (now < trackedSince(view) + day + unused) return [];
    const days = Math.round(unused / day);
    const runs = enabledControllers(settings.controllers, '')(tokenCleaner);
    const decisions = runs ? legacyServiceAccountTokenCleaner.decide(cluster, settings, now) : [];
    const decided = new Map(decisions.map((decision) => [decision.object, decision]));
    return tokens.flatMap((secret): Violation[] => {
      const { account, name } = serviceAccountOf(cluster, secret);
      if (!account || !isUnused(cluster, secret, now - unused)) return [];
      const decision = decided.get(secret);
      const isOwn = account.facts?.secrets?.includes(secret.name) ?? false;
      // The cleaner has marked it and waits.
      if (runs && isOwn && !decision) return [];
      const consequence = {
        delete: `deleted by ${tokenCleaner} on its next daily pass`,
        patch: `marked as invalid by ${tokenCleaner} on its next daily pass, which ends it, and deleted ${days} days later`,
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

function canTell(view: View, secret: ObjectRecord): boolean {
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
function trackedSince({ cluster }: View): number {
  const since = cluster.at('configmaps', 'kube-system', tracking)?.creationTimestamp;
  return since === undefined ? Number.POSITIVE_INFINITY : Date.parse(since);
}

function deletion(secret: ObjectRecord): ShellCommand {
  return shellCommand`kubectl delete ${addressOf(secret)}`;
}
