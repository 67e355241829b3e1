import { conditionOf, fieldAt, fieldsOf, type Json } from '../../kube/json-value.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import {
  needsOfAccount,
  needsOfBinding,
  needsOfClaim,
  needsOfSecret,
  needsOfStatefulSet,
  needsOfWebhooks,
} from './manifest-needs.ts';
import {
  finishedJob,
  ofAggregator,
  ofPodController,
  ofRemovedStorage,
  ofServiceController,
} from './never.ts';
import {
  prepareClaim,
  prepareJob,
  prepareNamespace,
  preparePod,
  prepareSecret,
  prepareVolume,
  withoutAllocations,
  withoutRefused,
  withoutScale,
  withoutVolume,
} from './prepare.ts';
import { cannot, type Rank, type RestoredKind, ranks, skip } from './restored-kind.ts';

/** From the first to the last. */
export const allRanks: readonly Rank[] = Object.values(ranks);

const isGiven = true;
const governing: RestoredKind = { rank: ranks.governing };
const watched: RestoredKind = { ...governing, isReadFromWatch: true };
const binding: RestoredKind = { ...governing, needed: needsOfBinding };
const storage: RestoredKind = { rank: ranks.storage };
const configuration: RestoredKind = { rank: ranks.configuration };
const restoredWorkload: RestoredKind = { rank: ranks.workloads };
const selecting: RestoredKind = { rank: ranks.selecting };

/** Before its program runs, a webhook refuses what it governs, or lets it pass unseen. */
const webhooks: RestoredKind = {
  ...watched,
  isAdmission: true,
  needed: needsOfWebhooks,
  isDependent: (_, { needsThere }) => !needsThere,
};
/** Where its parameters are missing, a binding refuses what it governs, or lets it pass. */
const policyBinding: RestoredKind = {
  ...watched,
  isAdmission: true,
  isDependent: ({ manifest }) => fieldAt(manifest, 'spec.paramRef') !== undefined,
};

const never = (because: string): RestoredKind => ({
  ...restoredWorkload,
  never: () => skip(because),
});
const impossible = (because: string): RestoredKind => ({
  ...restoredWorkload,
  never: () => cannot(because),
});
const events = never('events report what happened, and are not worth restoring');
const endpoints: RestoredKind = { ...restoredWorkload, never: ofServiceController };

/**
 * The table of kinds: what is decided about a kind when it is restored is decided here. All other kinds, custom resources
 * among them, are restored with the workloads.
 * @internal
 */
export const restoredKinds: Readonly<Record<string, RestoredKind>> = {
  namespaces: { rank: ranks.namespaces, prepare: prepareNamespace },
  'customresourcedefinitions.apiextensions.k8s.io': {
    rank: ranks.definitions,
    inForce: {
      until: 'established',
      isSo: (live) => conditionOf(live, 'Established')?.status === 'True',
    },
  },

  'csidrivers.storage.k8s.io': governing,
  'deviceclasses.resource.k8s.io': governing,
  'ingressclasses.networking.k8s.io': governing,
  'priorityclasses.scheduling.k8s.io': watched,
  'runtimeclasses.node.k8s.io': watched,
  'storageclasses.storage.k8s.io': governing,
  'volumeattributesclasses.storage.k8s.io': governing,
  limitranges: { ...watched, isGiven },
  'networkpolicies.networking.k8s.io': { ...governing, isGiven },
  'poddisruptionbudgets.policy': governing,
  // Admission compares with what the quota controller has written into the status (checkRequest, resourcequota/controller.go).
  resourcequotas: { ...watched, isGiven, inForce: { until: 'counted', isSo: isQuotaCounted } },
  serviceaccounts: { ...governing, isGiven, needed: needsOfAccount },
  'clusterrolebindings.rbac.authorization.k8s.io': binding,
  'clusterroles.rbac.authorization.k8s.io': governing,
  'rolebindings.rbac.authorization.k8s.io': { ...binding, isGiven },
  'roles.rbac.authorization.k8s.io': { ...governing, isGiven },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': watched,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': policyBinding,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'validatingadmissionpolicies.admissionregistration.k8s.io': watched,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': policyBinding,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,

  persistentvolumeclaims: {
    ...storage,
    prepare: prepareClaim,
    needed: needsOfClaim,
    level: withoutVolume,
  },
  persistentvolumes: { ...storage, never: ofRemovedStorage, prepare: prepareVolume },
  'resourceclaims.resource.k8s.io': storage,

  configmaps: configuration,
  // Their StatefulSet or DaemonSet would restart the numbering of the history.
  'controllerrevisions.apps': configuration,
  podtemplates: configuration,
  'resourceclaimtemplates.resource.k8s.io': configuration,
  secrets: {
    ...configuration,
    prepare: prepareSecret,
    needed: needsOfSecret,
    inForce: { until: 'given its token', isSo: hasToken },
  },
  // A kubelet gives a container the addresses of the Services that exist when it starts.
  services: { ...configuration, withoutRefused, level: withoutAllocations },

  pods: { ...restoredWorkload, never: ofPodController, prepare: preparePod },
  'jobs.batch': { ...restoredWorkload, never: finishedJob, prepare: prepareJob },
  'replicasets.apps': { ...restoredWorkload, level: withoutScale },
  'statefulsets.apps': { ...restoredWorkload, needed: needsOfStatefulSet },

  'horizontalpodautoscalers.autoscaling': selecting,
  'ingresses.networking.k8s.io': selecting,

  'apiservices.apiregistration.k8s.io': { ...restoredWorkload, never: ofAggregator },
  'certificatesigningrequests.certificates.k8s.io': impossible(
    'only the client that wants the certificate can request it',
  ),
  'csinodes.storage.k8s.io': never('the kubelet of its node writes it'),
  endpoints,
  'endpointslices.discovery.k8s.io': endpoints,
  events,
  'events.events.k8s.io': events,
  'ipaddresses.networking.k8s.io': never('the API server allocates addresses of Services itself'),
  'leases.coordination.k8s.io': never('the holder of a lease acquires it again'),
  nodes: impossible('a Node is a machine: its kubelet registers it when it starts'),
  'resourceslices.resource.k8s.io': never('the driver on its node writes it'),
  'volumeattachments.storage.k8s.io': never('the attach-detach controller attaches what pods need'),
};

export function restoredKind(type: ResourceType): RestoredKind {
  const known = restoredKinds[groupResourceOf(type)];
  if (known) return known;
  // Those of network plugins, such as CiliumNetworkPolicy.
  return type.resource.endsWith('networkpolicies') ? governing : restoredWorkload;
}

/** When an object is restored. `needsThere`: all that it needs to decide by is in the cluster now, and its programs run. */
export function rankOf(saved: SavedObject, are: { readonly needsThere: boolean }): Rank {
  const { rank, isDependent } = restoredKind(saved.type);
  return isDependent?.(saved, are) ? ranks.dependent : rank;
}

/** Has the quota controller counted all that a ResourceQuota limits? */
function isQuotaCounted({ spec, status }: Json): boolean {
  const { hard, used } = fieldsOf(status);
  const limited = Object.keys(fieldsOf(fieldsOf(spec).hard));
  return limited.every((name) => name in fieldsOf(hard) && name in fieldsOf(used));
}

/** Has the token controller filled in a token of a ServiceAccount? All other Secrets are as they are. */
function hasToken({ type, data }: Json): boolean {
  return type !== 'kubernetes.io/service-account-token' || fieldsOf(data).token !== undefined;
}
