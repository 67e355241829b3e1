import { labelSelector } from '../label-selector.ts';
import { at, isSet, labels, list, object, objectsAt, stringOrEmpty, text, time } from './shape.ts';

// What Kyverno deletes by a schedule. All are custom resources, which servers send as JSON alone: no field has a number.

const scheduled = {
  schedule: at('spec.schedule', '1', text),
  lastExecution: at('status.lastExecutionTime', '1', time),
};

/** ResourceDescription, api/kyverno/v1/resource_description_types.go of kyverno/kyverno. */
const resourceDescription = object({
  kinds: at('kinds', '1', list(text)),
  name: at('name', '1', text),
  names: at('names', '1', list(text)),
  namespaces: at('namespaces', '1', list(text)),
  annotations: at('annotations', '1', labels),
  selector: at('selector', '1', labelSelector),
  namespaceSelector: at('namespaceSelector', '1', labelSelector),
});

const resourceFilters = object({
  any: objectsAt('any', '1', { resources: at('resources', '1', resourceDescription) }),
  all: objectsAt('all', '1', { resources: at('resources', '1', resourceDescription) }),
});

export const cleanupPolicyFields = {
  ...scheduled,
  cleanupMatch: at('spec.match', '1', resourceFilters),
  cleanupExclude: at('spec.exclude', '1', resourceFilters),
  hasConditions: at('spec.conditions', '1', isSet),
};

const namedRules = {
  apiGroups: at('apiGroups', '1', list(stringOrEmpty)),
  resources: at('resources', '1', list(text)),
  resourceNames: at('resourceNames', '1', list(text)),
  scope: at('scope', '1', text),
};

export const deletingPolicyFields = {
  ...scheduled,
  matchConstraints: at(
    'spec.matchConstraints',
    '1',
    object({
      namespaceSelector: at('namespaceSelector', '1', labelSelector),
      objectSelector: at('objectSelector', '1', labelSelector),
      resourceRules: objectsAt('resourceRules', '1', namedRules),
      excludeResourceRules: objectsAt('excludeResourceRules', '1', namedRules),
    }),
  ),
  deletingConditions: objectsAt('spec.conditions', '1', { name: at('name', '1', text) }),
};
