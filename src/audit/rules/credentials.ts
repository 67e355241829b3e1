import { addressOf, shellCommand } from '../../command-line/shell-command.ts';
import { csrExpiry } from '../../controllers/credentials/csr-cleaner.ts';
import { isBeingDeleted } from '../../kube/object-record.ts';
import { age, hour, preciseTimestampOf } from '../../kube/time.ts';
import { enabledControllers } from '../../settings/enabled-controllers.ts';
import { eachOf, type Rule, type Violation } from '../rule.ts';

const csrCleaner = 'certificatesigningrequest-cleaner-controller';

export const overdueCsr: Rule = {
  id: 'overdue-csr',
  title: 'A certificate signing request that the cleaner does not remove',
  severity: 'info',
  consequence: 'never collected: the request stays until it is deleted',
  advice:
    'Delete the requests. If the cleaner does not run, switch it on, or see why kube-controller-manager restarts.',
  ...eachOf(
    'certificatesigningrequests.certificates.k8s.io',
    (csr, { now, settings, cluster }): Violation | undefined => {
      if (isBeingDeleted(csr) || csr.uid === '') return undefined;
      const runs = enabledControllers(settings.controllers, '')(csrCleaner);
      const fix = { summary: 'delete it', command: shellCommand`kubectl delete ${addressOf(csr)}` };
      const expiry = csrExpiry(csr, cluster.minor);
      if (!expiry) {
        const created = Date.parse(csr.creationTimestamp ?? '');
        const types = (csr.facts?.conditions ?? []).map(({ type }) => type);
        // As long as one that is pending may stay.
        if (!(now - created > 24 * hour)) return undefined;
        const isUnissued = types.includes('Approved') && !csr.facts?.certificate;
        const known = isUnissued
          ? 'it was approved and never issued, which the cleaner of this version does not look at'
          : `it has only conditions that the cleaner does not know: ${types.join(', ')}`;
        const why = `created ${age(csr.creationTimestamp, now)} ago, ${known}`;
        return { object: csr, message: why, fix };
      }
      // The cleaner looks once an hour, and sees nothing at its first look.
      if (now - expiry.at < (runs ? 2 * hour : 0)) return undefined;
      const since = `${expiry.because}, and has been due for deletion for ${age(preciseTimestampOf(expiry.at), now)}`;
      if (!runs) return { object: csr, message: `${since}; ${csrCleaner} is switched off`, fix };
      return {
        object: csr,
        severity: 'warning',
        confidence: 'likely',
        message: since,
        consequence: `never collected while ${csrCleaner} does not get through an hourly pass: it is off, or restarts too often`,
        fix,
      };
    },
  ),
};
