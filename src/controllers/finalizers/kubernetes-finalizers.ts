import type { FinalizerController, KnownFinalizer } from './known-finalizer.ts';

const kubernetes = 'https://github.com/kubernetes/kubernetes/blob/v1.36.3';

const inControllerManager = (title: string, controllerName: string): FinalizerController => ({
  title,
  runsIn: 'kube-controller-manager',
  controllerName,
  names: ['kube-controller-manager'],
  images: ['kube-controller-manager'],
  leases: ['kube-controller-manager'],
});

const garbageCollector = inControllerManager('garbage collector', 'garbage-collector-controller');
const volumeController = inControllerManager(
  'persistent volume controller',
  'persistentvolume-binder-controller',
);

/** Set by Kubernetes itself. */
export const kubernetesFinalizers: readonly KnownFinalizer[] = [
  {
    name: 'foregroundDeletion',
    setBy: garbageCollector,
    protects: 'the owner, until the dependents that block its deletion are gone',
    removedWhen: 'no dependent with blockOwnerDeletion: true is left',
    source: `${kubernetes}/pkg/controller/garbagecollector/garbagecollector.go`,
  },
  {
    name: 'orphan',
    setBy: garbageCollector,
    protects: 'the dependents, until none of them refers to the owner any more',
    removedWhen: 'every dependent has lost its reference to the object',
    source: `${kubernetes}/pkg/controller/garbagecollector/garbagecollector.go`,
  },
  {
    name: 'kubernetes.io/pvc-protection',
    setBy: inControllerManager(
      'PVC protection controller',
      'persistentvolumeclaim-protection-controller',
    ),
    protects: 'a claim that a pod uses',
    removedWhen: 'no pod that is bound to a node names the claim, finished ones included',
    source: `${kubernetes}/pkg/controller/volume/pvcprotection/pvc_protection_controller.go`,
  },
  {
    name: 'kubernetes.io/pv-protection',
    setBy: inControllerManager(
      'PV protection controller',
      'persistentvolume-protection-controller',
    ),
    protects: 'a volume that is bound to a claim',
    removedWhen: 'the volume is not in phase Bound any more',
    source: `${kubernetes}/pkg/controller/volume/pvprotection/pv_protection_controller.go`,
  },
  {
    name: 'kubernetes.io/pv-controller',
    setBy: volumeController,
    protects: 'the storage behind a volume of an in-tree plugin with reclaim policy Delete',
    removedWhen: 'the storage was deleted',
    source: `${kubernetes}/staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go`,
  },
  {
    name: 'kubernetes.io/vac-protection',
    setBy: inControllerManager(
      'VolumeAttributesClass protection controller',
      'volumeattributesclass-protection-controller',
    ),
    protects: 'a VolumeAttributesClass that a claim or a volume uses',
    removedWhen: 'no claim and no volume names it',
    source: `${kubernetes}/pkg/volume/util/finalizer.go`,
  },
  {
    name: 'batch.kubernetes.io/job-tracking',
    setBy: inControllerManager('Job controller', 'job-controller'),
    protects: "a Job's count of its finished pods",
    removedWhen: 'the pod is finished and counted, or its Job is gone',
    source: `${kubernetes}/pkg/controller/job/job_controller.go`,
  },
  {
    name: 'resource.kubernetes.io/delete-protection',
    setBy: inControllerManager('resource claim controller', 'resourceclaim-controller'),
    protects: 'a ResourceClaim whose devices are allocated',
    removedWhen: 'no pod reserves the claim and it is deallocated',
    source: `${kubernetes}/pkg/apis/resource/types.go`,
  },
  {
    name: 'networking.k8s.io/service-cidr-finalizer',
    setBy: inControllerManager('Service CIDR controller', 'service-cidr-controller'),
    protects: 'a ServiceCIDR from which Services have addresses',
    removedWhen: 'no IPAddress of it is in use, or another ServiceCIDR contains it',
    source: `${kubernetes}/pkg/controller/servicecidrs/servicecidrs_controller.go`,
  },
  {
    name: 'scheduling.k8s.io/podgroup-protection',
    setBy: inControllerManager('PodGroup protection controller', 'podgroup-protection-controller'),
    protects: 'a PodGroup that pods belong to',
    removedWhen: 'no pod that is not finished belongs to it',
    source: `${kubernetes}/pkg/apis/scheduling/types.go`,
  },
  {
    name: 'customresourcecleanup.apiextensions.k8s.io',
    setBy: { title: 'CRD finalizer of the API server', runsIn: 'kube-apiserver' },
    protects: 'the instances of a CustomResourceDefinition',
    removedWhen: 'every instance is deleted and gone',
    source: `${kubernetes}/staging/src/k8s.io/apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go`,
  },
  {
    name: 'service.kubernetes.io/load-balancer-cleanup',
    setBy: {
      title: 'service controller of the cloud controller manager',
      runsIn: 'workload',
      mayRunElsewhere: true,
      names: ['cloud-controller-manager', 'cloud-controller'],
      labels: ['cloud-controller-manager'],
      images: ['cloud-controller-manager', 'cloud-provider', 'ccm'],
      leases: ['cloud-controller-manager'],
    },
    protects: 'the load balancer of a Service at the cloud provider',
    removedWhen: 'the load balancer was deleted at the provider',
    source: `${kubernetes}/staging/src/k8s.io/cloud-provider/service/helpers/helper.go`,
  },
];
