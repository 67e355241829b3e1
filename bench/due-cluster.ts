import type { KubeObject } from '../src/kube/record-codec.ts';
import { timestampOf } from '../src/kube/time.ts';

const minute = 60_000;
const hour = 60 * minute;
const week = 168 * hour;
const day = 24 * hour;

/**
 * A cluster where something falls due all the time: of 900 objects, 5 Nodes with their Leases, 20
 * Deployments with eight ReplicaSets (a third of them above their limit), five pods, a Service and its
 * slice each, 80 Jobs with a time to live and a pod, 6 CronJobs with four runs, 30 signing requests, 20
 * claims with their volumes, and ConfigMaps and Secrets. One Node in a hundred is gone.
 */
export function dueCluster(size: number, now: number): KubeObject[] {
  const objects: KubeObject[] = [];
  const ago = (milliseconds: number) => timestampOf(now - milliseconds);
  const add = (
    apiVersion: string,
    kind: string,
    [namespace, name]: readonly [string, string],
    rest: {
      readonly owner?: KubeObject;
      readonly created?: string;
      readonly [key: string]: unknown;
    },
  ): KubeObject => {
    const { owner, created = ago(30 * day), labels, annotations, ...body } = rest;
    const object = {
      apiVersion,
      kind,
      metadata: {
        ...(namespace !== '' && { namespace }),
        name,
        uid: `${kind}-${namespace}-${name}`,
        resourceVersion: '1',
        creationTimestamp: created,
        ...(labels !== undefined && { labels }),
        ...(annotations !== undefined && { annotations }),
        ...(owner && { ownerReferences: [referenceTo(owner)] }),
      },
      ...body,
    } as KubeObject;
    objects.push(object);
    return object;
  };
  const blocks = Math.max(1, Math.round(size / 900));
  for (let block = 0; block < blocks; block++) {
    const namespace = `team-${block}`;
    add('v1', 'Namespace', ['', namespace], { status: { phase: 'Active' } });
    for (let at = 0; at < 5; at++) {
      const name = `node-${block}-${at}`;
      if ((block * 5 + at) % 100 === 99) continue;
      const node = add('v1', 'Node', ['', name], {
        spec: {},
        status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: ago(10_000) }] },
      });
      add('coordination.k8s.io/v1', 'Lease', ['kube-node-lease', name], {
        owner: node,
        spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: ago(5_000) },
      });
    }
    const nodeName = (at: number) => `node-${block}-${at % 5}`;
    const pod = (owner: KubeObject, name: string, at: number, phase: string) =>
      add('v1', 'Pod', [namespace, name], {
        owner,
        labels: { app: name },
        spec: { nodeName: nodeName(at), terminationGracePeriodSeconds: 30, containers: [] },
        status: { phase },
      });
    for (let web = 0; web < 20; web++) {
      const name = `web-${web}`;
      const labels = { app: name };
      const deployment = add('apps/v1', 'Deployment', [namespace, name], {
        annotations: { 'deployment.kubernetes.io/revision': '8' },
        spec: {
          replicas: 5,
          revisionHistoryLimit: web % 3 === 0 ? 4 : 10,
          selector: { matchLabels: labels },
        },
        status: { observedGeneration: 1, replicas: 5, updatedReplicas: 5, availableReplicas: 5 },
      });
      for (let revision = 1; revision <= 8; revision++) {
        const replicas = revision === 8 ? 5 : 0;
        const set = add('apps/v1', 'ReplicaSet', [namespace, `${name}-${revision}`], {
          owner: deployment,
          labels,
          annotations: { 'deployment.kubernetes.io/revision': `${revision}` },
          spec: { replicas, selector: { matchLabels: labels } },
          status: { replicas, observedGeneration: 1 },
        });
        for (let at = 0; at < replicas; at++) pod(set, `${name}-${revision}-${at}`, at, 'Running');
      }
      const service = add('v1', 'Service', [namespace, name], { spec: { selector: labels } });
      add('discovery.k8s.io/v1', 'EndpointSlice', [namespace, `${name}-slice`], {
        owner: service,
        addressType: 'IPv4',
        labels: {
          'kubernetes.io/service-name': name,
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
      });
    }
    const job = (name: string, spec: object, since: number, owner?: KubeObject) => {
      const made = add('batch/v1', 'Job', [namespace, name], {
        ...(owner && { owner }),
        created: ago(since + minute),
        spec: { ...spec },
        status: {
          startTime: ago(since + minute),
          conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: ago(since) }],
        },
      });
      pod(made, `${name}-pod`, since, 'Succeeded');
    };
    for (let at = 0; at < 80; at++) {
      // Spread over the week, and no two at the same time.
      const left = ((at * blocks + block) / (80 * blocks)) * week;
      const ttlSecondsAfterFinished = Math.round((left + hour) / 1000);
      job(`job-${at}`, { ttlSecondsAfterFinished }, hour);
    }
    for (let at = 0; at < 6; at++) {
      const cron = add('batch/v1', 'CronJob', [namespace, `cron-${at}`], {
        spec: {
          schedule: '0 0 * * *',
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
          suspend: true,
        },
      });
      for (let run = 0; run < 4; run++) job(`cron-${at}-${run}`, {}, (run + 1) * hour, cron);
    }
    for (let at = 0; at < 30; at++) {
      add('certificates.k8s.io/v1', 'CertificateSigningRequest', ['', `csr-${block}-${at}`], {
        created: ago((at / 30) * day),
        spec: { signerName: 'kubernetes.io/kubelet-serving', usages: [] },
        status: {},
      });
    }
    for (let at = 0; at < 20; at++) {
      const name = `data-${at}`;
      const volume = `pv-${block}-${at}`;
      const claim = add('v1', 'PersistentVolumeClaim', [namespace, name], {
        spec: { volumeName: volume },
        status: { phase: 'Bound' },
      });
      add('v1', 'PersistentVolume', ['', volume], {
        spec: {
          persistentVolumeReclaimPolicy: 'Delete',
          claimRef: { namespace, name, uid: (claim.metadata as { uid: string }).uid },
          csi: { driver: 'disk.example.com', volumeHandle: volume },
        },
        status: { phase: 'Bound' },
      });
    }
    for (let at = 0; at < 190; at++) {
      add('v1', 'ConfigMap', [namespace, `settings-${at}`], {});
      if (at % 2 === 0) add('v1', 'Secret', [namespace, `secret-${at}`], { type: 'Opaque' });
    }
  }
  return objects;
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject) {
  const { name, uid } = metadata as { readonly name: string; readonly uid: string };
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
