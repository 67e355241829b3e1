import { coversKind, coversOperation } from '../../kube/admission-rule.ts';
import { webhookConfigurationTypes } from '../../kube/core-types.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import type { ObjectFacts, ObjectRecord } from '../../kube/object-record.ts';
import { isMonitored, type ResourceType } from '../../kube/resource-type.ts';
import { type Link, link } from '../chain.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  type ReviewedUser,
  readAllWhole,
  valueIn,
} from '../inquiry.ts';
import { backendsOf, rehearseDeletion } from '../links/refusal-links.ts';
import { type HealthCheck, healthCheck } from './health-check.ts';

/** The maximum number of kinds to try; each takes one dry run. */
const mostSamples = 12;

/**
 * Does an admission webhook or RBAC refuse what the garbage collector does? Dry runs on existing
 * objects show it.
 */
export function admissionCheck(inquiry: Inquiry, user: ReviewedUser): HealthCheck {
  const readings = webhookConfigurationTypes.map((type) =>
    readAllWhole(inquiry.ask({ ask: 'list', type, namespace: undefined })),
  );
  const evidence: Evidence[] = [];
  const links: Link[] = [];
  const rules: unknown[] = [];
  for (const reading of readings) {
    evidence.push(...evidenceOf(reading, (list) => `${list.length} read`));
    for (const configuration of valueIn(reading) ?? []) {
      for (const webhook of configuration.facts?.webhooks?.filter(mayRefuse) ?? []) {
        rules.push(...(webhook.rules ?? []));
        links.push(...deadWebhook(inquiry, configuration, webhook));
      }
    }
  }
  const content = inquiry.ask({ ask: 'content', namespace: undefined });
  const samples = samplesOf(valueIn(content)?.records ?? [], rules);
  let untold = [...readings, content].some(({ state }) => state !== 'read');
  for (const sample of samples) {
    const tried = rehearseDeletion(inquiry, sample, user);
    evidence.push(...tried.evidence);
    untold ||= tried.isUntold;
    if (tried.refusal && !links.some(({ object }) => object.name === tried.refusal?.object.name)) {
      links.push(tried.refusal);
    }
  }
  const details = { rule: 'GC-43', evidence, links };
  if (links.length > 0) {
    const because = 'deletions or changes by the garbage collector are refused';
    return healthCheck('admission', 'failing', because, details);
  }
  if (untold) {
    const because = 'whether admission lets the garbage collector act could not be checked in full';
    return healthCheck('admission', 'unknown', because, details);
  }
  const tried =
    samples.length === 0
      ? 'no webhook judges deletions'
      : `${counted(samples.length, 'dry run')} of its deletions ${samples.length === 1 ? 'was' : 'were'} accepted`;
  return healthCheck('admission', 'ok', `nothing refuses the garbage collector: ${tried}`, details);
}

type Webhook = NonNullable<ObjectFacts['webhooks']>[number];

/** Only a webhook for deletions or updates can stop the garbage collector. */
function mayRefuse({ rules = [] }: Webhook): boolean {
  return rules.some((rule) => coversOperation(rule, 'delete') || coversOperation(rule, 'update'));
}

function deadWebhook(
  inquiry: Inquiry,
  configuration: ObjectRecord,
  { name, clientConfig, failurePolicy }: Webhook,
): Link[] {
  const { namespace = '', name: service } = clientConfig?.service ?? {};
  if (service === undefined || failurePolicy === 'Ignore') return [];
  const { ready, evidence } = backendsOf(inquiry, namespace, service);
  if (ready !== false) return [];
  const because = `the admission webhook ${name} has no server (Service ${namespace}/${service}), and its failurePolicy is Fail`;
  return [
    link(configuration, 'admission-webhook-down', 'blocked', because, {
      evidence,
      next: `Bring its server back; if it is gone for good, delete ${configuration.type.kind} ${configuration.name}.`,
    }),
  ];
}

/** One object for each kind that a webhook judges, one with an owner where there is one. */
function samplesOf(records: readonly ObjectRecord[], rules: readonly unknown[]): ObjectRecord[] {
  if (rules.length === 0) return [];
  const samples = new Map<ResourceType, ObjectRecord>();
  for (const record of records) {
    const { type, ownerReferences, deletionTimestamp } = record;
    if (!isMonitored(type) || deletionTimestamp !== undefined) continue;
    const before = samples.get(type);
    if (before && (before.ownerReferences.length > 0 || ownerReferences.length === 0)) continue;
    if (before || rules.some((rule) => coversKind(rule, type))) samples.set(type, record);
  }
  return [...samples.values()]
    .sort((a, b) => Number(b.ownerReferences.length > 0) - Number(a.ownerReferences.length > 0))
    .slice(0, mostSamples);
}
