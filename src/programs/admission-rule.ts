import { listAt, textAt } from '../kube/json-value.ts';
import { isEmptySelector, type LabelSelector, matchesSelector } from '../kube/label-selector.ts';
import type { ObjectFacts, ObjectRecord } from '../kube/object-record.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import { isNamespace } from '../kube/well-known-kinds.ts';

/** One of the `rules` of a webhook, or of the `resourceRules` of a policy, as the API has it. */
type AdmissionRule = unknown;

/** The API server asks nothing about these (IsExemptAdmissionConfigurationResource, pkg/admission/plugin/webhook/predicates/rules). */
const exempt = 'admissionregistration.k8s.io';

/** Is it about deletions, or about updates? */
export function coversOperation(rule: AdmissionRule, operation: 'delete' | 'update'): boolean {
  const operations = listAt(rule, 'operations');
  return operations.includes('*') || operations.includes(operation.toUpperCase());
}

/**
 * Is it about objects of this kind? Versions do not count: by default a rule for one is asked about all of them.
 * Mirrors Matcher, k8s.io/apiserver pkg/admission/plugin/webhook/predicates/rules.
 */
export function coversKind(rule: AdmissionRule, type: ResourceType): boolean {
  if (type.group === exempt) return false;
  const scope = textAt(rule, 'scope');
  if (scope === (type.namespaced ? 'Cluster' : 'Namespaced')) return false;
  return (
    listAt(rule, 'apiGroups').some((entry) => entry === '*' || entry === type.group) &&
    listAt(rule, 'resources').some((entry) => {
      const [resource, subresource = ''] = String(entry).split('/');
      return (resource === '*' || resource === type.resource) && ['', '*'].includes(subresource);
    })
  );
}

/** Which objects a webhook, a policy or a binding is about, by their labels. */
export interface Selectors {
  readonly objectSelector?: LabelSelector | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
}

/**
 * Do these selectors take an object? `namespace`: the labels of its namespace; undefined where they decide and were not
 * read.
 */
export function selectorsTake(
  { objectSelector, namespaceSelector }: Selectors,
  record: Pick<ObjectRecord, 'type' | 'namespace' | 'labels'>,
  namespace: { readonly labels?: ObjectRecord['labels'] } | undefined,
): boolean | undefined {
  if (!isEmptySelector(objectSelector) && !matchesSelector(objectSelector, record.labels)) {
    return false;
  }
  if (isEmptySelector(namespaceSelector)) return true;
  // A Namespace is judged by its own labels; other objects in no namespace are never exempt (MatchNamespaceSelector).
  if (record.namespace === '' && !isNamespace(record)) return true;
  const place = isNamespace(record) ? record : namespace;
  return place && matchesSelector(namespaceSelector, place.labels);
}

export type Webhook = NonNullable<ObjectFacts['webhooks']>[number];

/**
 * Is a webhook certainly asked about this operation on an object, and is the operation refused where the webhook does not answer?
 * `namespace`: the labels of the object's namespace, where they were read. What conditions decide is not certain.
 */
export function mustAnswer(
  webhook: Webhook,
  operation: 'delete' | 'update',
  record: Pick<ObjectRecord, 'type' | 'namespace' | 'labels'>,
  namespace: { readonly labels?: ObjectRecord['labels'] } | undefined,
): boolean {
  const { failurePolicy, rules = [], matchConditions = [] } = webhook;
  if (failurePolicy === 'Ignore' || matchConditions.length > 0) return false;
  if (!rules.some((rule) => coversOperation(rule, operation) && coversKind(rule, record.type))) {
    return false;
  }
  return selectorsTake(webhook, record, namespace) ?? false;
}

/** The Service that has to answer before a request is accepted; undefined where none has to, or it is asked at a URL. */
export function requiredService({ clientConfig, failurePolicy }: Webhook) {
  const { namespace = '', name } = clientConfig?.service ?? {};
  return name === undefined || failurePolicy === 'Ignore' ? undefined : { namespace, name };
}

/** Does something answer behind a Service? Undefined where that is not certain. `slices`: its EndpointSlices, where they were read. */
export function hasBackend(
  service: ObjectRecord,
  slices: readonly ObjectRecord[] | undefined,
): boolean | undefined {
  // No slices are made for it: its server is outside of the cluster.
  if (service.facts?.serviceType === 'ExternalName') return undefined;
  return slices && readyEndpoints(slices) > 0;
}

export function readyEndpoints(slices: readonly ObjectRecord[]): number {
  return slices
    .flatMap(({ facts }) => facts?.endpoints ?? [])
    .filter(({ ready }) => ready !== false).length;
}

export function withoutServerInWords({ name, clientConfig }: Webhook): string {
  const { namespace = '', name: service = '' } = clientConfig?.service ?? {};
  return `the admission webhook ${name} has no server (Service ${namespace}/${service}), and its failurePolicy is Fail`;
}

/** May a ValidatingAdmissionPolicy judge this? Its selectors, conditions and bindings may exempt the object. */
export function mayJudge(
  { facts }: Pick<ObjectRecord, 'facts'>,
  operation: 'delete' | 'update',
  { type }: Pick<ObjectRecord, 'type'>,
): boolean {
  const rules = facts?.policyRules ?? [];
  return rules.some((rule) => coversOperation(rule, operation) && coversKind(rule, type));
}

type Expressions = readonly { readonly expression?: string }[];

/** May the answer of a policy or a webhook depend on who asks, as its expressions show? */
export function goesByUser({
  policyConditions = [],
  policyValidations = [],
  policyVariables = [],
  matchConditions = [],
}: Partial<
  Readonly<
    Record<
      'policyConditions' | 'policyValidations' | 'policyVariables' | 'matchConditions',
      Expressions
    >
  >
>): boolean {
  return [policyConditions, policyValidations, policyVariables, matchConditions]
    .flat()
    .some(({ expression = '' }) => /\b(userInfo|authorizer)\b/.test(expression));
}
