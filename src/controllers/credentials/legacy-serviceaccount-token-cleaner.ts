import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { usedByPods } from '../../kube/pod-references.ts';
import { type NotRead, notRead } from '../../kube/pod-use.ts';
import { day } from '../../kube/time.ts';
import { type ClusterView, ownName, unreadName } from '../cluster-view.ts';
import type { Decision, PassController, Passes } from '../controller.ts';
import { deletion, passesFrom, patching, timeIn } from '../decision.ts';
import { isToken, serviceAccountOf, tokensIn } from './serviceaccount-token.ts';

const lastUsed = 'kubernetes.io/legacy-token-last-used';
/** The day since when a token is marked as invalid. */
export const invalidSince = 'kubernetes.io/legacy-token-invalid-since';

const dailyPasses: Passes = { period: day, afterStart: (pause) => pause };

/** Marks tokens that were not used for a year, and deletes them a year later (SAT-1 to SAT-4). */
export const legacyServiceAccountTokenCleaner: PassController = {
  id: 'legacy-serviceaccount-token-cleaner',
  controllers: ['legacy-serviceaccount-token-cleaner-controller'],
  reads: ['secrets', 'serviceaccounts', 'pods'],
  passes: dailyPasses,
  needsPass: isToken,
  // A token, and the Pods that refer to it or whose references were not read.
  links: {
    secrets: (secret) => (isToken(secret) ? [...ownName(secret), unreadName(secret)] : []),
    pods(pod) {
      const used = usedSecrets(pod);
      return used === notRead
        ? [unreadName(pod)]
        : [...used].map((secret) => `${pod.namespace}/${secret}`);
    },
  },
  pass(view, settings, now, memory) {
    const unused = settings.legacyServiceAccountTokenCleanUpPeriod;
    const before = dateOf(now - unused);
    return tokensIn(view).flatMap((secret): Decision[] => {
      if (!isCandidate(view, secret, now - unused)) return [];
      const marked = secret.labels?.[invalidSince];
      const range = passesFrom(legacyServiceAccountTokenCleaner.id, dailyPasses, now, now, memory);
      const gate =
        'provided that API servers have tracked tokens for that long, which a ConfigMap that was not read records';
      const confidence = 'likely' as const;
      const because = `it was not used for ${Math.round(unused / day)} days and no pod refers to it`;
      if (marked === undefined || !isDate(marked)) {
        const labels = { [invalidSince]: dateOf(now) };
        const patch = { body: { metadata: { labels } } };
        const why = `${because}, so it is marked as invalid, ${gate}`;
        return [
          patching(legacyServiceAccountTokenCleaner.id, secret, {
            ...range,
            confidence,
            patch,
            because: why,
            rule: 'SAT-4',
          }),
        ];
      }
      if (marked >= before) return [];
      const { resourceVersion } = secret;
      const options = resourceVersion === undefined ? {} : { resourceVersion };
      const why = `${because}; it has been marked as invalid since ${marked}, ${gate}`;
      return [
        deletion(legacyServiceAccountTokenCleaner.id, secret, {
          ...range,
          confidence,
          options,
          because: why,
          rule: 'SAT-4',
        }),
      ];
    });
  },
};

/** SAT-3; `before` in epoch milliseconds. */
function isCandidate(view: ClusterView, secret: ObjectRecord, before: number): boolean {
  const { account } = serviceAccountOf(view, secret);
  const isGenerated = account?.facts?.secrets?.includes(secret.name) ?? false;
  return isGenerated && isUnused(view, secret, before);
}

/** Was a token not used since `before`, in epoch milliseconds, and does no pod refer to it? */
function isUnused(view: ClusterView, secret: ObjectRecord, before: number): boolean {
  if (isBeingDeleted(secret) || timeIn(secret.creationTimestamp) >= before) return false;
  const used = secret.labels?.[lastUsed];
  if (used !== undefined && (!isDate(used) || used >= dateOf(before))) return false;
  if (!view.covers('pods', secret.namespace, '')) return false;
  return view.in('pods', secret.namespace).every((pod) => {
    const used = usedSecrets(pod);
    return used !== notRead && !used.has(secret.name);
  });
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && dateOf(date.getTime()) === text;
}

/** The names of all Secrets that a pod refers to, in every place where one can. */
function usedSecrets(pod: ObjectRecord): ReadonlySet<string> | NotRead {
  const used = usedByPods(pod);
  if (used === notRead) return notRead;
  return new Set(used.flatMap(({ kind, name }) => (kind === 'Secret' ? name : [])));
}
