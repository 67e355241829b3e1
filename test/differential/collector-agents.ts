import type { ControllerId } from '../../src/controllers/controller.ts';
import type { AuditedRequest } from './collector-audit.ts';

/** Which collector a write belongs to: by the name of the client, and by what it writes. */
interface Rule {
  readonly agent: string;
  readonly collector: ControllerId;
  readonly verbs: readonly string[];
  readonly resource?: string;
  readonly subresource?: string;
  /** Does it collect, among the many things that this client writes? */
  collects?(request: AuditedRequest): boolean;
}

const deletes = ['delete'];
const writes = ['update', 'patch'];

const rules: readonly Rule[] = [
  {
    agent: 'pod-garbage-collector',
    collector: 'pod-garbage-collector',
    verbs: [...deletes, ...writes],
  },
  { agent: 'ttl-after-finished-controller', collector: 'ttl-after-finished', verbs: deletes },
  { agent: 'cronjob-controller', collector: 'cronjob-history', verbs: deletes },
  { agent: 'deployment-controller', collector: 'replicaset-history', verbs: deletes },
  {
    agent: 'statefulset-controller',
    collector: 'controllerrevision-history',
    verbs: deletes,
    resource: 'controllerrevisions.apps',
  },
  {
    agent: 'daemon-set-controller',
    collector: 'controllerrevision-history',
    verbs: deletes,
    resource: 'controllerrevisions.apps',
  },
  {
    agent: 'statefulset-controller',
    collector: 'statefulset-pvc-retention',
    verbs: writes,
    resource: 'persistentvolumeclaims',
  },
  {
    agent: 'persistent-volume-binder',
    collector: 'persistentvolume-reclaim',
    verbs: deletes,
    resource: 'persistentvolumes',
  },
  {
    agent: 'persistent-volume-binder',
    collector: 'persistentvolume-reclaim',
    verbs: writes,
    resource: 'persistentvolumes',
    subresource: 'status',
    collects: ({ answer }) => ['Released', 'Failed'].includes(phaseOf(answer)),
  },
  {
    agent: 'persistent-volume-binder',
    collector: 'persistentvolume-reclaim',
    verbs: writes,
    resource: 'persistentvolumes',
    subresource: '',
    // It takes its finalizer off; others it unbinds.
    collects: ({ answer }) =>
      answer?.metadata.deletionTimestamp !== undefined && phaseOf(answer) !== 'Bound',
  },
  { agent: 'pv-protection-controller', collector: 'persistentvolume-reclaim', verbs: writes },
  {
    agent: 'pvc-protection-controller',
    collector: 'persistentvolume-reclaim',
    verbs: writes,
    // Since v1.37 it also writes into the status since when no pod uses a claim.
    subresource: '',
  },
  { agent: 'certificate-controller', collector: 'csr-cleaner', verbs: deletes },
  {
    agent: 'podcertificaterequestcleaner',
    collector: 'podcertificaterequest-cleaner',
    verbs: deletes,
  },
  {
    agent: 'node-controller',
    collector: 'node-lifecycle',
    // Its updates say that pods are not ready.
    verbs: ['delete', 'patch'],
    resource: 'pods',
  },
  {
    agent: 'node-controller',
    collector: 'node-lifecycle',
    verbs: writes,
    resource: 'nodes',
    subresource: 'status',
  },
  {
    agent: 'node-controller',
    collector: 'node-lifecycle',
    verbs: ['patch'],
    resource: 'nodes',
    subresource: '',
    // Taints without eviction are none of its business.
    collects: ({ answer }) => taintsOf(answer).some(evicts),
  },
  {
    agent: 'kube-apiserver',
    collector: 'apiserver-lease',
    verbs: deletes,
    resource: 'leases.coordination.k8s.io',
    // Its own it deletes as well (LEASE-4).
    collects: ({ name }) => !name.startsWith('apiserver-'),
  },
  { agent: 'endpoint-controller', collector: 'endpointslice', verbs: deletes },
  { agent: 'endpointslice-controller', collector: 'endpointslice', verbs: deletes },
  { agent: 'endpointslicemirroring-controller', collector: 'endpointslice', verbs: deletes },
  {
    agent: 'legacy-service-account-token-cleaner',
    collector: 'legacy-serviceaccount-token-cleaner',
    verbs: [...deletes, ...writes],
  },
  {
    agent: 'tokens-controller',
    collector: 'serviceaccount-token',
    verbs: deletes,
    resource: 'secrets',
  },
  { agent: 'token-cleaner', collector: 'bootstrap-token-cleaner', verbs: deletes },
  {
    agent: 'resource-claim-controller',
    collector: 'resourceclaim',
    verbs: deletes,
    resource: 'resourceclaims.resource.k8s.io',
  },
  {
    agent: 'resource-claim-controller',
    collector: 'resourceclaim',
    verbs: writes,
    resource: 'resourceclaims.resource.k8s.io',
    subresource: 'status',
  },
];

/** The collector that sent a request and had its way; undefined for everybody else's, and for all other work. */
export function collectorOf(request: AuditedRequest): ControllerId | undefined {
  if (request.code >= 300) return undefined;
  const agent = request.agent === '$Format' ? 'kube-apiserver' : request.agent;
  return rules.find(
    (rule) =>
      rule.agent === agent &&
      rule.verbs.includes(request.verb) &&
      (rule.resource === undefined || rule.resource === request.resource) &&
      (rule.subresource === undefined || rule.subresource === request.subresource) &&
      (rule.collects?.(request) ?? true),
  )?.collector;
}

interface Taint {
  readonly key: string;
  readonly effect: string;
}

function taintsOf(answer: AuditedRequest['answer']): readonly Taint[] {
  const { taints = [] } = (answer?.spec ?? {}) as { readonly taints?: readonly Taint[] };
  return taints;
}

function evicts({ key, effect }: Taint): boolean {
  const keys = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
  return effect === 'NoExecute' && keys.includes(key);
}

function phaseOf(answer: AuditedRequest['answer']): string {
  const { phase = '' } = (answer?.status ?? {}) as { readonly phase?: string };
  return phase;
}
