import { labelSelector } from '../label-selector.ts';
import { conditions } from './condition.ts';
import { at, list, object, objectAt, objects, objectsAt, stringOrEmpty, text } from './shape.ts';

// What `why` looks at: APIs and webhooks that do not answer, and who may change an object.

const apiConditions = conditions({ lastTransitionTime: 3, reason: 4, message: 5 });

/** The server behind a webhook: a Service, or an address. */
const clientConfig = object({
  service: objectAt('service', '1', {
    namespace: at('namespace', '1', text),
    name: at('name', '2', text),
  }),
  url: at('url', '3', text),
});

export const apiServiceFields = {
  apiGroup: at('spec.group', '2.2', text),
  apiGroupVersion: at('spec.version', '2.3', text),
  /** Undefined: the API server itself answers. */
  serviceNamespace: at('spec.service.namespace', '2.1.1', text),
  serviceName: at('spec.service.name', '2.1.2', text),
  conditions: at('status.conditions', '3.1', apiConditions),
};

export const customResourceDefinitionFields = {
  /** `Webhook`, else nothing. */
  conversionStrategy: at('spec.conversion.strategy', '2.9.1', text),
  conversionClient: at('spec.conversion.webhook.clientConfig', '2.9.2.2', clientConfig),
  conditions: at('status.conditions', '3.1', apiConditions),
};

const webhookFields = {
  name: at('name', '1', text, ''),
  clientConfig: at('clientConfig', '2', clientConfig),
  failurePolicy: at('failurePolicy', '4', text),
  rules: objectsAt('rules', '3', {
    operations: at('operations', '1', list(text)),
    apiGroups: at('apiGroups', '2.1', list(stringOrEmpty)),
    resources: at('resources', '2.3', list(text)),
    /** `Cluster` or `Namespaced`: of these kinds alone. */
    scope: at('scope', '2.4', text),
  }),
  namespaceSelector: at('namespaceSelector', '5', labelSelector),
};

const matchConditions = objects({
  name: at('name', '1', text, ''),
  expression: at('expression', '2', text),
});

/** The two kinds number some fields of their webhooks differently. */
const webhooksWith = (selectorNumber: string, conditionsNumber: string) => ({
  webhooks: objectsAt('webhooks', '2', {
    ...webhookFields,
    objectSelector: at('objectSelector', selectorNumber, labelSelector),
    matchConditions: at('matchConditions', conditionsNumber, matchConditions),
  }),
});

export const validatingWebhookFields = webhooksWith('10', '11');
export const mutatingWebhookFields = webhooksWith('11', '12');

export const validatingPolicyFields = {
  policyRules: objectsAt('spec.matchConstraints.resourceRules', '2.2.3', {
    operations: at('operations', '2.1', list(text)),
    apiGroups: at('apiGroups', '2.2.1', list(stringOrEmpty)),
    resources: at('resources', '2.2.3', list(text)),
    scope: at('scope', '2.2.4', text),
  }),
  policyValidations: objectsAt('spec.validations', '2.3', {
    expression: at('expression', '1', text),
  }),
  policyConditions: objectsAt('spec.matchConditions', '2.6', {
    expression: at('expression', '2', text),
  }),
  policyVariables: objectsAt('spec.variables', '2.7', {
    expression: at('expression', '2', text),
  }),
};

/** The two kinds number the fields alike as far as these. */
export const mutatingPolicyFields = { policyRules: validatingPolicyFields.policyRules };

export const roleFields = {
  rules: objectsAt('rules', '2', {
    verbs: at('verbs', '1', list(text)),
    apiGroups: at('apiGroups', '2', list(stringOrEmpty)),
    resources: at('resources', '3', list(text)),
    resourceNames: at('resourceNames', '4', list(text)),
  }),
};

export const roleBindingFields = {
  subjects: objectsAt('subjects', '2', {
    kind: at('kind', '1', text, ''),
    name: at('name', '3', text, ''),
    namespace: at('namespace', '4', text),
  }),
  roleRef: objectAt('roleRef', '3', {
    kind: at('kind', '2', text, ''),
    name: at('name', '3', text, ''),
  }),
};
