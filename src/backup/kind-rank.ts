import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';

const first = new Set([
  'namespaces',
  'customresourcedefinitions.apiextensions.k8s.io',
  'priorityclasses.scheduling.k8s.io',
  'storageclasses.storage.k8s.io',
  'serviceaccounts',
  'secrets',
  'configmaps',
  'persistentvolumes',
  'persistentvolumeclaims',
  'services',
  // Their StatefulSet or DaemonSet would number the history anew.
  'controllerrevisions.apps',
]);

/** They decide about everything that is created after them, and need programs that run again. */
const last = new Set([
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
]);

/** Where a kind comes: what others use first, what refuses others last. */
export function kindRank(type: ResourceType): 'first' | 'middle' | 'last' {
  const resource = groupResourceOf(type);
  if (first.has(resource)) return 'first';
  return last.has(resource) ? 'last' : 'middle';
}
