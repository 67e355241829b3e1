import { yamlValue } from '../../src/files/parsing/yaml-value.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timestampOf } from '../../src/kube/time.ts';
import { addressOf } from '../support/object-address.ts';
import { objectsOfYaml } from '../support/objects-of-yaml.ts';
import { rowsOf } from '../support/rows.ts';

export const namespaces = 'volumes accounts services sets nodes devices'.split(' ');
export const nodes = ['worker', 'tainted', 'leaving', 'down'];

const uidOf = (kind: string, name: string) => `uid-of-${kind.toLowerCase()}-${name}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const ownedBy = (apiVersion: string, kind: string, name: string, controller = true) =>
  JSON.stringify([
    {
      apiVersion,
      kind,
      name,
      uid: uidOf(kind, name),
      ...(controller && { controller, blockOwnerDeletion: true }),
    },
  ]);

/** A cluster in which collectors follow each other, at `now` in epoch milliseconds. */
export function interactingCluster(now: number): KubeObject[] {
  const parts = [
    ...[...namespaces, 'kube-node-lease'].map(
      (name) => `{kind: Namespace, metadata: {name: ${name}}, spec: {finalizers: [kubernetes]}}`,
    ),
    ...volumes(),
    ...accounts(now),
    ...services(),
    ...workloads(now),
    ...nodesAndPods(now),
    ...devices(),
  ];
  return objectsOfYaml(parts.map((part) => `- ${part}`).join('\n')).map((object) => {
    const { kind, metadata } = object;
    const uid = uidOf(kind, String(metadata.name));
    return { ...object, apiVersion: object.apiVersion ?? 'v1', metadata: { uid, ...metadata } };
  });
}

const pod = (name: string, namespace: string, spec: string) =>
  `{kind: Pod, metadata: {name: ${name}, namespace: ${namespace}}, status: {phase: Running},
    spec: {containers: [{name: c, image: i}], terminationGracePeriodSeconds: 3600, ${spec}}}`;

/** A claim and its volume, bound to each other. */
function bound(name: string, policy: string, source: string, owners = '[]'): string[] {
  const size = 'accessModes: [ReadWriteOnce], volumeMode: Filesystem';
  const claim = `kind: PersistentVolumeClaim, namespace: volumes, name: ${name}, uid: ${uidOf('PersistentVolumeClaim', name)}`;
  return [
    `{kind: PersistentVolumeClaim,
      metadata: {name: ${name}, namespace: volumes, finalizers: [kubernetes.io/pvc-protection],
        annotations: {pv.kubernetes.io/bind-completed: 'yes'}, ownerReferences: ${owners}},
      spec: {${size}, resources: {requests: {storage: 1Gi}}, storageClassName: '', volumeName: of-${name}},
      status: {phase: Bound, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}}}`,
    `{kind: PersistentVolume, metadata: {name: of-${name}, finalizers: [kubernetes.io/pv-protection]},
      spec: {${size}, capacity: {storage: 1Gi}, persistentVolumeReclaimPolicy: ${policy},
        claimRef: {apiVersion: v1, ${claim}}, ${source}},
      status: {phase: Bound}}`,
  ];
}

function volumes(): string[] {
  const nfs = 'nfs: {server: s, path: /}';
  const uses = (claim: string, node = 'worker') =>
    `nodeName: ${node}, volumes: [{name: data, persistentVolumeClaim: {claimName: ${claim}}}]`;
  return [
    ...bound('used', 'Delete', 'hostPath: {path: /tmp/kubectl-gc-no-such-directory}'),
    pod('user', 'volumes', uses('used')),
    ...bound('held', 'Retain', nfs),
    pod('holder', 'volumes', uses('held')),
    ...bound('kept', 'Retain', nfs),
    ...bound('failing', 'Delete', nfs),
    ...bound('first', 'Retain', nfs),
    ...bound('made', 'Retain', nfs, ownedBy('v1', 'Pod', 'maker')),
    pod('maker', 'volumes', uses('made', 'leaving')),
  ];
}

function accounts(now: number): string[] {
  return [
    '{kind: ServiceAccount, metadata: {name: robot, namespace: accounts}}',
    `{kind: Secret, type: kubernetes.io/service-account-token,
      metadata: {name: robot-token, namespace: accounts, annotations: {
        kubernetes.io/service-account.name: robot,
        kubernetes.io/service-account.uid: ${uidOf('ServiceAccount', 'robot')}}}}`,
    `{kind: Secret, type: bootstrap.kubernetes.io/token,
      metadata: {name: bootstrap-token-abcdef, namespace: kube-system},
      data: {expiration: ${base64(timestampOf(now + 60_000))}}}`,
  ];
}

function services(): string[] {
  const service = (name: string, more = '') =>
    `{kind: Service, metadata: {name: ${name}, namespace: services},
      spec: {type: ClusterIP, clusterIP: None, clusterIPs: [None], ipFamilies: [IPv4],
        ipFamilyPolicy: SingleStack, sessionAffinity: None, ports: [{port: 80, protocol: TCP, targetPort: 80}]${more}}}`;
  return [
    service('web', ', selector: {app: web}'),
    service('bare'),
    `{kind: Endpoints, metadata: {name: bare, namespace: services},
      subsets: [{addresses: [{ip: 10.1.2.3}], ports: [{port: 80, protocol: TCP}]}]}`,
  ];
}

function workloads(now: number): string[] {
  const statefulSet = (name: string, whenDeleted: string, whenScaled = 'Retain', replicas = 1) =>
    `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: ${name}, namespace: sets, generation: 1},
      spec: {replicas: ${replicas}, revisionHistoryLimit: 10, serviceName: '', podManagementPolicy: Parallel,
        updateStrategy: {type: RollingUpdate}, selector: {matchLabels: {app: ${name}}},
        template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: c, image: i}]}},
        persistentVolumeClaimRetentionPolicy: {whenDeleted: ${whenDeleted}, whenScaled: ${whenScaled}},
        volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce],
          resources: {requests: {storage: 1Gi}}, storageClassName: none}}]}}`;
  const sets = [1, 2, 3, 4].map((revision) => {
    const labels = `{app: web, pod-template-hash: '${revision}'}`;
    const image = revision === 4 ? 'i' : `i:${revision}`;
    return `{apiVersion: apps/v1, kind: ReplicaSet,
      metadata: {name: web-${revision}, namespace: sets, generation: 1, labels: ${labels},
        creationTimestamp: '${timestampOf(now - (10 - revision) * 60_000)}',
        annotations: {deployment.kubernetes.io/revision: '${revision}'},
        ownerReferences: ${ownedBy('apps/v1', 'Deployment', 'web')}},
      spec: {replicas: 0, selector: {matchLabels: ${labels}},
        template: {metadata: {labels: ${labels}}, spec: {containers: [{name: c, image: '${image}'}]}}},
      status: {observedGeneration: 1}}`;
  });
  const revisions = [1, 2].map(
    (revision) => `{apiVersion: apps/v1, kind: ControllerRevision, revision: ${revision},
      metadata: {name: eager-${revision}, namespace: sets,
        labels: {app: eager, controller-revision-hash: eager-${revision}},
        ownerReferences: ${ownedBy('apps/v1', 'StatefulSet', 'eager')}},
      data: {spec: {template: {r${revision}: old}}}}`,
  );
  return [
    statefulSet('eager', 'Delete'),
    statefulSet('late', 'Retain'),
    statefulSet('shrinking', 'Retain', 'Delete', 3),
    ...revisions,
    `{apiVersion: apps/v1, kind: Deployment,
      metadata: {name: web, namespace: sets, generation: 1,
        annotations: {deployment.kubernetes.io/revision: '4'}},
      spec: {replicas: 0, revisionHistoryLimit: 10, selector: {matchLabels: {app: web}},
        strategy: {type: Recreate}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}},
      status: {observedGeneration: 1}}`,
    ...sets,
  ];
}

function nodesAndPods(now: number): string[] {
  const time = timestampOf(now);
  const ready = `{type: Ready, status: 'True', lastHeartbeatTime: '${time}', lastTransitionTime: '${time}'}`;
  const tolerates = (seconds?: number) =>
    `tolerations: [{operator: Exists${seconds ? `, tolerationSeconds: ${seconds}` : ''}}]`;
  const owners = (name: string) =>
    name === 'leaving' ? ownedBy('v1', 'Node', 'leaving', false) : '[]';
  return [
    ...nodes
      .filter((name) => name !== 'down')
      .map((name) => `{kind: Node, metadata: {name: ${name}}, status: {conditions: [${ready}]}}`),
    ...nodes.map(
      (name) => `{apiVersion: coordination.k8s.io/v1, kind: Lease,
        metadata: {name: ${name}, namespace: kube-node-lease, ownerReferences: ${owners(name)}},
        spec: {holderIdentity: ${name}, leaseDurationSeconds: 40}}`,
    ),
    `{apiVersion: storage.k8s.io/v1, kind: CSINode, spec: {drivers: []},
      metadata: {name: leaving, ownerReferences: ${owners('leaving')}}}`,
    pod('at-once', 'nodes', 'nodeName: tainted'),
    pod('in-time', 'nodes', `nodeName: tainted, ${tolerates(8)}`),
    pod('never', 'nodes', `nodeName: tainted, ${tolerates()}`),
    pod('on-leaving', 'nodes', `nodeName: leaving, ${tolerates()}`),
    pod('on-down', 'nodes', `nodeName: down, ${tolerates(10)}`),
  ];
}

function devices(): string[] {
  const claim = 'resourceClaims: [{name: gpu, resourceClaimName: shared-gpu}]';
  return [
    pod('trainer', 'devices', `nodeName: worker, ${claim}`),
    `{apiVersion: resource.k8s.io/v1, kind: ResourceClaim,
      metadata: {name: shared-gpu, namespace: devices,
        finalizers: [resource.kubernetes.io/delete-protection]},
      spec: {devices: {requests: [{name: gpu,
        exactly: {deviceClassName: gpu, count: 1, allocationMode: ExactCount}}]}},
      status: {allocation: {},
        reservedFor: [{resource: pods, name: trainer, uid: ${uidOf('Pod', 'trainer')}}]}}`,
  ];
}

/** What users ask for, one after another; the Node that is down comes last. */
export function interactingRequests(now: number): readonly Record<string, unknown>[] {
  const time = `'${timestampOf(now)}'`;
  const notReady = `{type: Ready, status: 'False', lastHeartbeatTime: ${time}, lastTransitionTime: ${time}}`;
  return rowsOf(`
