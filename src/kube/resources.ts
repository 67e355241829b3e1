/** Resources as kubectl names them: the plural and, after a dot, the API group. */
export const controllerRevisions = 'controllerrevisions.apps';
export const customResourceDefinitions = 'customresourcedefinitions.apiextensions.k8s.io';
export const deployments = 'deployments.apps';
export const endpointSlices = 'endpointslices.discovery.k8s.io';
export const leases = 'leases.coordination.k8s.io';
export const persistentVolumeClaims = 'persistentvolumeclaims';
export const persistentVolumes = 'persistentvolumes';
export const pods = 'pods';
export const replicaSets = 'replicasets.apps';
export const resourceClaims = 'resourceclaims.resource.k8s.io';
export const resourceSlices = 'resourceslices.resource.k8s.io';
export const volumeAttachments = 'volumeattachments.storage.k8s.io';
