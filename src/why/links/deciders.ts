import type { Controller } from '../../controllers/controller.ts';
import { bootstrapTokenCleaner } from '../../controllers/credentials/bootstrap-token-cleaner.ts';
import {
  invalidSince,
  legacyServiceAccountTokenCleaner,
} from '../../controllers/credentials/legacy-serviceaccount-token-cleaner.ts';
import {
  accountAnnotation,
  serviceAccountToken,
} from '../../controllers/credentials/serviceaccount-token.ts';
import {
  endpointSlice,
  managedBy,
  ofEndpoints,
  ofServices,
  serviceName,
} from '../../controllers/endpoints/endpointslice.ts';
import { ipAddressRepair } from '../../controllers/endpoints/ip-address-repair.ts';
import { cronJobHistory } from '../../controllers/jobs/cronjob-history.ts';
import { jobController } from '../../controllers/jobs/job-controller.ts';
import { ttlAfterFinished } from '../../controllers/jobs/ttl-after-finished.ts';
import {
  apiServerLease,
  candidates,
  isIdentityLease,
} from '../../controllers/nodes/apiserver-lease.ts';
import { cloudNode } from '../../controllers/nodes/cloud-node.ts';
import {
  claimsOf,
  deviceTaintEviction,
  taintRules,
} from '../../controllers/nodes/device-taint-eviction.ts';
import { nodeLifecycle } from '../../controllers/nodes/node-lifecycle.ts';
import { endedPods, isTerminated } from '../../controllers/pod-gc/pass.ts';
import { podGarbageCollector } from '../../controllers/pod-gc/pod-gc.ts';
import { allControllers } from '../../controllers/registry.ts';
import { attachDetach } from '../../controllers/volumes/attachdetach.ts';
import { persistentVolumeReclaim } from '../../controllers/volumes/persistentvolume-reclaim.ts';
import { resourceClaim } from '../../controllers/volumes/resourceclaim.ts';
import { controllerRevisionHistory } from '../../controllers/workloads/controllerrevision-history.ts';
import { replicaSetHistory } from '../../controllers/workloads/replicaset-history.ts';
import { workloadPods } from '../../controllers/workloads/workload-pods.ts';
import { selectorOfName } from '../../kube/names.ts';
import { controllerOf, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import {
  isPod,
  isReady,
  replicasOf,
  resourceClaims,
  resourceSlices,
} from '../../kube/well-known-kinds.ts';
import { scheduledPolicies, selectsNamespaces } from '../../programs/scheduled-deletions.ts';
import { byPolicies, hasTimeToLive, timeToLive } from '../../programs/time-to-live.ts';
import { type Inquiry, seenIn, valueIn } from '../inquiry.ts';

/** An object, or all of a kind in a namespace, that a controller looks at besides the object itself. */
export interface Needed {
  readonly resource: string;
  /** Empty: of no namespace, or all that are anywhere. */
  readonly namespace: string;
  /** Undefined: all of the kind. */
  readonly name?: string;
  /** Which of them: a field selector. */
  readonly fields?: string;
  /** Are these all that the controller looks at of the kind? Default: where no selector chose them. */
  readonly isAll?: boolean;
}

export interface Decider {
  readonly controller: Controller;
  /** Of which objects of the kind it may delete some, by their metadata and the kinds that are served. Default: of all. */
  readonly concerns?: (record: ObjectRecord, inquiry: Inquiry) => boolean;
  readonly needs: (record: ObjectRecord, inquiry: Inquiry) => readonly Needed[];
  /** What it does may follow from what it does first, so that it is played as by `forecast`. */
  readonly isPlayed?: true;
}

/** One of the programs of a controller that has several. */
function runAs(controller: Decider['controller'], name: string): Decider['controller'] {
  return { ...controller, controllers: [name] };
}

/** The owner that controls the object, and its other dependents of the same kind. */
function controllerAndSiblings(resource: string): Decider['needs'] {
  return (record) => {
    const owner = controllerOf(record);
    const { namespace } = record;
    if (!owner) return [];
    return [
      { resource, namespace, name: owner.name },
      { resource: groupResourceOf(record.type), namespace },
    ];
  };
}

/** A Secret in a cluster is read without its type; a list shows it. */
function typeOfSecret({ namespace, name, facts }: ObjectRecord): readonly Needed[] {
  if (facts) return [];
  return [{ resource: 'secrets', namespace, fields: selectorOfName(name) }];
}

function neededRecord(inquiry: Inquiry, { resource, namespace, name = '' }: Needed) {
  const [type] = inquiry.types.versions(resource);
  return type && valueIn(inquiry.ask({ ask: 'object', type, namespace, name }));
}

function nodeOf(pod: ObjectRecord): readonly Needed[] {
  const name = knownNodeOf(pod);
  return name === undefined ? [] : [{ resource: 'nodes', namespace: '', name }];
}

/** A Node that is not ready gets its taint, or not, by how the others are (NODE-5, NODE-6). */
const taintEviction: Decider = {
  controller: runAs(nodeLifecycle, 'taint-eviction-controller'),
  isPlayed: true,
  needs: (pod, inquiry) => {
    const own = nodeOf(pod);
    const node = own.flatMap((one) => neededRecord(inquiry, one) ?? [])[0];
    return node && !isReady(node) ? [...own, { resource: 'nodes', namespace: '' }] : own;
  },
};

/** Objects that API servers renew: the latest renewal of all shows which are no longer renewed. */
const renewed: Decider = {
  controller: apiServerLease,
  concerns: (record) => isIdentityLease({ ...record, facts: {} }) || record.type.kind !== 'Lease',
  needs: () => [
    { resource: 'leases.coordination.k8s.io', namespace: 'kube-system' },
    { resource: candidates, namespace: '' },
  ],
};

/** Old revisions of a kind of workload; one without a controller may be any StatefulSet's. */
function revisionsOf(kind: string, resource: string, runBy: string): Decider {
  return {
    controller: runAs(controllerRevisionHistory, runBy),
    concerns: (revision) => (controllerOf(revision)?.kind ?? 'StatefulSet') === kind,
    needs: (revision) => {
      const { namespace } = revision;
      const name = controllerOf(revision)?.name;
      return [
        { resource, namespace, ...(name !== undefined && { name }) },
        { resource: 'controllerrevisions.apps', namespace },
        { resource: 'pods', namespace },
      ];
    },
  };
}

function slicesOf(manager: string, runBy: string, resources: readonly string[]): Decider {
  return {
    controller: runAs(endpointSlice, runBy),
    concerns: ({ labels }) => labels?.[managedBy] === manager,
    needs: ({ namespace, labels }) => {
      const name = labels?.[serviceName];
      return name ? resources.map((resource) => ({ resource, namespace, name })) : [];
    },
  };
}

/** Pods that have ended of a workload that recreates them: of a StatefulSet beside its others, of a DaemonSet on their Node. */
function endedOf(kind: string, needs: Decider['needs']): Decider {
  return {
    controller: runAs(workloadPods, `${kind.toLowerCase()}-controller`),
    concerns: (pod) => hasEnded(pod) && controllerOf(pod)?.kind === kind,
    needs,
  };
}

/** Pods of a workload that has more of them than replicas, as its status says; one that counts none has not counted this Pod. */
function surplusOf(kind: string, resource: string): Decider {
  return {
    controller: runAs(workloadPods, `${kind.toLowerCase()}-controller`),
    concerns: (pod) => controllerOf(pod)?.kind === kind,
    needs: (pod, inquiry) => {
      const { namespace } = pod;
      const owner = { resource, namespace, name: controllerOf(pod)?.name ?? '' };
      const workload = neededRecord(inquiry, owner);
      const counts = workload?.facts?.statusReplicas;
      const mayHaveMore = workload && (counts === undefined || counts > replicasOf(workload));
      return mayHaveMore ? [owner, { resource: 'pods', namespace }] : [owner];
    },
  };
}

/** Is it of a workload that deletes its Pods when they have ended? */
export function isRecreatedOnceEnded(pod: ObjectRecord): boolean {
  return ['StatefulSet', 'DaemonSet'].includes(controllerOf(pod)?.kind ?? '');
}

export function hasEnded(pod: ObjectRecord): boolean {
  return isPod(pod) && pod.facts?.phase !== undefined && isTerminated(pod);
}

/** Programs that delete objects of any kind, by their labels and annotations or by a policy. */
export const ofAnyKind: readonly Decider[] = [
  { controller: timeToLive, concerns: hasTimeToLive, needs: () => [] },
  {
    controller: byPolicies,
    concerns: (record, inquiry) => policiesFor(record, inquiry).length > 0,
    needs: (record, inquiry) => {
      const policies = policiesFor(record, inquiry);
      const found = policies.flatMap(({ type, namespace }) => {
        const place = { namespace: namespace === '' ? undefined : namespace };
        return seenIn(inquiry.ask({ ask: 'list', type, ...place }));
      });
      const place = { resource: 'namespaces', namespace: '', name: record.namespace };
      const isByPlace = record.namespace !== '' && found.some(selectsNamespaces);
      return [...policies, ...(isByPlace ? [place] : [])];
    },
  },
];

/** The policies that may select an object, where the cluster serves their kinds. */
function policiesFor({ namespace }: ObjectRecord, inquiry: Inquiry) {
  return scheduledPolicies.flatMap((resource) => {
    const [type] = inquiry.types.versions(resource);
    if (!type || (type.namespaced && namespace === '')) return [];
    return { resource, type, namespace: type.namespaced ? namespace : '' };
  });
}

/** The controllers that delete live objects of a kind, where few other objects decide. */
const deciders: Readonly<Record<string, () => readonly Decider[]>> = {
  pods: () => [
    {
      controller: podGarbageCollector,
      needs: (pod) =>
        hasEnded(pod)
          ? [...nodeOf(pod), { resource: 'pods', namespace: '', fields: endedPods, isAll: true }]
          : nodeOf(pod),
    },
    taintEviction,
    {
      controller: jobController,
      concerns: (pod) => controllerOf(pod)?.kind === 'Job',
      needs: (pod) => [
        { resource: 'jobs.batch', namespace: pod.namespace, name: controllerOf(pod)?.name ?? '' },
      ],
    },
    endedOf('StatefulSet', controllerAndSiblings('statefulsets.apps')),
    endedOf('DaemonSet', (pod) => {
      const { namespace } = pod;
      const name = controllerOf(pod)?.name ?? '';
      return [{ resource: 'daemonsets.apps', namespace, name }, ...nodeOf(pod)];
    }),
    surplusOf('ReplicaSet', 'replicasets.apps'),
    surplusOf('ReplicationController', 'replicationcontrollers'),
    {
      controller: deviceTaintEviction,
      concerns: (pod) => claimsOf(pod).length > 0,
      needs: (pod) => [
        ...claimsOf(pod).map((name) => ({
          resource: resourceClaims,
          namespace: pod.namespace,
          name,
        })),
        { resource: resourceSlices, namespace: '' },
        { resource: taintRules, namespace: '' },
      ],
    },
  ],
  'leases.coordination.k8s.io': () => [renewed],
  'leasecandidates.coordination.k8s.io': () => [renewed],
  'controllerrevisions.apps': () => [
    revisionsOf('StatefulSet', 'statefulsets.apps', 'statefulset-controller'),
    revisionsOf('DaemonSet', 'daemonsets.apps', 'daemonset-controller'),
  ],
  endpoints: () => [
    {
      controller: runAs(endpointSlice, 'endpoints-controller'),
      needs: ({ namespace, name }) => [{ resource: 'services', namespace, name }],
    },
  ],
  'endpointslices.discovery.k8s.io': () => [
    slicesOf(ofServices, 'endpointslice-controller', ['services']),
    slicesOf(ofEndpoints, 'endpointslice-mirroring-controller', ['services', 'endpoints']),
  ],
  'ipaddresses.networking.k8s.io': () => [
    {
      controller: ipAddressRepair,
      needs: ({ facts }) => {
        const { namespace = '', name = '' } = facts?.parentRef ?? {};
        return [{ resource: 'services', namespace, name }];
      },
    },
  ],
  'volumeattachments.storage.k8s.io': () => [
    {
      controller: attachDetach,
      needs: ({ facts }, inquiry) => {
        const { nodeName = '', persistentVolumeName: name = '' } = facts?.attachment ?? {};
        const volume = { resource: 'persistentvolumes', namespace: '', name };
        const namespace = neededRecord(inquiry, volume)?.facts?.claimRef?.namespace;
        return [
          volume,
          { resource: 'nodes', namespace: '', name: nodeName },
          ...(namespace === undefined ? [] : [{ resource: 'pods', namespace }]),
        ];
      },
    },
  ],
  nodes: () => [{ controller: cloudNode, needs: () => [] }],
  'resourceclaims.resource.k8s.io': () => [
    {
      controller: resourceClaim,
      concerns: (claim) => controllerOf(claim)?.kind === 'Pod',
      needs: (claim) => {
        const { namespace, facts } = claim;
        const users = (facts?.reservedFor ?? []).map(({ resource, apiGroup, name }) => {
          return { resource: apiGroup ? `${resource}.${apiGroup}` : resource, namespace, name };
        });
        return [{ resource: 'pods', namespace, name: controllerOf(claim)?.name ?? '' }, ...users];
      },
    },
  ],
  'jobs.batch': () => [
    { controller: ttlAfterFinished, needs: () => [] },
    // The kind of the controller is not compared (CJ-2).
    { controller: cronJobHistory, needs: controllerAndSiblings('cronjobs.batch') },
  ],
  'replicasets.apps': () => [
    {
      controller: replicaSetHistory,
      concerns: (set) => controllerOf(set)?.kind === 'Deployment',
      needs: controllerAndSiblings('deployments.apps'),
    },
  ],
  persistentvolumes: () => [
    {
      controller: persistentVolumeReclaim,
      needs: ({ facts }) => {
        const { namespace, name } = facts?.claimRef ?? {};
        if (namespace === undefined || name === undefined) return [];
        return [{ resource: 'persistentvolumeclaims', namespace, name }];
      },
    },
  ],
  secrets: () => [
    {
      controller: bootstrapTokenCleaner,
      needs: (secret) => (secret.namespace === 'kube-system' ? typeOfSecret(secret) : []),
    },
    {
      controller: serviceAccountToken,
      needs: (secret) => {
        const { namespace, annotations } = secret;
        const name = annotations?.[accountAnnotation];
        if (name === undefined) return [];
        return [...typeOfSecret(secret), { resource: 'serviceaccounts', namespace, name }];
      },
    },
    {
      controller: legacyServiceAccountTokenCleaner,
      concerns: ({ labels }) => labels?.[invalidSince] !== undefined,
      needs: (secret) => {
        const { namespace, annotations } = secret;
        const account = { resource: 'serviceaccounts', namespace };
        return [
          ...typeOfSecret(secret),
          { ...account, name: annotations?.[accountAnnotation] ?? '' },
          { resource: 'pods', namespace },
        ];
      },
    },
  ],
};

/** The controllers that may delete objects of a kind. Of one that reads no other kind the object shows all. */
export function decidersOf(resource: string): readonly Decider[] {
  return deciders[resource]?.() ?? allControllers.filter(readsOnly(resource)).map(byObjectAlone);
}

function readsOnly(resource: string) {
  return ({ reads }: Controller) => reads.length === 1 && reads[0] === resource;
}

function byObjectAlone(controller: Controller): Decider {
  return { controller, needs: () => [] };
}
