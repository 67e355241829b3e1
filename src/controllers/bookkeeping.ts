import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { isRenewed } from './nodes/apiserver-lease.ts';

/** Objects that API servers keep for objects of another kind: deleted with these, and recreated while these exist. */
export interface ApiServerManaged {
  readonly kept: string;
  /** The kind that it is kept for. */
  readonly of: string;
  readonly rule: string;
  isKept(record: ObjectRecord): boolean;
  /** Can several objects share it? Then it is deleted with the last of them. */
  readonly isShared?: true;
  /** Names of what is kept for such an object. */
  namesFor(record: ObjectRecord, types: ResourceTypes): readonly string[];
}

/** The API server registers an APIService with it by itself. */
export const automanaged = 'kube-aggregator.kubernetes.io/automanaged';
const noNames: readonly string[] = Object.freeze([]);

export const accounts: readonly [ApiServerManaged, ApiServerManaged] = [
  {
    // releaseAllocatedResources, pkg/registry/core/service/storage/alloc.go, and Release, ipallocator/ipallocator.go, which
    // looks at no label and no other Service; syncService, ipallocator/controller/repairip.go
    kept: 'ipaddresses.networking.k8s.io',
    of: 'services',
    rule: 'BOOK-1',
    isKept: () => true,
    namesFor: ({ facts }) => facts?.clusterIPs?.filter((address) => address !== 'None') ?? noNames,
  },
  {
    // handleVersionUpdate, pkg/controlplane/controller/crdregistration/crdregistration_controller.go
    kept: 'apiservices.apiregistration.k8s.io',
    of: 'customresourcedefinitions.apiextensions.k8s.io',
    rule: 'BOOK-2',
    isShared: true,
    isKept: ({ labels }) => labels?.[automanaged] === 'true',
    namesFor: ({ name }, types) =>
      types.versions(name).map(({ version, group }) => `${version}.${group}`),
  },
];

/** The component that recreates an object that every cluster has (BOOK-3). */
export interface Recreator {
  readonly who: string;
  /** Of kube-controller-manager, as --controllers calls it; unset: another program does. */
  readonly controller?: string;
  /** When, where that is not soon. */
  readonly only?: string;
}

const apiServer: Recreator = { who: 'the API server' };
const inEveryNamespace = (controller: string): Recreator => ({
  who: `the ${controller}, which keeps one in every namespace,`,
  controller,
});

/** By kind, namespace and name: what pkg/controlplane/controller and two controllers of kube-controller-manager keep. */
const recreatedByName: Readonly<Record<string, Recreator>> = {
  'namespaces /default': apiServer,
  'namespaces /kube-node-lease': apiServer,
  'namespaces /kube-public': apiServer,
  'namespaces /kube-system': apiServer,
  'services default/kubernetes': apiServer,
  'endpoints default/kubernetes': apiServer,
  'endpointslices.discovery.k8s.io default/kubernetes': apiServer,
  'servicecidrs.networking.k8s.io /kubernetes': apiServer,
  'configmaps kube-system/extension-apiserver-authentication': apiServer,
  'configmaps kube-system/kube-apiserver-legacy-service-account-token-tracking': apiServer,
  'configmaps */kube-root-ca.crt': inEveryNamespace('root-ca-certificate-publisher-controller'),
  'serviceaccounts */default': inEveryNamespace('serviceaccount-controller'),
};

/** Of FlowSchemas and PriorityLevelConfigurations: k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap/default.go. */
const flowNames: ReadonlySet<string> = new Set([
  'catch-all',
  'endpoint-controller',
  'exempt',
  'global-default',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-system-service-accounts',
  'leader-election',
  'node-high',
  'probes',
  'service-accounts',
  'system',
  'system-leader-election',
  'system-node-high',
  'system-nodes',
  'workload-high',
  'workload-leader-election',
  'workload-low',
]);

const leaders: ReadonlySet<string> = new Set(['kube-controller-manager', 'kube-scheduler']);

/** Does a controller give every namespace an object of this kind and name? */
export function isInEveryNamespace({ type, name }: Pick<ObjectRecord, 'type' | 'name'>): boolean {
  return recreatedByName[`${groupResourceOf(type)} */${name}`] !== undefined;
}

/** The component that recreates an object because every cluster has it; `now` in epoch milliseconds. */
export function keeperOf(record: ObjectRecord, now: number): Recreator | undefined {
  const { type, namespace, name, labels } = record;
  const resource = groupResourceOf(type);
  const kept =
    recreatedByName[`${resource} ${namespace}/${name}`] ?? recreatedByName[`${resource} */${name}`];
  if (kept) return kept;
  switch (type.group) {
    case 'flowcontrol.apiserver.k8s.io':
      return flowNames.has(name) ? apiServer : undefined;
    case 'rbac.authorization.k8s.io':
      return labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults'
        ? { ...apiServer, only: 'it does so only when it starts' }
        : undefined;
    case 'coordination.k8s.io': {
      const isServer = labels?.['apiserver.kubernetes.io/identity'] === 'kube-apiserver';
      const isOfControlPlane = namespace === 'kube-system' && (isServer || leaders.has(name));
      return isOfControlPlane && isRenewed(record, now) ? { who: 'its holder' } : undefined;
    }
    default:
      return undefined;
  }
}
