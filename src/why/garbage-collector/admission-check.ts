import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { policyType, webhookConfigurationTypes } from '../../kube/core-types.ts';
import { counted, kindsInWords } from '../../kube/counts-by-kind.ts';
import { listAt } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf, isMonitored, type ResourceType } from '../../kube/resource-type.ts';
import { coversKind, coversOperation, type Webhook } from '../../programs/admission-rule.ts';
import { guardWebhook } from '../../programs/deletion-approval.ts';
import type { Link } from '../chain.ts';
import { type Evidence, evidenceOf, type Inquiry, listEverywhere, valueIn } from '../inquiry.ts';
import { backendsOf, deadWebhookLink } from '../links/refusal-links.ts';
import { rehearseSample } from '../links/rehearsals.ts';
import { garbageIn, storesObjects } from './garbage-check.ts';
import { type HealthCheck, healthCheck } from './health-check.ts';

/** The maximum number of kinds to try; each takes one dry run. */
const mostSamples = 12;

/** What is judged: `garbage` before all else. */
interface Candidates {
  readonly garbage: readonly ObjectRecord[];
  readonly records: readonly ObjectRecord[];
  readonly areRead: boolean;
  readonly unread: readonly { readonly resource: string }[];
}

/** Does an admission webhook or RBAC refuse what the garbage collector does? */
export function admissionCheck(inquiry: Inquiry): HealthCheck {
  const content = inquiry.ask({ ask: 'content', namespace: undefined });
  const { records = [], unread = [] } = valueIn(content) ?? {};
  const garbage = garbageIn(inquiry, valueIn(content));
  return judged(inquiry, { garbage, records, areRead: content.state === 'read', unread });
}

/** The same of this garbage alone; nothing where none of it was refused. */
export function refusedAmong(inquiry: Inquiry, garbage: readonly ObjectRecord[]): HealthCheck[] {
  const check = judged(inquiry, { garbage, records: [], areRead: true, unread: [] });
  return check.except && check.except.length > 0 ? [check] : [];
}

/** Dry runs on existing objects show it. */
function judged(inquiry: Inquiry, { garbage, records, areRead, unread }: Candidates): HealthCheck {
  const judges = judgesIn(inquiry);
  const candidates = samplesOf([...garbage, ...records], judges.rules, judges.hasPolicies);
  const kinds = candidates.length;
  const samples = candidates.slice(0, mostSamples);
  const tries = samples.map((sample) => ({
    sample,
    ...rehearseSample(inquiry, sample, 'garbage-collector-controller'),
  }));
  const links = [...judges.links];
  const refused = tries.filter(({ refusal }) => refusal?.state === 'blocked');
  for (const { refusal } of refused) {
    if (refusal && !links.some(({ object }) => object.name === refusal.object.name)) {
      links.push(refusal);
    }
  }
  const blocked = new Set([
    ...refused.map(({ sample }) => groupResourceOf(sample.type)),
    ...[...garbage, ...records]
      .filter(({ type }) => isMonitored(type) && judges.dead.some((rule) => coversKind(rule, type)))
      .map(({ type }) => groupResourceOf(type)),
  ]);
  const except = [...blocked].sort();
  const evidence = [...judges.evidence, ...tries.flatMap((tried) => tried.evidence)];
  const details = { rule: 'GC-43', evidence, links, except };
  if (except.length > 0) {
    const judgesAll = judges.hasPolicies || judges.rules.some(isForEveryKind);
    const isAll = judgesAll && samples.length > 1 && refused.length === samples.length;
    const which = isAll ? 'of every kind that was tried' : `of some ${kindsInWords(except)}`;
    const because = `deletions or changes ${which} by the garbage collector are refused`;
    return healthCheck('admission', isAll ? 'failing' : 'degraded', because, details);
  }
  const judgesUnread = unread.some(({ resource }) => mayCover(inquiry, judges.dead, resource));
  if (links.length > 0 && areRead && !judgesUnread) {
    const because =
      'a webhook without a server judges deletions of kinds of which there are no objects';
    return healthCheck('admission', 'warning', because, details);
  }
  const isUnanswered =
    judgesUnread ||
    !judges.areRead ||
    !areRead ||
    tries.some((tried) => tried.isUnanswered || tried.refusal);
  if (isUnanswered) {
    const because = 'whether admission lets the garbage collector act could not be checked in full';
    return healthCheck('admission', 'unknown', because, details);
  }
  return healthCheck('admission', 'ok', acceptedWords(samples.length, kinds), details);
}

/** `kinds`: those of which an object could be tried. */
function acceptedWords(samples: number, kinds: number): string {
  if (samples === 0) {
    return 'nothing refuses the garbage collector: no webhook and no policy object judges deletions (policies in files of the API server are not listed)';
  }
  const accepted = `${counted(samples, 'dry run')} of its deletions ${samples === 1 ? 'was' : 'were'} accepted`;
  return kinds > samples
    ? `${accepted}, one of a kind; ${counted(kinds - samples, 'further kind')} might be refused and ${kinds - samples === 1 ? 'was' : 'were'} not tried`
    : `nothing refuses the garbage collector: ${accepted}`;
}

