import { withoutManagedFields } from '../cluster/list/answered-list.ts';
import { counted } from '../kube/counts-by-kind.ts';
import { fieldsOf, textsByKey } from '../kube/json-value.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { inWords } from '../kube/object-reference.ts';
import { recordOf } from '../kube/record-codec.ts';
import { humanDuration } from '../kube/time.ts';
import { isNamespace } from '../kube/well-known-kinds.ts';
import { printable } from '../output/printable.ts';
import { howToApprove, isApproved } from '../programs/deletion-approval.ts';
import type { AdmissionAnswer, DeletionRequest } from './admission-review.ts';
import type { AnswerTime } from './answer-time.ts';
import { brokenRules, type GuardRule, type GuardRules, reasonOf } from './guard-rules.ts';
import { type Judgement, judgeDeletion } from './judgement.ts';
import type { KnownCluster, WatchedCluster } from './watched-cluster.ts';

type ReadCluster = KnownCluster & Pick<WatchedCluster, 'isSynced' | 'stale' | 'typeOf'>;

/** What a guard decides by. */
export interface GuardState {
  readonly cluster: ReadCluster;
  readonly rules: GuardRules;
}

/** What became of a request; the label of its metric. */
export type ReviewResult = 'quiet' | 'warned' | 'refused' | 'approved' | 'unknown';

export interface JudgedDeletion extends AdmissionAnswer {
  readonly verdict: ReviewResult;
}

const mostWarnings = 3;
/** Longer ones may be cut by the API server. */
const longestWarning = 240;

/** Answers what a deletion does, and whether a rule refuses it. */
export function answerDeletion(
  { cluster, rules }: GuardState,
  request: DeletionRequest,
  how: { readonly now: number; readonly time: AnswerTime },
): JudgedDeletion {
  const type = cluster.isSynced ? cluster.typeOf(request.resource) : undefined;
  if (!type) return notKnown(cluster.isSynced ? notServed(request) : notRead);
  const known = cluster.find(request.resource, request.namespace, request.name);
  const target = recordOf(withoutManagedFields(request.object), known?.type ?? type);
  const judgement = judgeDeletion(cluster, target, request.options, how);
  const by = {
    user: request.user,
    namespace: isNamespace(target) ? target.name : target.namespace,
  };
  const broken = brokenRules(rules, by, judgement);
  const denying = broken.filter(({ action }) => action === 'deny');
  const annotations = textsByKey(fieldsOf(request.object.metadata).annotations);
  const isApprovedNow = isApproved(annotations, request.user, how.now);
  const [refusing] = isApprovedNow ? [] : denying;
  // A refusal says it all.
  const warnings = refusing ? [] : warningsOf(cluster, judgement, broken, how.now);
  const verdict: ReviewResult = refusing
    ? 'refused'
    : denying.length > 0
      ? 'approved'
      : warnings.length > 0
        ? 'warned'
        : 'quiet';
  return {
    isAllowed: refusing === undefined,
    ...(refusing && { message: refusalOf(refusing, target, request.user, judgement) }),
    warnings,
    verdict,
    audit: {
      objects: `${judgement.objects}${judgement.isExact ? '' : ' or more'}`,
      kinds: judgement.kinds.slice(0, longestWarning),
      verdict,
      ...(broken.length > 0 && { rules: broken.map(({ name }) => name).join(', ') }),
    },
  };
}

const notRead =
  'the guard has not read the cluster yet: what is deleted with this object is unknown';

function notServed({ resource }: DeletionRequest): string {
  return `the guard has not read ${resource} yet: what is deleted with this object is unknown`;
}

function notKnown(warning: string): JudgedDeletion {
  return {
    isAllowed: true,
    warnings: [warning],
    verdict: 'unknown',
    audit: { verdict: 'unknown' },
  };
}

function refusalOf(
  rule: GuardRule,
  target: ObjectRecord,
  user: string,
  judgement: Judgement,
): string {
  const [first = ''] = judgement.lines;
  const effect = first === '' ? '' : ` ${first}`;
  return shortened(
    printable(
      `rule ${rule.name} refuses the deletion of ${inWords(target)}: ${reasonOf(rule, judgement)}.${effect} To approve it for ${user}, ${howToApprove}.`,
    ),
    4 * longestWarning,
  );
}

function warningsOf(
  cluster: ReadCluster,
  { lines }: Judgement,
  broken: readonly GuardRule[],
  now: number,
): string[] {
  const [first, ...rest] = lines;
  const warned = broken
    .filter(({ action }) => action === 'warn')
    .map(({ name }) => `Rule ${name} warns of this deletion.`);
  const all = [...(first ? [first] : []), ...staleness(cluster, now), ...warned, ...rest];
  return all.slice(0, mostWarnings).map((line) => shortened(printable(line), longestWarning));
}

/** Said of a deletion of which nothing else is known, too: a kind that cannot be watched may have dependents. */
function staleness({ stale }: ReadCluster, now: number): string[] {
  if (!stale) return [];
  const { kinds, since } = stale;
  const seconds = Math.max(0, (now - since) / 1000);
  const [first, ...more] = kinds;
  const what = more.length > 0 ? `${first} and ${counted(more.length, 'other kind')}` : first;
  return [`More may be deleted: ${what} could not be watched for ${humanDuration(seconds)}.`];
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}
