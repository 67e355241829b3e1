import { builtInTypes } from './built-in-types.ts';
import type { ResourceType } from './resource-type.ts';
import { ResourceTypes } from './resource-types.ts';

/** The kinds that are known before a server is asked. */
export const builtIn = new ResourceTypes(builtInTypes, { exhaustive: false });

/** What is found among them; undefined where a kind is not built in or the question is wrong, which discovery shows. */
export function amongBuiltIn<T>(find: (types: ResourceTypes) => T): T | undefined {
  try {
    return find(builtIn);
  } catch {
    return undefined;
  }
}

/** A kind that every server serves, whatever its discovery says right now. */
function coreType(apiVersion: string, kind: string): ResourceType {
  const type = builtIn.find(apiVersion, kind);
  if (!type) throw new Error(`${apiVersion} ${kind} is no built-in kind`);
  return type;
}

export const podType = coreType('v1', 'Pod');
export const secretType = coreType('v1', 'Secret');
export const configMapType = coreType('v1', 'ConfigMap');
export const namespaceType = coreType('v1', 'Namespace');
export const nodeType = coreType('v1', 'Node');
export const leaseType = coreType('coordination.k8s.io/v1', 'Lease');
export const eventType = coreType('v1', 'Event');
export const serviceType = coreType('v1', 'Service');
export const endpointSliceType = coreType('discovery.k8s.io/v1', 'EndpointSlice');
export const apiServiceType = coreType('apiregistration.k8s.io/v1', 'APIService');
export const crdType = coreType('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
export const claimType = coreType('v1', 'PersistentVolumeClaim');
export const volumeType = coreType('v1', 'PersistentVolume');
export const budgetType = coreType('policy/v1', 'PodDisruptionBudget');
export const attachmentType = coreType('storage.k8s.io/v1', 'VolumeAttachment');
export const jobType = coreType('batch/v1', 'Job');
export const statefulSetType = coreType('apps/v1', 'StatefulSet');
export const workloadTypes = [
  coreType('apps/v1', 'Deployment'),
  statefulSetType,
  coreType('apps/v1', 'DaemonSet'),
];
export const webhookConfigurationTypes = [
  coreType('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'),
  coreType('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'),
] as const;
export const policyType = coreType('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy');
export const bindingType = coreType(
  'admissionregistration.k8s.io/v1',
  'ValidatingAdmissionPolicyBinding',
);
export const mutatingPolicyTypes = [
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
].map((kind) => coreType('admissionregistration.k8s.io/v1', kind));
export const roleTypes = ['ClusterRole', 'Role'].map((kind) =>
  coreType('rbac.authorization.k8s.io/v1', kind),
);
export const roleBindingTypes = ['ClusterRoleBinding', 'RoleBinding'].map((kind) =>
  coreType('rbac.authorization.k8s.io/v1', kind),
);
