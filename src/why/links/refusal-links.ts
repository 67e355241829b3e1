import { isConversionFailure } from '../../cluster/unlistable.ts';
import { serviceName } from '../../controllers/endpoints/endpointslice.ts';
import {
  crdType,
  endpointSliceType,
  namespaceType,
  policyType,
  serviceType,
  webhookConfigurationTypes,
} from '../../kube/core-types.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import {
  bareRecord,
  isBeingDeleted,
  type ObjectFacts,
  type ObjectRecord,
} from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import {
  coversKind,
  coversOperation,
  hasBackend,
  mayJudge,
  mustAnswer,
  readyEndpoints,
  requiredService,
  type Webhook,
  withoutServerInWords,
} from '../../programs/admission-rule.ts';
import { type Link, link } from '../chain.ts';
import { accountOf, type ControllerWithAccount, controllerTitles } from '../controller-accounts.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  listEverywhere,
  presence,
  readAllWhole,
  readWhole,
  seenIn,
  valueIn,
} from '../inquiry.ts';

/** A webhook that is asked about it, must answer, and has no server: no dry run is needed to see that. */
export function provenRefusal(
  inquiry: Inquiry,
  record: ObjectRecord,
  operation: 'delete' | 'update',
): Link | undefined {
  const home = namespaceOf(inquiry, record);
  return deadWebhooks(inquiry)
    .filter(({ webhook }) => mustAnswer(webhook, operation, record, home))
    .map(({ found }) => found)[0];
}

/** Policies that may refuse what a controller does: only a dry run shows whether they do, and files cannot be asked for one. */
export function judgingPolicies(
  inquiry: Inquiry,
  record: ObjectRecord,
  operation: 'delete' | 'update' = 'update',
  controller: ControllerWithAccount = 'garbage-collector-controller',
): Link[] {
  if (inquiry.origin === 'cluster') return [];
  const kind = groupResourceOf(record.type);
  const { name } = accountOf(controller);
  return policiesFor(inquiry, record, operation).map((policy) =>
    link(
      policy,
      'admission-policy',
      'unknown',
      `${policy.type.kind} ${policy.name} judges ${operation}s of ${kind}; the input does not show whether it refuses those of the ${controllerTitles[controller]}`,
      {
        next: `Ask the cluster. If it refuses them, exempt ${name} in the policy.`,
      },
    ),
  );
}

/** Policies that may be asked about this operation on an object. */
export function policiesFor(
  inquiry: Inquiry,
  record: ObjectRecord,
  operation: 'delete' | 'update',
): readonly ObjectRecord[] {
  const reading = inquiry.ask({ ask: 'list', type: policyType, namespace: undefined });
  return seenIn(reading).filter((policy) => mayJudge(policy, operation, record));
}

/** Webhooks that may be asked about this operation on an object, with their configurations. */
export function webhooksFor(
  inquiry: Inquiry,
  record: ObjectRecord,
  operation: 'delete' | 'update',
): readonly { readonly configuration: ObjectRecord; readonly webhook: Webhook }[] {
  return webhookConfigurationTypes.flatMap((type) =>
    seenIn(inquiry.ask({ ask: 'list', type, namespace: undefined })).flatMap((configuration) =>
      (configuration.facts?.webhooks ?? []).flatMap((webhook) =>
        (webhook.rules ?? []).some(
          (rule) => coversOperation(rule, operation) && coversKind(rule, record.type),
        )
          ? [{ configuration, webhook }]
          : [],
      ),
    ),
  );
}

function deadWebhooks(inquiry: Inquiry) {
  return inquiry.once('webhooks without a server', () =>
    webhookConfigurationTypes.flatMap((type) =>
      (valueIn(inquiry.ask({ ask: 'list', type, namespace: undefined })) ?? []).flatMap(
        (configuration) =>
          (configuration.facts?.webhooks ?? []).flatMap((webhook) =>
            deadWebhookLink(inquiry, configuration, webhook).map((found) => ({ webhook, found })),
          ),
      ),
    ),
  );
}

/** That nothing answers for a webhook that has to; nothing where something may. */
export function deadWebhookLink(
  inquiry: Inquiry,
  configuration: ObjectRecord,
  webhook: Webhook,
): Link[] {
  const service = requiredService(webhook);
  if (!service) return [];
  const { ready, evidence } = backendsOf(inquiry, service.namespace, service.name);
  if (ready !== false) return [];
  return [
    link(configuration, 'admission-webhook-down', 'blocked', withoutServerInWords(webhook), {
      evidence,
      next: restoreServer(inquiry, webhook.clientConfig, configuration),
    }),
  ];
}

