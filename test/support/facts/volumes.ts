import { condition, inCluster, keeping, type ObjectWithFacts, since } from './object-with-facts.ts';

const oneGi = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };

export const volumes: readonly ObjectWithFacts[] = [
  {
    what: 'of a CSI driver',
    object: {
      ...inCluster('PersistentVolume', 'v1', 'pv-csi', {
        spec: {
          ...oneGi,
          claimRef: {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            namespace: 'shop',
            name: 'data-web-0',
            uid: 'uid-claim',
            resourceVersion: '7',
          },
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: 'fast',
          volumeAttributesClassName: 'gold',
          csi: {
            driver: 'd.example.com',
            volumeHandle: 'hush',
            volumeAttributes: { secret: 'hush' },
          },
        },
        status: { phase: 'Released', lastPhaseTransitionTime: since },
      }),
      metadata: {
        name: 'pv-csi',
        annotations: { 'pv.kubernetes.io/provisioned-by': 'd.example.com', other: 'hush' },
      },
    },
    facts: {
      claimRef: {
        kind: 'PersistentVolumeClaim',
        namespace: 'shop',
        name: 'data-web-0',
        uid: 'uid-claim',
      },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'fast',
      volumeAttributesClassName: 'gold',
      source: { csi: 'd.example.com' },
      phase: 'Released',
      lastPhaseTransitionTime: since,
    },
  },
  keeping('on a local disk', 'v1 PersistentVolume pv-local', {
    spec: { persistentVolumeReclaimPolicy: 'Retain' },
    status: { phase: 'Available' },
    forgotten: { spec: { ...oneGi, local: { path: '/hush' } } },
    facts: { source: { local: true } },
  }),
  keeping('in a hostPath folder', 'v1 PersistentVolume pv-host', {
    spec: { persistentVolumeReclaimPolicy: 'Retain' },
    forgotten: { spec: { ...oneGi, hostPath: { path: '/tmp/pv' } }, status: {} },
    facts: { source: { hostPath: '/tmp/pv' } },
  }),
  keeping('bound', 'v1 PersistentVolumeClaim shop/data-web-0', {
    spec: { volumeName: 'pv-csi', storageClassName: 'fast', volumeAttributesClassName: 'gold' },
    status: { phase: 'Bound', currentVolumeAttributesClassName: 'gold' },
    forgotten: {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      status: {
        modifyVolumeStatus: { targetVolumeAttributesClassName: 'silver', status: 'Pending' },
        conditions: [{ ...condition, type: 'Unused', lastProbeTime: null }],
      },
    },
    facts: {
      accessModes: ['ReadWriteOnce'],
      conditions: [{ ...condition, type: 'Unused' }],
      targetVolumeAttributesClassName: 'silver',
    },
  }),
  keeping('of addresses', 'networking.k8s.io/v1 ServiceCIDR more', {
    spec: { cidrs: ['10.5.0.0/24', 'fd05::/112'] },
  }),
];
