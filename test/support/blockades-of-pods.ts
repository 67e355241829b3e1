import {
  type Blockade,
  claim,
  type Extra,
  gone,
  made,
  node,
  on,
  onOldNode,
  pod,
  usesData,
  volume,
} from './blockade.ts';

const tracked = (space: string, metadata: Extra) =>
  pod(space, 'p', '', {
    ...gone,
    deletionGracePeriodSeconds: 0,
    finalizers: ['batch.kubernetes.io/job-tracking'],
    ...metadata,
  });
const queued = made('batch/v1', 'Job', 'b40', 'queued', {}, { spec: { managedBy: 'x.com/q' } });

export const podBlockades: readonly Blockade[] = [
  {
    name: 'a pod without node',
    objects: [pod('b17', 'p', 'no-such-node', onOldNode)],
    ask: 'pod/p -n b17',
    blockers: ['Node/no-such-node node-gone'],
    fix: 'DELETE Pod/p gracePeriod 0',
  },
  {
    name: 'a pod, its node not ready',
    objects: [node('sick', 'Unknown'), pod('b18', 'p', 'sick', onOldNode)],
    ask: 'pod/p -n b18',
    blockers: ['Node/sick node-not-ready'],
  },
  {
    name: "a pod's grace period",
    objects: [
      node('well', 'True'),
      pod('b19', 'p', 'well', {
        deletionTimestamp: '2099-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 3600,
      }),
    ],
    ask: 'pod/p -n b19',
    state: 'progressing',
    blockers: [],
  },
  {
    name: 'an unconfirmed pod',
    objects: [pod('b20', 'p', 'well', onOldNode)],
    ask: 'pod/p -n b20',
    blockers: ['Pod/p pod-kubelet'],
  },
  {
    name: 'a sick node, with a finalizer',
    objects: [pod('b21', 'p', 'sick', { ...onOldNode, finalizers: ['finalizer.keda.sh'] })],
    ask: 'pod/p -n b21',
    blockers: ['Node/sick node-not-ready', 'Pod/p finalizer-controller-missing'],
    fix: 'PATCH Pod/p test /metadata/finalizers/0 finalizer.keda.sh, remove /metadata/finalizers/0',
    afterwards: ['stuck', 'Node/sick node-not-ready'],
  },
  {
    name: 'a used claim',
    objects: [
      claim('b22', 'data', { ...gone, finalizers: ['kubernetes.io/pvc-protection'] }),
      pod('b22', 'db', 'well', {}, usesData),
    ],
    ask: 'pvc/data -n b22',
    blockers: ['Pod/db claim-in-use'],
  },
  {
    name: 'a chain of three: claim, pod, node',
    objects: [
      claim('b23', 'data', { ...gone, finalizers: ['kubernetes.io/pvc-protection'] }),
      pod('b23', 'db', 'sick', onOldNode, usesData),
    ],
    ask: 'pvc/data -n b23',
    blockers: ['Node/sick node-not-ready'],
  },
  {
    name: 'an unused claim',
    objects: [
      claim('b24', 'data', { ...gone, finalizers: ['kubernetes.io/pvc-protection'] }),
      pod('b24', 'pending', '', {}, usesData),
    ],
    ask: 'pvc/data -n b24',
    blockers: ['PersistentVolumeClaim/data claim-unused'],
    fix: 'PATCH PersistentVolumeClaim/data test /metadata/finalizers/0 kubernetes.io/pvc-protection, remove /metadata/finalizers/0',
  },
  {
    name: 'a bound volume',
    objects: [volume('b25', 'Bound', 'b25', 'data'), claim('b25', 'data')],
    ask: 'pv/b25',
    blockers: ['PersistentVolumeClaim/data volume-bound'],
  },
  {
    name: 'a chain of four: volume, claim, pod, node',
    objects: [
      volume('b26', 'Bound', 'b26', 'data'),
      claim('b26', 'data', { ...gone, finalizers: ['kubernetes.io/pvc-protection'] }),
      pod('b26', 'db', 'sick', onOldNode, usesData),
    ],
    ask: 'pv/b26',
    blockers: ['Node/sick node-not-ready'],
  },
  {
    name: 'a released volume',
    objects: [volume('b27', 'Released', 'b27', 'data')],
    ask: 'pv/b27',
    blockers: ['PersistentVolume/b27 volume-unbound'],
    fix: 'PATCH PersistentVolume/b27 test /metadata/finalizers/0 kubernetes.io/pv-protection, remove /metadata/finalizers/0',
  },
  {
    name: 'a pod that no Job counts any more',
    objects: [tracked('b28', { labels: { 'batch.kubernetes.io/job-name': 'gone' } })],
    ask: 'pod/p -n b28',
    blockers: ['Pod/p job-tracking'],
    fix: 'PATCH Pod/p test /metadata/finalizers/0 batch.kubernetes.io/job-tracking, remove /metadata/finalizers/0',
  },
  {
    name: 'a pod whose Job another program manages',
    objects: [queued, tracked('b40', { ownerReferences: [{ ...on(queued), controller: true }] })],
    ask: 'pod/p -n b40',
    blockers: ['Pod/p job-tracking'],
  },
];