delete Node leaving
create Node down | object: {apiVersion: v1, kind: Node, metadata: {name: down}, status: {conditions: [${notReady}]}}
patch Node tainted | patch: {spec: {taints: [{key: full, effect: NoExecute}]}}
delete PersistentVolumeClaim volumes/used
delete PersistentVolumeClaim volumes/held
delete PersistentVolumeClaim volumes/kept
delete PersistentVolumeClaim volumes/failing
delete PersistentVolume of-first
delete ServiceAccount accounts/robot
delete Service services/web
delete Service services/bare
patch Deployment sets/web | patch: {spec: {revisionHistoryLimit: 1}}
patch StatefulSet sets/eager | patch: {spec: {revisionHistoryLimit: 1}}
patch StatefulSet sets/shrinking | patch: {spec: {replicas: 1}}
patch StatefulSet sets/late | patch: {spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}}}
delete Pod devices/trainer | gracePeriodSeconds: 0
delete Pod volumes/user | gracePeriodSeconds: 0, after: 2s
delete PersistentVolumeClaim volumes/first | after: 2s
delete StatefulSet sets/eager
delete StatefulSet sets/late
`).map(([what = '', more = '']) => {
    const [verb, ...address] = what.split(' ');
    const { collection: _, ...object } = addressOf(address.join(' '));
    return { verb, ...object, after: '50ms', ...(yamlValue(`{${more}}`) as object) };
  });
}
