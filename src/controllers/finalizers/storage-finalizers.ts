import { type KnownFinalizer, setBy, workload } from './known-finalizer.ts';

const provisioner = workload(
  'external-provisioner of the CSI driver',
  ['csi-provisioner', 'csi-controller', 'provisioner'],
  {
    mayRunElsewhere: true,
    oneOfMany: true,
    images: ['csi-provisioner', 'external-provisioner', '-provisioner'],
  },
);

/** Set by CSI sidecars and storage systems. */
export const storageFinalizers: readonly KnownFinalizer[] = [
  {
    name: 'external-provisioner.volume.kubernetes.io/finalizer',
    setBy: provisioner,
    protects: 'the storage behind a volume with reclaim policy Delete',
    removedWhen: 'the driver has deleted the storage',
    source:
      'https://github.com/kubernetes-sigs/sig-storage-lib-external-provisioner/blob/master/controller/controller.go',
  },
  ...setBy(
    provisioner,
    'https://github.com/kubernetes-csi/external-provisioner/blob/master/pkg/controller/controller.go',
    {
      'provisioner.storage.kubernetes.io/cloning-protection': {
        protects: 'a claim that another claim is cloned from',
        removedWhen: 'no claim is being cloned from it',
      },
      'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection': {
        protects: 'a snapshot that a claim is filled from',
        removedWhen: 'no claim is being filled from it',
      },
    },
  ),
  {
    name: 'external-attacher/*',
    setBy: workload('external-attacher of the CSI driver', ['csi-attacher', 'csi-controller'], {
      mayRunElsewhere: true,
      oneOfMany: true,
      images: ['csi-attacher', 'external-attacher'],
      leases: ['external-attacher-leader-*'],
    }),
    protects: 'a volume or VolumeAttachment that is attached to a node',
    removedWhen: 'the driver has detached the volume, or no VolumeAttachment names it',
    source:
      'https://github.com/kubernetes-csi/external-attacher/blob/master/pkg/controller/util.go',
  },
  ...setBy(
    workload('CSI snapshot controller', ['snapshot-controller', 'csi-snapshot-controller'], {
      mayRunElsewhere: true,
      labels: ['snapshot-controller'],
      images: ['snapshot-controller'],
      leases: ['snapshot-controller-leader'],
    }),
    'https://github.com/kubernetes-csi/external-snapshotter/blob/master/pkg/utils/util.go',
    {
      'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection': {
        protects: 'snapshot content that is bound to a VolumeSnapshot',
        removedWhen:
          'its VolumeSnapshot is gone and, with policy Delete, the driver deleted the snapshot',
      },
      'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection': {
        protects: 'a VolumeSnapshot that is bound to content',
        removedWhen: 'its VolumeSnapshotContent is dealt with',
      },
      'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection': {
        protects: 'a VolumeSnapshot that a claim is filled from',
        removedWhen: 'no claim is being filled from it',
      },
      'snapshot.storage.kubernetes.io/pvc-as-source-protection': {
        protects: 'a claim that a snapshot is taken of',
        removedWhen: 'no snapshot of it is under way',
      },
      'groupsnapshot.storage.kubernetes.io/*': {
        protects: 'a VolumeGroupSnapshot and its content',
        removedWhen: 'the group snapshot is dealt with',
      },
    },
  ),
  ...setBy(
    workload('Rook Ceph operator', ['rook-ceph-operator'], {
      labels: ['rook-ceph-operator'],
      images: ['rook/ceph'],
    }),
    'https://rook.io/docs/rook/latest/Storage-Configuration/ceph-teardown/',
    {
      'ceph.rook.io/disaster-protection': {
        protects: "the Secret and ConfigMap that hold a Ceph cluster's monitors and keys",
        removedWhen: 'the CephCluster is being deleted',
      },
      '*.ceph.rook.io': {
        protects: 'a Ceph resource and what still depends on it',
        removedWhen: 'nothing depends on it any more and Ceph has removed it',
      },
    },
  ),
  {
    name: 'longhorn.io',
    setBy: workload('Longhorn manager', ['longhorn-manager'], {
      labels: ['longhorn-manager', 'longhorn'],
      images: ['longhorn-manager'],
    }),
    protects: 'data and processes behind a Longhorn resource',
    removedWhen: 'Longhorn has cleaned up what stands behind it',
    source: 'https://github.com/longhorn/longhorn-manager/blob/master/datastore/datastore.go',
  },
  ...setBy(
    workload('TopoLVM', ['topolvm-controller', 'topolvm-node'], {
      labels: ['topolvm'],
      images: ['topolvm'],
    }),
    'https://github.com/topolvm/topolvm/blob/main/constants.go',
    {
      'topolvm.io/logicalvolume': {
        protects: 'the LVM volume of a LogicalVolume',
        removedWhen: 'the LVM volume was removed on its node',
      },
      'topolvm.io/node': {
        protects: 'volumes on a Node that is being deleted',
        removedWhen: 'the claims and LogicalVolumes of that node are deleted',
      },
    },
  ),
  {
    name: 'trident.netapp.io',
    setBy: workload('NetApp Trident controller', ['trident-controller', 'trident-csi'], {
      labels: ['controller.csi.trident.netapp.io'],
      images: ['netapp/trident'],
    }),
    protects: "Trident's record of a volume or backend",
    removedWhen: 'Trident has removed what stands behind it',
    source: 'https://github.com/NetApp/trident',
  },
  {
    name: 'cns.vmware.com/pvc-protection',
    setBy: workload('vSphere CSI driver', ['vsphere-csi-controller'], {
      mayRunElsewhere: true,
      labels: ['vsphere-csi-controller'],
      images: ['vsphere-csi', 'vsphere-block-csi'],
    }),
    protects: 'a Supervisor claim that a guest cluster uses',
    removedWhen: 'no guest cluster uses the volume',
    source: 'https://github.com/kubernetes-sigs/vsphere-csi-driver',
  },
  {
    name: 'openebs.io/diskpool-protection',
    setBy: workload('OpenEBS Mayastor disk pool operator', ['operator-diskpool'], {
      labels: ['operator-diskpool'],
      images: ['mayastor-operator-diskpool'],
    }),
    protects: 'a DiskPool and the replicas in it',
    removedWhen: 'the pool is empty and was destroyed on its node',
    source: 'https://github.com/openebs/mayastor-control-plane',
  },
];
