import {
  coversKind,
  coversOperation,
  type Selectors,
  selectorsTake,
} from '../../kube/admission-rule.ts';
import { counted, countsByKind, firstOf } from '../../kube/counts-by-kind.ts';
import { guardWebhook } from '../../kube/deletion-approval.ts';
import { at, namedFields } from '../../kube/facts/shape.ts';
import { composeFields, readFields } from '../../kube/facts/shape-in-json.ts';
import { fieldAt, fieldsOf, listAt, textAt } from '../../kube/json-value.ts';
import { labelSelector } from '../../kube/label-selector.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import { disappearingIn } from '../plan/disappearing.ts';
import type { Plan, PlanRemark } from '../plan/plan.ts';

/** What judges requests on a cluster, as far as it could be read. */
export interface AdmissionRules {
  /** ValidatingWebhookConfigurations and MutatingWebhookConfigurations. */
  readonly webhooks: readonly JudgingObject[];
  /** ValidatingAdmissionPolicies. */
  readonly policies: readonly JudgingObject[];
  /** ValidatingAdmissionPolicyBindings. */
  readonly bindings: readonly KubeObject[];
  /** Namespaces that were read apart from the plan, for their labels. */
  readonly namespaces: readonly ObjectRecord[];
}

export interface JudgingObject {
  readonly object: KubeObject;
  readonly type: ResourceType;
}

type Labels = ObjectRecord['labels'];
type IsJudged = (record: ObjectRecord) => boolean;

/**
 * Names the webhooks and policies that are asked about dependents: the garbage collector or the namespace
 * controller deletes these, so no dry run of ours shows the answer. The requesting user and `matchConditions` are not
 * evaluated, so each of them only may refuse. What waits for a webhook without a server is refused for certain.
 */
export function mayBeRefused(
  { objects, requests }: Pick<Plan, 'objects' | 'requests'>,
  records: readonly ObjectRecord[],
  rules: AdmissionRules,
): PlanRemark[] {
  if (rules.webhooks.length + rules.policies.length === 0) return [];
  const asked = new Set(requests.map(objectKey));
  const isRefused = new Set(
    objects.flatMap(({ waitsFor = [] }) =>
      waitsFor.flatMap((wait) => ('webhook' in wait ? objectKey(wait.object) : [])),
    ),
  );
  const mayGoAlong = disappearingIn({ objects });
  const along = new Set(mayGoAlong.map(objectKey));
  // Most objects of a large cluster have none of these names, and no key is made of them.
  const names = new Set(mayGoAlong.map(({ name }) => name));
  const going = records.filter((record) => {
    if (!names.has(record.name)) return false;
    const key = objectKey(record);
    return along.has(key) && !asked.has(key) && !isRefused.has(key);
  });
  const labelsOf = new Map(
    [...rules.namespaces, ...records]
      .filter(isNamespace)
      .map(({ name, labels }): [string, Labels] => [name, labels]),
  );
  const judges = judgesOf(rules, labelsOf).flatMap(({ by, isJudged }) => {
    const judged = going.filter(isJudged);
    return judged.length > 0 ? [{ by, judged }] : [];
  });
  if (judges.length === 0) return [];
  const judging = judges.map(
    ({ by, judged }) => `${by.kind} ${by.name} (${countsByKind(judged.map(referenceTo))})`,
  );
  const { size } = new Set(judges.flatMap(({ judged }) => judged));
  const message = `The API server asks ${firstOf(judging)} before it deletes ${counted(size, 'further object')}. A refused object remains.`;
  return [
    { code: 'may-be-refused', severity: 'note', message, objects: judges.map(({ by }) => by) },
  ];
}

function judgesOf(
  { webhooks, policies, bindings }: AdmissionRules,
  labelsOf: ReadonlyMap<string, Labels>,
): { readonly by: ObjectReference; readonly isJudged: IsJudged }[] {
  return [
    ...webhooks.map(({ object, type }) => {
      // No controller asks the guard.
      const each = listAt(object, 'webhooks')
        .filter((webhook) => textAt(webhook, 'name') !== guardWebhook)
        .map((webhook) => selection(webhook, listAt(webhook, 'rules'), labelsOf));
      const isJudged: IsJudged = (record) => each.some((isSelected) => isSelected(record));
      return { by: referenceTo(recordOf(object, type)), isJudged };
    }),
    ...policies.map(({ object, type }) => {
      const constraints = fieldAt(object, 'spec.matchConstraints');
      const isMatched = selection(constraints, listAt(constraints, 'resourceRules'), labelsOf);
      const bound = bindings
        .filter((binding) => denies(binding, textAt(object, 'metadata.name')))
        .map((binding) => {
          const resources = fieldAt(binding, 'spec.matchResources');
          const rules = listAt(resources, 'resourceRules');
          return selection(resources, rules.length > 0 ? rules : [anything], labelsOf);
        });
      const refuses = listAt(object, 'spec.validations').length > 0;
      const isJudged: IsJudged = (record) =>
        refuses && isMatched(record) && bound.some((isSelected) => isSelected(record));
      return { by: referenceTo(recordOf(object, type)), isJudged };
    }),
  ];
}

/** A binding without rules takes all that its policy takes. */
const anything = { apiGroups: ['*'], operations: ['*'], resources: ['*'] };

function denies(binding: KubeObject, policy: string): boolean {
  return (
    textAt(binding, 'spec.policyName') === policy &&
    listAt(binding, 'spec.validationActions').includes('Deny')
  );
}

/** Does a webhook, a policy or a binding match the deletion of an object? Unknown fields may match. */
function selection(
  by: unknown,
  rules: readonly unknown[],
  labelsOf: ReadonlyMap<string, Labels>,
): IsJudged {
  const excluded = listAt(by, 'excludeResourceRules');
  const takes = (rule: unknown, { type, name }: ObjectRecord) => {
    const names = listAt(rule, 'resourceNames');
    const isNamed = names.length === 0 || names.includes(name);
    return isNamed && coversOperation(rule, 'delete') && coversKind(rule, type);
  };
  const selectors: Selectors = composeFields(
    selectorFields,
    readFields(selectorFields, fieldsOf(by)),
  );
  return (record) => {
    if (!rules.some((rule) => takes(rule, record))) return false;
    if (excluded.some((rule) => takes(rule, record))) return false;
    const isRead = labelsOf.has(record.namespace);
    const home = isRead ? { labels: labelsOf.get(record.namespace) } : undefined;
    return selectorsTake(selectors, record, home) ?? true;
  };
}

/** Policies and bindings name their selectors as webhooks do. */
const selectorFields = namedFields({
  objectSelector: at('objectSelector', '1', labelSelector),
  namespaceSelector: at('namespaceSelector', '2', labelSelector),
});
