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
    name: 'a pod whose node is gone',
    objects: [pod('b17', 'p', 'no-such-node', onOldNode)],
    ask: 'pod/p -n b17',
    blockers: ['Node/no-such-node node-gone'],
    fix: 'delete Pod p with grace period 0, as its node is gone',
  },
  {
    name: 'a pod whose node is not ready',
    objects: [node('sick', 'Unknown'), pod('b18', 'p', 'sick', onOldNode)],
    ask: 'pod/p -n b18',
    blockers: ['Node/sick node-not-ready'],
  },
  {
    name: 'a pod in its grace period',
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
    name: 'a pod that its kubelet does not confirm',
    objects: [pod('b20', 'p', 'well', onOldNode)],
    ask: 'pod/p -n b20',
    blockers: ['Pod/p pod-kubelet'],
  },
  {
    name: 'a pod on a sick node that holds a finalizer as well',
    objects: [pod('b21', 'p', 'sick', { ...onOldNode, finalizers: ['finalizer.keda.sh'] })],
    ask: 'pod/p -n b21',
    blockers: ['Node/sick node-not-ready', 'Pod/p finalizer-controller-missing'],
    fix: 'remove the finalizer finalizer.keda.sh from Pod p',
    afterwards: ['stuck', 'Node/sick node-not-ready'],
  },
  {
    name: 'a claim that a pod uses',
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
    name: 'a claim that nobody uses',
    objects: [
      claim('b24', 'data', { ...gone, finalizers: ['kubernetes.io/pvc-protection'] }),
      pod('b24', 'pending', '', {}, usesData),
    ],
    ask: 'pvc/data -n b24',
    blockers: ['PersistentVolumeClaim/data claim-unused'],
    fix: 'remove the finalizer kubernetes.io/pvc-protection from PersistentVolumeClaim data',
  },
  {
    name: 'a volume that is bound',
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
    name: 'a volume that is released',
    objects: [volume('b27', 'Released', 'b27', 'data')],
    ask: 'pv/b27',
    blockers: ['PersistentVolume/b27 volume-unbound'],
    fix: 'remove the finalizer kubernetes.io/pv-protection from PersistentVolume b27',
  },
  {
    name: 'a pod that no Job counts any more',
    objects: [tracked('b28', { labels: { 'batch.kubernetes.io/job-name': 'gone' } })],
    ask: 'pod/p -n b28',
    blockers: ['Pod/p job-tracking'],
    fix: 'remove the finalizer batch.kubernetes.io/job-tracking from Pod p',
  },
  {
    name: 'a pod whose Job another program manages',
    objects: [queued, tracked('b40', { ownerReferences: [{ ...on(queued), controller: true }] })],
    ask: 'pod/p -n b40',
    blockers: ['Pod/p job-tracking'],
  },
];
