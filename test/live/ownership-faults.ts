import type { KubeObject } from '../../src/kube/record-codec.ts';
import {
  configMap,
  deployment,
  foreground,
  gone,
  made,
  namespace,
  on,
} from '../support/blockade.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import {
  breakConversion,
  makeDeadApi,
  restoreConversion,
  serveKind,
} from '../support/served-kinds.ts';

const space = 'faults';
const past = '2026-01-01T00:00:00.000000Z';
const owned = (name: string, ...ownerReferences: Record<string, unknown>[]) =>
  configMap(space, name, { ownerReferences });
/** To an object that never was. */
const toNobody = (apiVersion: string, kind: string, name: string) => {
  return { apiVersion, kind, name, uid: `nobody-${name}` };
};

const web = configMap(space, 'web');
const stale = owned('web-1', { ...on(web), uid: 'uid-of-the-old-web' });
const lost = owned('lost', toNobody('v1', 'ConfigMap', 'x'));
const ringA = configMap(space, 'ring-a');
const ringB = owned('ring-b', on(ringA));
const blocked = configMap(space, 'blocked', foreground);
const forgotten = configMap(space, 'forgotten', foreground);
const service = made('v1', 'Service', space, 'front', {}, { spec: { ports: [{ port: 80 }] } });
const controlled = {
  ownerReferences: [{ ...on(service), controller: true, blockOwnerDeletion: undefined }],
  labels: { 'kubernetes.io/service-name': 'front' },
};

/** Faults that are put into etcd as they are, past the API server; namespaces are made. */
const objects: readonly KubeObject[] = [
  // Goes, and takes a tree along; what is shared with a living owner stays.
  ...[web, stale],
  owned('web-1-a', on(stale)),
  owned('web-1-b', on(stale)),
  configMap(space, 'web-1-b-state', {
    ownerReferences: [on(owned('web-1-b', on(stale)))],
  }),
  owned('web-1-shared', on(stale, false), on(web)),
  ...[lost],
  owned('half', on(web), toNobody('v1', 'ConfigMap', 'y')),
  // Cannot be decided about.
  owned('frozen', toNobody('v1', 'ConfigMap', 'z'), toNobody('extensions/v1beta1', 'Ingress', 'i')),
  owned('metered', toNobody('metrics.faults.example.com/v1', 'Meter', 'cpu')),
  // Never go.
  { ...ringA, metadata: { ...ringA.metadata, ownerReferences: [on(ringB)] } },
  ...[ringB, blocked, forgotten],
  owned('blocker', on(blocked), toNobody('extensions/v1beta1', 'Ingress', 'z')),
  configMap(space, 'stuck', { ...gone, finalizers: ['finalizer.keda.sh'] }),
  namespace('ending', gone),
  configMap('ending', 'held', { ...gone, finalizers: ['finalizer.keda.sh'] }),
  // Will not go when somebody deletes it; the second one's controller lives.
  configMap(space, 'unprotected', { finalizers: ['velero.io/data-upload-download-finalizer'] }),
  configMap(space, 'protected', { finalizers: ['finalizers.fluxcd.io'] }),
  deployment(space, 'kustomize-controller', 1),
  // What waits for nobody.
  ...[service],
  made('discovery.k8s.io/v1', 'EndpointSlice', space, 'front-1', controlled, {
    addressType: 'IPv4',
    endpoints: [],
  }),
  made(
    'coordination.k8s.io/v1',
    'Lease',
    'kube-system',
    'kube-controller-manager',
    {},
    {
      spec: { holderIdentity: 'control-1', leaseDurationSeconds: 15, renewTime: past },
    },
  ),
  // The deletion guard, of which no Pod runs.
  made(
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    '',
    'kubectl-gc-guard',
    { labels: { 'app.kubernetes.io/name': 'kubectl-gc' } },
  ),
];

/** Those faults, and what an audit has to say about them. */
export const ownershipFaults = {
  objects,
  breakCluster,
  mendCluster,
  /** `rule: Kind namespace/name` of every finding. */
  expected: [
    'doomed-dependents: ConfigMap faults/web-1',
    'owner-uid-mismatch: ConfigMap faults/web-1',
    'missing-owner: ConfigMap faults/lost',
    'missing-owner: ConfigMap faults/half',
    'missing-owner: ConfigMap faults/frozen',
    'unserved-owner-kind: ConfigMap faults/frozen',
    'ownership-cycle: ConfigMap faults/ring-a',
    'ownership-cycle: ConfigMap faults/ring-b',
    'unserved-owner-kind: ConfigMap faults/blocker',
    'stuck-object: ConfigMap faults/blocked',
    'stuck-object: ConfigMap faults/forgotten',
    'stuck-object: ConfigMap faults/stuck',
    'stuck-object: ConfigMap ending/held',
    'stuck-object: Namespace /ending',
    'finalizer-without-controller: ConfigMap faults/unprotected',
    'collector-without-leader: Lease kube-system/kube-controller-manager',
    'guard-without-pod: ValidatingWebhookConfiguration /kubectl-gc-guard',
    'unavailable-api: APIService /v1.metrics.faults.example.com',
    'unlistable-kind: CustomResourceDefinition /books.faults.example.com',
  ],
  // ConfigMaps that the real garbage collector deletes once it runs, and no others. It also ends what an earlier one lost sight of.
  collected: ['forgotten', 'lost', 'web-1', 'web-1-a', 'web-1-b', 'web-1-b-state'].map(
    (name) => `${space}/${name}`,
  ),
};

/** Two versions, of which the preferred one can only be had by conversion. */
const converted = customDefinition('Book', 'faults.example.com', { versions: ['v1', 'v2'] });

/** An API without a server, and a kind without its conversion webhook. */
async function breakCluster(plane: ControlPlane): Promise<void> {
  const group = 'metrics.faults.example.com';
  await makeDeadApi(plane, group);
  await serveKind(plane, converted);
  const books = `/apis/faults.example.com/v1/namespaces/${space}/books`;
  const book = { apiVersion: 'faults.example.com/v1', kind: 'Book', metadata: { name: 'moby' } };
  await plane.create(books, book);
  await breakConversion(plane, converted);
  await eventually(
    'the API is down',
    async () => (await plane.request(`/apis/${group}/v1`)).status === 503,
  );
}

/** Lets books be listed. */
async function mendCluster(plane: ControlPlane): Promise<void> {
  await restoreConversion(plane, converted);
}
