import type { KubeObject } from '../../src/kube/record-codec.ts';
import { objectsOfYaml } from '../support/objects-of-yaml.ts';

export const nodeNames = ['worker-1', 'worker-2', 'worker-3'];
export const namespaces = Array.from({ length: 18 }, (_, index) => `team-${index + 1}`);
const counted = (count: number, made: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => made(index));
const listed = (texts: readonly string[]) =>
  objectsOfYaml(texts.map((text) => `- ${text}`).join('\n'));

/** Nodes as kubelets report them, with the Leases that they keep, and volumes for claims; stored as they are. */
export function machines(now: number): KubeObject[] {
  const time = new Date(now).toISOString().slice(0, 19);
  const nodes = nodeNames.flatMap((name) => [
    `{apiVersion: v1, kind: Node, metadata: {name: ${name}, uid: uid-of-${name}},
      spec: {providerID: 'example:///${name}'},
      status: {conditions: [{type: Ready, status: 'True',
        lastHeartbeatTime: '${time}Z', lastTransitionTime: '${time}Z'}]}}`,
    `{apiVersion: coordination.k8s.io/v1, kind: Lease,
      metadata: {name: ${name}, namespace: kube-node-lease,
        ownerReferences: [{apiVersion: v1, kind: Node, name: ${name}, uid: uid-of-${name}}]},
      spec: {holderIdentity: ${name}, leaseDurationSeconds: 40, renewTime: '${time}.000000Z'}}`,
  ]);
  const volumes = namespaces.flatMap((namespace) =>
    counted(
      6,
      (index) => `{apiVersion: v1, kind: PersistentVolume, metadata: {name: ${namespace}-${index}},
        spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], volumeMode: Filesystem,
          persistentVolumeReclaimPolicy: Retain, storageClassName: by-hand,
          hostPath: {path: /srv/${namespace}-${index}, type: ''}},
        status: {phase: Available}}`,
    ),
  );
  return listed([...nodes, ...volumes]);
}

/** What a team applies: workloads of every kind, and what they need. The controllers make the rest. */
export function workloadsOf(namespace: string): KubeObject[] {
  const main = 'containers: [{name: main, image: "registry.example.com/app:1"}]';
  const selecting = (app: string) =>
    `selector: {matchLabels: {app: ${app}}}, template: {metadata: {labels: {app: ${app}}}, spec: {${main}}}`;
  const run = `template: {spec: {${main}, restartPolicy: Never}}`;
  const set = (name: string, policy: string) =>
    `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: ${name}},
      spec: {replicas: 3, serviceName: ${name}, ${selecting(name)},
        persistentVolumeClaimRetentionPolicy: {whenDeleted: ${policy}, whenScaled: ${policy}},
        volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce],
          storageClassName: by-hand, resources: {requests: {storage: 1Gi}}}}]}}`;
  const service = (name: string) =>
    `{apiVersion: v1, kind: Service, metadata: {name: ${name}},
      spec: {selector: {app: ${name}}, ports: [{port: 80}]}}`;
  const app = (name: string) => [
    `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${name}},
      spec: {replicas: 6, ${selecting(name)}}}`,
    service(name),
    `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}-settings}, data: {level: info}}`,
    `{apiVersion: v1, kind: Secret, metadata: {name: ${name}-password}, stringData: {p: x}}`,
    `{apiVersion: v1, kind: ServiceAccount, metadata: {name: ${name}}}`,
    `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: ${name}},
      spec: {minAvailable: 1, selector: {matchLabels: {app: ${name}}}}}`,
  ];
  const made = listed([
    ...counted(6, (index) => `web-${index}`).flatMap(app),
    set('db', 'Retain'),
    set('cache', 'Delete'),
    service('db'),
    `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {${selecting('agent')}}}`,
    `{apiVersion: batch/v1, kind: CronJob, metadata: {name: report},
      spec: {schedule: 0 3 * * *, jobTemplate: {spec: {${run}}}}}`,
    ...counted(
      4,
      (index) => `{apiVersion: batch/v1, kind: Job, metadata: {name: import-${index}},
        spec: {completions: 2, parallelism: 2, ttlSecondsAfterFinished: 3600, ${run}}}`,
    ),
  ]);
  return made.map((one) => ({ ...one, metadata: { ...one.metadata, namespace } }));
}