/** The webhooks and policies that may refuse what the garbage collector does. */
interface AdmissionJudges {
  readonly rules: readonly unknown[];
  /** Those of webhooks without a server. */
  readonly dead: readonly unknown[];
  /** Of these webhooks. */
  readonly links: readonly Link[];
  readonly hasPolicies: boolean;
  readonly areRead: boolean;
  readonly evidence: readonly Evidence[];
}

function judgesIn(inquiry: Inquiry): AdmissionJudges {
  const readings = webhookConfigurationTypes.map((type) => listEverywhere(inquiry, type));
  // What a policy matches is an expression, and the API server may have others in files: only a dry run shows the result.
  const policies = inquiry.ask({ ask: 'list', type: policyType, namespace: undefined });
  const webhooks = readings
    .flatMap((reading) => valueIn(reading) ?? [])
    .flatMap((configuration) =>
      (configuration.facts?.webhooks?.filter(mayRefuse) ?? []).map((webhook) => ({
        rules: webhook.rules?.filter(isOfCollector) ?? [],
        links: deadWebhookLink(inquiry, configuration, webhook),
      })),
    );
  return {
    rules: webhooks.flatMap(({ rules }) => rules),
    dead: webhooks.filter(({ links }) => links.length > 0).flatMap(({ rules }) => rules),
    links: webhooks.flatMap(({ links }) => links),
    hasPolicies: valueIn(policies)?.length !== 0,
    areRead: readings.every(({ state }) => state === 'read'),
    evidence: [...readings, policies].flatMap((reading) =>
      evidenceOf(reading, (list) => `${list.length} read`),
    ),
  };
}

function isForEveryKind(rule: unknown): boolean {
  const isAny = (field: string) =>
    listAt(rule, field).some((entry) => ['*', '*/*'].includes(String(entry)));
  return isAny('apiGroups') && isAny('resources');
}

/** Only a webhook for deletions or updates can stop the garbage collector. */
function mayRefuse({ rules = [] }: Webhook): boolean {
  return rules.some(isOfCollector);
}

/** May objects of what could not be listed, a kind or a version of an API group, be judged by these rules? */
function mayCover({ types }: Inquiry, rules: readonly unknown[], resource: string): boolean {
  const [group = '', version] = resource.split('/');
  if (version === undefined) {
    return types.versions(resource).some((type) => rules.some((rule) => coversKind(rule, type)));
  }
  if (!storesObjects(group)) return false;
  return rules.some((rule) =>
    listAt(rule, 'apiGroups').some((one) => one === '*' || one === group),
  );
}

function isOfCollector(rule: unknown): boolean {
  return coversOperation(rule, 'delete') || coversOperation(rule, 'update');
}

/**
 * One object for each kind that a webhook judges, and where there are policies for each kind with an owner, which alone
 * the garbage collector deletes.
 */
function samplesOf(
  records: readonly ObjectRecord[],
  rules: readonly unknown[],
  hasPolicies: boolean,
): ObjectRecord[] {
  const samples = new Map<ResourceType, ObjectRecord>();
  for (const record of records) {
    const { type, ownerReferences, deletionTimestamp } = record;
    if (!isMonitored(type) || deletionTimestamp !== undefined) continue;
    const isOwned = ownerReferences.length > 0;
    const before = samples.get(type);
    if (before && (before.ownerReferences.length > 0 || !isOwned)) continue;
    const isJudged = (hasPolicies && isOwned) || rules.some((rule) => coversKind(rule, type));
    if (before || isJudged) samples.set(type, record);
  }
  return [...samples.values()].sort(
    (a, b) => Number(b.ownerReferences.length > 0) - Number(a.ownerReferences.length > 0),
  );
}

/**
 * Does something answer for the deletion guard? Nothing where none is installed. The garbage collector is never sent to
 * it, so a guard that is down is a warning: deletions of users pass without one.
 */
export function guardCheck(inquiry: Inquiry): HealthCheck[] {
  const [type] = webhookConfigurationTypes;
  return (valueIn(listEverywhere(inquiry, type)) ?? []).flatMap(({ name, facts }) =>
    (facts?.webhooks ?? [])
      .filter((webhook) => webhook.name === guardWebhook)
      .map(({ clientConfig }) => checkOf(inquiry, name, clientConfig?.service)),
  );
}

function checkOf(
  inquiry: Inquiry,
  configuration: string,
  service: { readonly namespace?: string; readonly name?: string } | undefined,
): HealthCheck {
  const { namespace = '', name } = service ?? {};
  if (name === undefined) {
    const because = `${configuration} judges deletions of users, at a URL`;
    return healthCheck('guard', 'ok', because);
  }
  const { ready, evidence } = backendsOf(inquiry, namespace, name);
  if (ready) {
    const because = `${configuration} answers, and judges deletions of users`;
    return healthCheck('guard', 'ok', because, { evidence });
  }
  const because =
    ready === false
      ? `${configuration} has no server (Service ${namespace}/${name}): deletions pass unjudged`
      : `could not determine whether ${configuration} answers (Service ${namespace}/${name})`;
  return healthCheck('guard', 'warning', because, {
    evidence,
    command: suggested(
      'To see its Pods',
      shellCommand`kubectl get pods -n ${namespace} -l app.kubernetes.io/component=guard`,
    ),
  });
}
