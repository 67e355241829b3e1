import { container, type Draw, hold, type Loose, minute, times } from './draw.ts';

const namespace = 'clean-a';
/** Nothing in this class is bound anew. */
const storageClassName = 'kept-apart';

/** Volumes and claims in every phase, of every reclaim policy and kind of source. */
export function volumes(draw: Draw): Loose[] {
  return [...times(30, (index) => pair(draw, index)), ...extraClaims(draw)].flat();
}

function pair(draw: Draw, index: number): Loose[] {
  const { chance, one, seed, ago } = draw;
  const name = `pv-${index}`;
  const claimName = `claim-${index}`;
  const uid = `claim-${seed}-${index}`;
  const state = one([
    'bound',
    'gone',
    'gone',
    'gone',
    'replaced',
    'elsewhere',
    'unbound',
    'pre-bound',
  ]);
  const phase = {
    bound: 'Bound',
    gone: one(['Bound', 'Released', 'Failed']),
    replaced: one(['Bound', 'Released']),
    elsewhere: 'Bound',
    unbound: 'Available',
    'pre-bound': 'Available',
  }[state];
  const provisioner = one([
    undefined,
    undefined,
    undefined,
    'kubernetes.io/host-path',
    'kubernetes.io/no-such-plugin',
    'kubernetes.io/aws-ebs',
    'disk.example.com',
    '',
  ]);
  const migrated = one([undefined, undefined, undefined, undefined, '', 'pd.example.com']);
  const isDeleted = chance(0.15);
  const isKept = provisioner?.startsWith('kubernetes.io/') && chance(0.5);
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      annotations: {
        ...(provisioner !== undefined && { 'pv.kubernetes.io/provisioned-by': provisioner }),
        ...(migrated !== undefined && { 'pv.kubernetes.io/migrated-to': migrated }),
        ...(chance(0.3) && { 'pv.kubernetes.io/bound-by-controller': 'yes' }),
      },
      finalizers: [
        'kubernetes.io/pv-protection',
        ...(chance(0.15) ? [hold] : []),
        ...(isKept ? ['kubernetes.io/pv-controller'] : []),
      ],
      ...(isDeleted && { deletionTimestamp: ago(minute), deletionGracePeriodSeconds: 0 }),
    },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName,
      persistentVolumeReclaimPolicy: one(['Delete', 'Delete', 'Retain', 'Recycle']),
      ...(state !== 'unbound' && {
        claimRef: {
          kind: 'PersistentVolumeClaim',
          namespace,
          name: claimName,
          ...(state !== 'pre-bound' && { uid }),
        },
      }),
      ...source(draw, index),
    },
    status: { phase },
  };
  if (state === 'unbound' || state === 'pre-bound' || state === 'gone') return [volume];
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName,
      namespace,
      uid: state === 'replaced' ? `other-${uid}` : uid,
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
      finalizers: ['kubernetes.io/pvc-protection'],
      ...(state === 'bound' &&
        chance(0.4) && { deletionTimestamp: ago(minute), deletionGracePeriodSeconds: 0 }),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName,
      volumeName: state === 'bound' ? name : `pv-other-${index}`,
    },
    status: { phase: state === 'bound' ? 'Bound' : 'Lost' },
  };
  return [volume, claim, ...users(draw, index, claimName)];
}

const nodeAffinity = {
  required: {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] },
    ],
  },
};

function source({ one, seed }: Draw, index: number) {
  return one<Record<string, unknown>>([
    { nfs: { server: 's', path: '/' } },
    { local: { path: '/mnt/kubectl-gc' }, nodeAffinity },
    { hostPath: { path: '/nowhere/kubectl-gc' } },
    { hostPath: { path: `/tmp/kubectl-gc-no-such-directory-${seed}-${index}` } },
    { hostPath: { path: `/nowhere/tmp/kubectl-gc-no-such-directory-${seed}-${index}` } },
    { csi: { driver: 'disk.example.com', volumeHandle: 'x' } },
  ]);
}

/** Pods that mount a claim: bound to a Node or not, running or done (PV-12). */
function users({ chance, one }: Draw, index: number, claimName: string): Loose[] {
  if (chance(0.5)) return [];
  return [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `user-${index}`, namespace },
      spec: {
        containers: [container],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
        ...(chance(0.6) && { nodeName: 'quiet' }),
      },
      status: { phase: one(['Running', 'Pending']) },
    },
  ];
}

/** Claims without a volume, in every phase, some of them being deleted. */
function extraClaims({ chance, one, ago }: Draw): Loose[][] {
  return times(8, (index) => [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: `waiting-${index}`,
        namespace,
        finalizers: ['kubernetes.io/pvc-protection', ...(chance(0.2) ? [hold] : [])],
        ...(chance(0.5) && { deletionTimestamp: ago(minute), deletionGracePeriodSeconds: 0 }),
      },
      spec: {
        accessModes: ['ReadWriteMany'],
        resources: { requests: { storage: '9Gi' } },
        storageClassName,
      },
      status: { phase: one(['Pending', 'Lost']) },
    },
  ]);
}