/** What to do about a webhook without a server. Nothing is created in a namespace that is being deleted. */
function restoreServer(
  inquiry: Inquiry,
  client: WebhookClient,
  { type, name }: Pick<ObjectRecord, 'type' | 'name'>,
): string {
  const namespace = client?.service?.namespace;
  const home =
    namespace === undefined
      ? undefined
      : valueIn(
          inquiry.ask({ ask: 'object', type: namespaceType, namespace: '', name: namespace }),
        );
  return home && isBeingDeleted(home)
    ? `Delete ${type.kind} ${name}: namespace ${namespace} is being deleted, so its server cannot be created there.`
    : `Restore its server; if it will never run again, delete ${type.kind} ${name}.`;
}

/** `admission webhook "x" denied the request`, `failed calling webhook "x"`. */
const admission = /(?:admission|failed calling) webhook "([^"]+)"/;
const conversion = /conversion webhook for ([^,\s]+), Kind=(\w+)/;

/** `ValidatingAdmissionPolicy 'x' with binding 'y' denied request: …` */
const refusedByPolicy =
  /\b(\w+AdmissionPolicy) '([^']+)' with binding '[^']+' denied request: (.*)/s;

/** Whose request is refused, and what it is about. */
interface RefusedRequest {
  readonly cause: 'deletion-refused' | 'removal-refused';
  readonly by: ControllerWithAccount;
}

/** The policy that refuses a controller, as a link; undefined when the refusal names none. */
function policyLink(
  inquiry: Inquiry,
  message: string,
  { cause, by }: RefusedRequest,
): Link | undefined {
  const [, kind = '', name = '', told = ''] = refusedByPolicy.exec(message) ?? [];
  const type = inquiry.types.ofKind(policyType.group, kind);
  if (!type) return undefined;
  const because = `it refuses the ${controllerTitles[by]}: ${told}`;
  return link(bareRecord({ type, namespace: '', name }), cause, 'blocked', because, {
    next: `Exempt ${accountOf(by).name} in the policy, or do what it asks for.`,
  });
}

/** Does a refusal name a policy? It does so in the same words to all users. */
export function namesPolicy(message: string): boolean {
  return refusedByPolicy.test(message);
}

/**
 * The webhook that a refusal names, and of one to a controller the policy, as a link; undefined when it names none. `about`: the object
 * of the request.
 */
export function judgeLink(
  inquiry: Inquiry,
  message: string,
  {
    about,
    refused,
  }: { readonly about?: ObjectRecord; readonly refused?: RefusedRequest | undefined } = {},
): Link | undefined {
  const found = refused && policyLink(inquiry, message, refused);
  return found ?? webhookLink(inquiry, message, about);
}

/** The webhook that a refusal names, as a link; undefined when it names none. */
function webhookLink(inquiry: Inquiry, message: string, about?: ObjectRecord): Link | undefined {
  const admitting = admission.exec(message)?.[1];
  if (admitting !== undefined) return admissionLink(inquiry, admitting, message, about);
  const converted = conversion.exec(message);
  if (!converted) return undefined;
  const group = (converted[1] ?? '').split('/')[0] ?? '';
  const kind = converted[2] ?? '';
  const resource = inquiry.types.ofKind(group, kind);
  return conversionLink(
    inquiry,
    `${resource?.resource ?? `${kind.toLowerCase()}s`}.${group}`,
    message,
  );
}

function admissionLink(
  inquiry: Inquiry,
  webhook: string,
  message: string,
  about: ObjectRecord | undefined,
): Link {
  const denied = message.includes('denied the request');
  const cause = denied ? 'removal-refused' : 'admission-webhook-down';
  const named = webhooksNamed(inquiry, webhook);
  const [one] = about ? named.filter(({ found }) => isAsked(inquiry, found, about)) : [];
  const judge = one ?? named[0];
  if (!judge) {
    const [type] = webhookConfigurationTypes;
    const object = bareRecord({ type, namespace: '', name: webhook });
    return link(object, cause, 'blocked', message, {
      next: `Find the webhook ${webhook} and bring its server back.`,
    });
  }
  const { configuration, found, what, readAt } = judge;
  const evidence: Evidence[] = [
    {
      what,
      readAt,
      value: `${configuration.name} calls ${serverOf(found.clientConfig)}, failurePolicy ${found.failurePolicy ?? 'Fail'}`,
    },
    ...serviceEvidence(inquiry, found.clientConfig),
  ];
  const [because, next] = denied
    ? [
        `the admission webhook ${webhook} denies it: ${message}`,
        'Do what the webhook asks for, or ask the people who run it.',
      ]
    : [
        `the admission webhook ${webhook} does not answer, so the API server refuses: ${message}`,
        restoreServer(inquiry, found.clientConfig, configuration),
      ];
  return link(configuration, cause, 'blocked', because, { evidence, next });
}

/** The webhooks of this name: several configurations may have one. */
function webhooksNamed(inquiry: Inquiry, webhook: string) {
  return webhookConfigurationTypes.flatMap((type) => {
    const reading = listEverywhere(inquiry, type);
    if (reading.state !== 'read') return [];
    const { what, readAt } = reading;
    return reading.value.flatMap((configuration) => {
      const found = configuration.facts?.webhooks?.find(({ name }) => name === webhook);
      return found ? [{ configuration, found, what, readAt }] : [];
    });
  });
}

/** Is a webhook asked about deletions or changes of an object, unless its conditions exempt it? */
function isAsked(inquiry: Inquiry, webhook: Webhook, record: ObjectRecord): boolean {
  const always = { ...webhook, failurePolicy: 'Fail', matchConditions: [] };
  const home = namespaceOf(inquiry, record);
  return (['delete', 'update'] as const).some((operation) =>
    mustAnswer(always, operation, record, home),
  );
}

function namespaceOf(inquiry: Inquiry, { namespace: name }: ObjectRecord) {
  if (name === '') return undefined;
  return valueIn(inquiry.ask({ ask: 'object', type: namespaceType, namespace: '', name }));
}

/** The conversion webhook of a CustomResourceDefinition that does not answer, or, as far as the message shows, may not. */
export function conversionLink(inquiry: Inquiry, crd: string, message: string): Link {
  const seen = inquiry.ask({ ask: 'object', type: crdType, namespace: '', name: crd });
  const reading = readWhole(seen);
  const client = valueIn(reading)?.facts?.conversionClient;
  const object = valueIn(seen) ?? bareRecord({ type: crdType, namespace: '', name: crd });
  const isConversion = isConversionFailure(message);
  const because = isConversion
    ? `the conversion webhook of ${crd} does not answer, so its objects can neither be read nor changed: ${message}`
    : `the API server cannot read objects of ${crd}: its conversion webhook does not answer, or they are damaged in etcd: ${message}`;
  const otherwise = ' If the webhook answers, restore the objects in etcd from a backup.';
  return link(object, 'conversion-webhook-down', 'blocked', because, {
    rule: 'GC-80',
    evidence: [
      ...evidenceOf(reading, (found) =>
        found ? `converts by ${serverOf(client)}` : 'is not there',
      ),
      ...serviceEvidence(inquiry, client),
    ],
    next: `Restore the webhook server. If it will never run again, set spec.conversion.strategy of the CustomResourceDefinition to None.${isConversion ? '' : otherwise}`,
  });
}

/** How the API server reaches a webhook. */
type WebhookClient = ObjectFacts['conversionClient'];

function serverOf(client: WebhookClient): string {
  const { namespace = '', name = '' } = client?.service ?? {};
  return client?.url ?? `Service ${namespace}/${name}`;
}

/** Does the Service exist, and does it have ready endpoints? */
function serviceEvidence(inquiry: Inquiry, client: WebhookClient): Evidence[] {
  const { namespace = '', name } = client?.service ?? {};
  return name === undefined ? [] : backendsOf(inquiry, namespace, name).evidence;
}

/** Evidence on a Service; `ready` is false when it is certain that nothing answers. */
export function backendsOf(
  inquiry: Inquiry,
  namespace: string,
  name: string,
): {
  readonly exists: boolean | undefined;
  readonly ready: boolean | undefined;
  readonly evidence: Evidence[];
} {
  const service = inquiry.ask({ ask: 'object', type: serviceType, namespace, name });
  const evidence = presence(service);
  if (service.state !== 'read') return { exists: undefined, ready: undefined, evidence };
  if (!service.value) return { exists: false, ready: false, evidence };
  const labels = { [serviceName]: name };
  const slices = readAllWhole(
    inquiry.ask({ ask: 'list', type: endpointSliceType, namespace, labels }),
  );
  const ready = hasBackend(service.value, valueIn(slices));
  if (service.value.facts?.serviceType !== 'ExternalName') {
    evidence.push(...evidenceOf(slices, (list) => counted(readyEndpoints(list), 'ready endpoint')));
  }
  return { exists: true, ready, evidence };
}
