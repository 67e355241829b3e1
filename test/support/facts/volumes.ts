import { condition, inCluster, inShop, type ObjectWithFacts, since } from './object-with-facts.ts';

export const volumes: readonly ObjectWithFacts[] = [
  {
    what: 'of a CSI driver',
    object: {
      ...inCluster('PersistentVolume', 'v1', 'pv-csi', {
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
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
  {
    what: 'on a disk of the node',
    object: inCluster('PersistentVolume', 'v1', 'pv-local', {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        local: { path: '/hush' },
      },
      status: { phase: 'Available' },
    }),
    facts: {
      persistentVolumeReclaimPolicy: 'Retain',
      source: { local: true },
      phase: 'Available',
    },
  },
  {
    what: 'in a folder of the node',
    object: inCluster('PersistentVolume', 'v1', 'pv-host', {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: '/tmp/pv' },
      },
      status: {},
    }),
    facts: { persistentVolumeReclaimPolicy: 'Retain', source: { hostPath: '/tmp/pv' } },
  },
  {
    what: 'bound',
    object: inShop('PersistentVolumeClaim', 'v1', 'data-web-0', {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeName: 'pv-csi',
        storageClassName: 'fast',
        volumeAttributesClassName: 'gold',
      },
      status: {
        phase: 'Bound',
        currentVolumeAttributesClassName: 'gold',
        modifyVolumeStatus: { targetVolumeAttributesClassName: 'silver', status: 'Pending' },
        conditions: [{ ...condition, type: 'Unused', lastProbeTime: null }],
      },
    }),
    facts: {
      volumeName: 'pv-csi',
      storageClassName: 'fast',
      volumeAttributesClassName: 'gold',
      phase: 'Bound',
      conditions: [{ ...condition, type: 'Unused' }],
      currentVolumeAttributesClassName: 'gold',
      targetVolumeAttributesClassName: 'silver',
    },
  },
  {
    what: 'of addresses',
    object: inCluster('ServiceCIDR', 'networking.k8s.io/v1', 'more', {
      spec: { cidrs: ['10.5.0.0/24', 'fd05::/112'] },
    }),
    facts: { cidrs: ['10.5.0.0/24', 'fd05::/112'] },
  },
];
