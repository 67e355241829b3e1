import type { KubeObject } from '../../src/kube/record-codec.ts';
import { objectsOfYaml } from '../support/objects-of-yaml.ts';

const podSpec = {
  containers: [{ name: 'app', image: 'example.com/app:1' }],
  nodeName: 'node-1',
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
};

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
    - { apiVersion: v1, kind: Node, name: gone, uid: uid-of-node, controller: false }
    - { apiVersion: apps/v1beta9, kind: Deployment, name: old, uid: uid-of-old, controller: true }
    - { apiVersion: gone.example.com/v1, kind: Gone, name: gone, uid: uid-of-gone }
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

export const teams = ['team-a', 'team-b', 'team-c', 'team-d'];
export const podsPerTeam = 200;

function team(namespace: string): KubeObject[] {
  const pods = Array.from({ length: podsPerTeam }, (_, index): KubeObject => {
    const [app, uid] = [`app-${index}`, `uid-of-${namespace}-${index}`];
    const labels = { app, 'app.kubernetes.io/part-of': namespace };
    const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: `${uid}-set` };
    const ownerReferences = [{ ...set, controller: true }];
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${app}-1`, namespace, uid, labels, ownerReferences },
      spec: podSpec,
      status: { phase: 'Running' },
    };
  });
  return [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, ...pods];
}

/** Four teams with 200 pods each, and one of everything that is read in a way of its own. */
export const teamObjects: readonly KubeObject[] = [...teams.flatMap(team), ...oddities];
