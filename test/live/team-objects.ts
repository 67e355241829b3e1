import type { KubeObject } from '../../src/kube/record-codec.ts';
import { objectsOfYaml } from '../support/objects-of-yaml.ts';

export const teams = ['team-a', 'team-b', 'team-c', 'team-d'];
export const appsPerTeam = 200;

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid?: string;
  readonly controller?: boolean;
}

const podSpec = {
  containers: [{ name: 'app', image: 'example.com/app:1' }],
  nodeName: 'node-1',
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
};

/** Owners of app-7: custom, missing, of a version and a kind that is not served. */
const odd: Owner[] = [
  { apiVersion: 'example.com/v1', kind: 'Widget', name: 'app-7', uid: 'uid-of-widget' },
  { apiVersion: 'v1', kind: 'Node', name: 'gone', controller: false },
  { apiVersion: 'apps/v1beta9', kind: 'Deployment', name: 'old', controller: false },
  { apiVersion: 'gone.example.com/v1', kind: 'Gone', name: 'gone', controller: false },
];

/** One of everything that is read in a way of its own. */
const oddities = objectsOfYaml(`
- apiVersion: example.com/v1
  kind: Widget
  metadata:
    name: app-7
    namespace: team-a
    uid: uid-of-widget
    annotations: { meta.helm.sh/release-name: größe, example.com/note: dropped }
    ownerReferences:
    - { apiVersion: example.com/v1, kind: Gadget, name: shared, uid: uid-of-gadget }
  spec: { size: 3 }
- apiVersion: example.com/v1
  kind: Gadget
  metadata: { name: shared, uid: uid-of-gadget, finalizers: [example.com/hold] }
- apiVersion: v1
  kind: Secret
  metadata: { name: password, namespace: team-a, uid: uid-of-secret }
  data: { password: aHVudGVyMg== }
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: settings
    namespace: team-a
    uid: uid-of-settings
    ownerReferences:
    - { apiVersion: v1, kind: ConfigMap, name: someone, uid: uid-of-someone,
        controller: false, blockOwnerDeletion: true }
    managedFields:
    - { manager: kubectl-edit, operation: Update, apiVersion: v1, time: '2026-01-01T00:00:00Z',
        fieldsType: FieldsV1,
        fieldsV1: { f:metadata: { f:ownerReferences: { 'k:{"uid":"uid-of-someone"}': {} } } } }
- apiVersion: v1
  kind: Pod
  metadata: { name: terminating, namespace: team-a, uid: uid-of-terminating,
    deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 30,
    finalizers: [foregroundDeletion] }
  spec: ${JSON.stringify({ ...podSpec, terminationGracePeriodSeconds: 0 })}
  status: { phase: Succeeded }
- apiVersion: v1
  kind: Pod
  metadata: { name: unbound, namespace: team-a, uid: uid-of-unbound }
  spec: ${JSON.stringify({ ...podSpec, nodeName: undefined })}
- apiVersion: v1
  kind: Node
  metadata: { name: node-1, uid: uid-of-node-1 }
  spec:
    podCIDR: 10.0.0.0/24
    taints:
    - { key: dedicated, value: db, effect: NoSchedule }
    - { key: gone, effect: NoExecute, timeAdded: '2026-01-01T00:00:00Z' }
  status: { capacity: { cpu: '4' }, phase: Running }
- { apiVersion: v1, kind: Node, metadata: { name: node-2, uid: uid-of-node-2 } }
- apiVersion: v1
  kind: PersistentVolume
  metadata: { name: disk, uid: uid-of-disk }
  spec: { capacity: { storage: 1Gi }, accessModes: [ReadWriteOnce], hostPath: { path: /data } }
  status: { phase: Released }
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: { name: claim, namespace: team-a, uid: uid-of-claim }
  spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`);

function team(namespace: string): KubeObject[] {
  const apps = Array.from({ length: appsPerTeam }, (_, index) => app(namespace, `app-${index}`));
  return [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, ...apps.flat()];
}

function app(namespace: string, name: string): KubeObject[] {
  const uid = (kind: string) => `uid-of-${kind}-${namespace}-${name}`;
  const labels = { app: name, 'app.kubernetes.io/part-of': namespace };
  const object = (apiVersion: string, kind: string, own: string, owners: Owner[], rest = {}) => ({
    apiVersion,
    kind,
    metadata: {
      name: own,
      namespace,
      uid: uid(kind),
      labels,
      ownerReferences: owners.map((owner) => ({
        uid: uid(owner.kind),
        controller: true,
        ...owner,
      })),
    },
    ...rest,
  });
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name };
  const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${name}-x` };
  const template = { metadata: { labels }, spec: podSpec };
  const spec = { selector: { matchLabels: labels }, template };
  return [
    object('apps/v1', 'Deployment', name, name === 'app-7' ? odd : [], { spec }),
    object('apps/v1', 'ReplicaSet', `${name}-x`, [deployment], { spec }),
    object('v1', 'Pod', `${name}-x-1`, [replicaSet], {
      spec: podSpec,
      status: { phase: 'Running' },
    }),
  ];
}

/** Four teams with 200 apps each, and one of everything that is read in a way of its own: 2,416 objects. */
export const teamObjects: readonly KubeObject[] = [...teams.flatMap(team), ...oddities];
