import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { claim, configMap, deployment, gone, made, node, on, pod } from '../blockade.ts';
import {
  controlledBy,
  ended,
  held,
  job,
  labelled,
  month,
  nobody,
  type ReportedCluster,
  recently,
  selecting,
  statefulSet,
  volumeOf,
} from './parts.ts';

/** Deletions of controllers, and their times. */
export const aboutControllers: readonly ReportedCluster[] = [
  {
    name: 'ended pods of a StatefulSet and a DaemonSet',
    objects: [
      statefulSet('k01', 1),
      ended('k01', 'db-0', {
        ...{ ...labelled('db'), ownerReferences: [controlledBy(statefulSet('k01', 1))] },
      }),
      daemonSet('k01'),
      ended('k01', 'agent-x', {
        ...{ ...labelled('agent'), ownerReferences: [controlledBy(daemonSet('k01'))] },
      }),
      node('steady', 'True'),
    ],
  },
  {
    name: 'a ReplicaSet with more pods than replicas',
    objects: manyPods('k02'),
  },
  {
    name: 'a Job whose deadline has passed, with a time to live',
    objects: [
      job(
        ...['k03', 'late'],
        { activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 100 },
        { startTime: '2026-01-01T00:00:00Z', active: 1 },
      ),
      pod('k03', 'late-1', 'steady', {
        ...{ ...labelled('late'), ownerReferences: [controlledBy(job('k03', 'late', {}))] },
      }),
      node('steady', 'True'),
    ],
  },
  {
    name: 'a Job with a pod on a Node that does not exist and one on another',
    objects: [
      job('k15', 'sum', { backoffLimit: 0, ttlSecondsAfterFinished: 0 }, { active: 2 }),
      ...['nowhere', 'steady'].map((place) =>
        pod('k15', `sum-${place}`, place, {
          ...{ ...labelled('sum'), ownerReferences: [controlledBy(job('k15', 'sum', {}))] },
          finalizers: ['batch.kubernetes.io/job-tracking'],
        }),
      ),
      node('steady', 'True'),
    ],
  },
  {
    name: 'an IPAddress of a Service that does not exist',
    objects: [
      made(
        ...['networking.k8s.io/v1', 'IPAddress', '', '10.0.77.77'],
        { labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' }, ...month },
        { spec: { parentRef: { resource: 'services', namespace: 'k05', name: 'gone' } } },
      ),
    ],
  },
  {
    name: 'ended pods beyond no threshold, of which one has a finalizer',
    objects: [
      ended('k06', 'held', { finalizers: ['example.com/log'], ...month }, 'Succeeded'),
      ended('k06', 'bare', month, 'Succeeded'),
      ended('k06', 'astray', { ...month, finalizers: ['example.com/log'] }),
    ],
  },
  {
    name: 'an owner that orphans its dependents, named by an apiVersion that is not served any more',
    objects: [
      deployment('k09', 'web', 1, held('orphan')),
      configMap('k09', 'settings', {
        ownerReferences: [{ ...on(deployment('k09', 'web', 1)), apiVersion: 'apps/v1beta9' }],
      }),
    ],
  },
  {
    name: 'a claim that is deleted and in use by a pod that is being deleted',
    objects: [
      claim('k10', 'data', held('kubernetes.io/pvc-protection')),
      pod(
        ...['k10', 'user', 'steady'],
        { ...gone, deletionTimestamp: recently, deletionGracePeriodSeconds: 30 },
        { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
      ),
      node('steady', 'True'),
    ],
  },
  {
    name: 'an attachment to a Node where no pod uses the volume any more',
    objects: [
      made('storage.k8s.io/v1', 'VolumeAttachment', '', 'attachment-k11', month, {
        spec: {
          ...{ attacher: 'disk.csi.example.com', nodeName: 'steady' },
          source: { persistentVolumeName: 'volume-k11' },
        },
        status: { attached: true },
      }),
      volumeOf('data', 'k11', 'volume-k11', 'Retain', 'Bound'),
      claim('k11', 'data', month),
      node('steady', 'True'),
    ],
  },
  {
    name: 'a pod that is being deleted and one with a missing owner on a Node that no kubelet registered',
    objects: [
      { ...made('v1', 'Node', '', 'unregistered', month), spec: {}, status: {} },
      pod(
        'k20',
        'ending',
        'unregistered',
        { ...gone, deletionGracePeriodSeconds: 30 },
        { tolerations: [{ operator: 'Exists' }] },
      ),
      pod(
        ...['k20', 'garbage', 'unregistered'],
        { ownerReferences: [nobody('ReplicaSet', 'web-1')], ...month },
        { tolerations: [{ operator: 'Exists' }] },
      ),
    ],
  },
  {
    name: 'a pod of a deleted Job that its tracking finalizer holds',
    objects: [
      pod('k21', 'tracked', 'steady', {
        ...{ ownerReferences: [nobody('Job', 'gone')], ...month },
        finalizers: ['batch.kubernetes.io/job-tracking'],
      }),
      node('steady', 'True'),
    ],
  },
];

function daemonSet(space: string): KubeObject {
  return made('apps/v1', 'DaemonSet', space, 'agent', month, {
    spec: selecting('agent'),
    status: { currentNumberScheduled: 1, desiredNumberScheduled: 1 },
  });
}

function manyPods(space: string): KubeObject[] {
  const set = made('apps/v1', 'ReplicaSet', space, 'web', month, {
    spec: { replicas: 1, ...selecting('web') },
    status: { replicas: 3 },
  });
  const pods = ['a', 'b', 'c'].map((name) =>
    pod(space, name, 'steady', { ...labelled('web'), ownerReferences: [controlledBy(set)] }),
  );
  return [set, ...pods, node('steady', 'True')];
}
