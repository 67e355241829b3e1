import { listAt, textAt } from './json-value.ts';
import type { ResourceType } from './resource-type.ts';

/** One of the `rules` of a webhook, or of the `resourceRules` of a policy, as the API has it. */
type AdmissionRule = unknown;

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
