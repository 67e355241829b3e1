import type { ControllerId } from '../../src/controllers/controller.ts';
import type { AuditedRequest } from './collector-audit.ts';

/**
 * Which collector a write belongs to: the name of the client, its collector, and the verbs and objects by which it
 * collects among the many things that it writes: `pods`, `pods/status`, `pods/` for no subresource.
 */
type Rule = readonly [
  agent: string,
  collector: ControllerId,
  verbs: string,
  objects?: string,
  collects?: (request: AuditedRequest) => boolean,
];

const deletes = 'delete';
const writes = 'update patch';
const reclaim = 'persistentvolume-reclaim';
const legacyTokens = 'legacy-serviceaccount-token-cleaner';
const resourceClaims = 'resourceclaims.resource.k8s.io';

const rules: readonly Rule[] = [
  ['pod-garbage-collector', 'pod-garbage-collector', `${deletes} ${writes}`],
  ['ttl-after-finished-controller', 'ttl-after-finished', deletes],
  ['cronjob-controller', 'cronjob-history', deletes],
  ['deployment-controller', 'replicaset-history', deletes],
  ['statefulset-controller', 'controllerrevision-history', deletes, 'controllerrevisions.apps'],
  ['daemon-set-controller', 'controllerrevision-history', deletes, 'controllerrevisions.apps'],
  ['statefulset-controller', 'statefulset-pvc-retention', writes, 'persistentvolumeclaims'],
  ['persistent-volume-binder', reclaim, deletes, 'persistentvolumes'],
  [
    'persistent-volume-binder',
    reclaim,
    writes,
    'persistentvolumes/status',
    ({ answer }) => ['Released', 'Failed'].includes(phaseOf(answer)),
  ],
  [
    'persistent-volume-binder',
    reclaim,
    writes,
    'persistentvolumes/',
    // It removes its finalizer; others it unbinds.
    ({ answer }) => answer?.metadata.deletionTimestamp !== undefined && phaseOf(answer) !== 'Bound',
  ],
  ['pv-protection-controller', reclaim, writes],
  // Since v1.37 it also writes into the status since when no pod uses a claim.
  ['pvc-protection-controller', reclaim, writes, '/'],
  ['certificate-controller', 'csr-cleaner', deletes],
  ['podcertificaterequestcleaner', 'podcertificaterequest-cleaner', deletes],
  // Its updates say that pods are not ready.
  ['node-controller', 'node-lifecycle', 'delete patch', 'pods'],
  ['node-controller', 'node-lifecycle', writes, 'nodes/status'],
  // Taints without eviction are none of its business.
  ['node-controller', 'node-lifecycle', 'patch', 'nodes/', (one) => taintsOf(one).some(evicts)],
  [
    'kube-apiserver',
    'apiserver-lease',
    deletes,
    'leases.coordination.k8s.io',
    // Its own it deletes as well (LEASE-4).
    ({ name }) => !name.startsWith('apiserver-'),
  ],
  ['endpoint-controller', 'endpointslice', deletes],
  ['endpointslice-controller', 'endpointslice', deletes],
  ['endpointslicemirroring-controller', 'endpointslice', deletes],
  ['legacy-service-account-token-cleaner', legacyTokens, `${deletes} ${writes}`],
  ['tokens-controller', 'serviceaccount-token', deletes, 'secrets'],
  ['token-cleaner', 'bootstrap-token-cleaner', deletes],
  ['resource-claim-controller', 'resourceclaim', deletes, resourceClaims],
  ['resource-claim-controller', 'resourceclaim', writes, `${resourceClaims}/status`],
];

/** The collector that sent a request and had its way; undefined for everybody else's, and for all other work. */
export function collectorOf(request: AuditedRequest): ControllerId | undefined {
  if (request.code >= 300) return undefined;
  const client = request.agent === '$Format' ? 'kube-apiserver' : request.agent;
  return rules.find(([agent, , verbs, objects = '', collects]) => {
    const [resource = '', subresource] = objects.split('/');
    return (
      agent === client &&
      verbs.split(' ').includes(request.verb) &&
      (resource === '' || resource === request.resource) &&
      (subresource === undefined || subresource === request.subresource) &&
      (collects?.(request) ?? true)
    );
  })?.[1];
}

interface Taint {
  readonly key: string;
  readonly effect: string;
}

function taintsOf({ answer }: AuditedRequest): readonly Taint[] {
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
