import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { claim, configMap, deployment, gone, made, namespace, node } from '../blockade.ts';
import {
  condition,
  controlledBy,
  ended,
  held,
  job,
  labelled,
  month,
  type ReportedCluster,
  selecting,
  statefulSet,
  template,
  volumeOf,
} from './parts.ts';

/** What objects report of themselves, and what is kept on purpose. */
export const aboutReports: readonly ReportedCluster[] = [
  {
    name: 'a namespace that could not delete its content',
    objects: [
      {
        ...namespace('r01', gone),
        status: {
          phase: 'Terminating',
          conditions: [
            condition('NamespaceDeletionContentFailure', 'True', 'ContentDeletionFailed', 'denied'),
          ],
        },
      },
      configMap('r01', 'left'),
    ],
  },
  {
    name: 'an attachment that could not be detached, of a volume that is gone',
    objects: [
      made(
        ...['storage.k8s.io/v1', 'VolumeAttachment', '', 'attachment-r02'],
        held('external-attacher/disk-csi-example-com'),
        {
          spec: {
            ...{ attacher: 'disk.csi.example.com', nodeName: 'steady' },
            source: { persistentVolumeName: 'gone' },
          },
          status: { attached: true, detachError: { message: 'rpc error: the volume is busy' } },
        },
      ),
      node('steady', 'True'),
    ],
  },
  {
    name: 'a volume that Failed, and a claim that is Lost',
    objects: [
      volumeOf('none', 'r03', 'volume-r03', 'Delete', 'Failed'),
      { ...claim('r03', 'lost', month), status: { phase: 'Lost' } },
    ],
  },
  {
    name: 'a Job that failed and is kept in the history of its CronJob',
    objects: keptJobs('r04'),
  },
  {
    name: 'an old ReplicaSet that the history of its Deployment keeps',
    objects: [
      deployment('r05', 'web', 1, month),
      made(
        ...['apps/v1', 'ReplicaSet', 'r05', 'web-old'],
        {
          ...{ ...labelled('web'), ...month },
          ownerReferences: [controlledBy(deployment('r05', 'web', 1))],
        },
        { spec: { replicas: 0, ...selecting('web') }, status: { replicas: 0 } },
      ),
    ],
  },
  {
    name: 'an EndpointSlice of a Service that has no selector any more',
    objects: [
      made('v1', 'Service', 'r06', 'db', month, { spec: { ports: [{ port: 5432 }] } }),
      made(
        ...['discovery.k8s.io/v1', 'EndpointSlice', 'r06', 'db-1'],
        {
          labels: {
            'kubernetes.io/service-name': 'db',
            'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
          },
          ownerReferences: [controlledBy(made('v1', 'Service', 'r06', 'db', {}))],
        },
        { addressType: 'IPv4', endpoints: [], ports: [] },
      ),
    ],
  },
  {
    name: 'a claim that stays when its StatefulSet was scaled down, and an evicted pod',
    objects: [
      statefulSet('r07', 1),
      claim('r07', 'data-db-1', { ...month, labels: { app: 'db' } }),
      { ...ended('r07', 'evicted', month), status: { phase: 'Failed', reason: 'Evicted' } },
    ],
  },
];

function keptJobs(space: string): KubeObject[] {
  const nightly = made('batch/v1', 'CronJob', space, 'nightly', month, {
    spec: {
      ...{ schedule: '0 0 1 1 *', suspend: true, failedJobsHistoryLimit: 1 },
      jobTemplate: { spec: { template: template('nightly') } },
    },
  });
  const failed = {
    conditions: [condition('Failed', 'True', 'BackoffLimitExceeded', 'it failed')],
    ...{ startTime: '2026-01-01T00:00:00Z', failed: 1 },
  };
  const ownerReferences = [controlledBy(nightly)];
  return [nightly, job(space, 'nightly-1', { suspend: false }, failed, { ownerReferences })];
}
