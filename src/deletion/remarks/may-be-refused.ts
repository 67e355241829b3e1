import { counted, countsByKind, firstOf } from '../../kube/counts-by-kind.ts';
import { at, namedFields } from '../../kube/facts/shape.ts';
import { composeFields, readFields } from '../../kube/facts/shape-in-json.ts';
import { fieldAt, fieldsOf, listAt, textAt } from '../../kube/json-value.ts';
import { labelSelector } from '../../kube/label-selector.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { kindAndName, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import {
  coversKind,
  coversOperation,
  type Selectors,
  selectorsTake,
} from '../../programs/admission-rule.ts';
import { guardWebhook } from '../../programs/deletion-approval.ts';
import type { Plan, PlanRemark } from '../plan/plan.ts';
import { disappearingIn } from '../plan/plan-totals.ts';

/** What judges requests on a cluster, as far as it could be read. */
export interface AdmissionRules {
  /** ValidatingWebhookConfigurations and MutatingWebhookConfigurations. */
  readonly webhooks: readonly JudgingObject[];
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

/** A webhook configuration or a policy, and which of the objects that controllers delete it is asked about. */
export interface AdmissionJudge {
  readonly by: ObjectRecord;
  /** By which its refusals name it: its own name, or those of its webhooks. */
  readonly names: readonly string[];
  readonly judged: readonly ObjectRecord[];
}

/**
 * The webhooks and policies that are asked about dependents: the garbage collector or the namespace
 * controller deletes these, so no dry run under the own name shows the answer. The requesting user and `matchConditions` are not
 * evaluated. What waits for a webhook without a server is refused for certain.
 */
export function judgesAlong(
  { objects, requests }: Pick<Plan, 'objects' | 'requests'>,
  records: readonly ObjectRecord[],
  rules: AdmissionRules,
): readonly AdmissionJudge[] {
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
  return judgesOf(rules, labelsOf).flatMap(({ isJudged, ...judge }) => {
    if (asked.has(objectKey(judge.by))) return [];
    const judged = going.filter(isJudged);
    return judged.length > 0 ? [{ ...judge, judged }] : [];
  });
}

/** Names those that may refuse an object; `accepted`: the objects, by uid, of which it was shown that none does. */
export function mayBeRefused(
  judges: readonly AdmissionJudge[],
  accepted: ReadonlySet<string> = new Set(),
): PlanRemark[] {
  const open = judges.flatMap(({ by, judged }) => {
    const left = judged.filter(({ uid }) => !accepted.has(uid));
    return left.length > 0 ? [{ by: referenceTo(by), left }] : [];
  });
  if (open.length === 0) return [];
  const judging = open.map(
    ({ by, left }) => `${kindAndName(by)} (${countsByKind(left.map(referenceTo))})`,
  );
  const { size } = new Set(open.flatMap(({ left }) => left));
  const message = `The API server asks ${firstOf(judging)} before it deletes ${counted(size, 'further object')}. A refused object remains.`;
  return [{ code: 'may-be-refused', severity: 'note', message, objects: open.map(({ by }) => by) }];
}

function judgesOf(
  { webhooks, policies, bindings }: AdmissionRules,
  labelsOf: ReadonlyMap<string, Labels>,
): (Omit<AdmissionJudge, 'judged'> & { readonly isJudged: IsJudged })[] {
  return [
    ...webhooks.map(({ object, type }) => {
      // No controller asks the guard.
      const each = listAt(object, 'webhooks')
        .filter((webhook) => textAt(webhook, 'name') !== guardWebhook)
        .map((webhook) => selection(webhook, listAt(webhook, 'rules'), labelsOf));
      const isJudged: IsJudged = (record) => each.some((isSelected) => isSelected(record));
      const names = listAt(object, 'webhooks').map((webhook) => textAt(webhook, 'name') ?? '');
      return { by: recordOf(object, type), names, isJudged };
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
      const by = recordOf(object, type);
      return { by, names: [by.name], isJudged };
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
