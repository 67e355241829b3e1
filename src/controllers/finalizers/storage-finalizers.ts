import type { FinalizerController, KnownFinalizer } from './known-finalizer.ts';

const provisioner: FinalizerController = {
  title: 'external-provisioner of the CSI driver',
  runsIn: 'workload',
  mayRunElsewhere: true,
  oneOfMany: true,
  names: ['csi-provisioner', 'csi-controller', 'provisioner'],
  images: ['csi-provisioner', 'external-provisioner', '-provisioner'],
};
const attacher: FinalizerController = {
  title: 'external-attacher of the CSI driver',
  runsIn: 'workload',
  mayRunElsewhere: true,
  oneOfMany: true,
  names: ['csi-attacher', 'csi-controller'],
  images: ['csi-attacher', 'external-attacher'],
  leases: ['external-attacher-leader-*'],
};
const snapshotController: FinalizerController = {
  title: 'CSI snapshot controller',
  runsIn: 'workload',
  mayRunElsewhere: true,
  names: ['snapshot-controller', 'csi-snapshot-controller'],
  labels: ['snapshot-controller'],
  images: ['snapshot-controller'],
  leases: ['snapshot-controller-leader'],
};
const rook: FinalizerController = {
  title: 'Rook Ceph operator',
  runsIn: 'workload',
  names: ['rook-ceph-operator'],
  labels: ['rook-ceph-operator'],
  images: ['rook/ceph'],
};
const longhorn: FinalizerController = {
  title: 'Longhorn manager',
  runsIn: 'workload',
  names: ['longhorn-manager'],
  labels: ['longhorn-manager', 'longhorn'],
  images: ['longhorn-manager'],
};
const topolvm: FinalizerController = {
  title: 'TopoLVM',
  runsIn: 'workload',
  names: ['topolvm-controller', 'topolvm-node'],
  labels: ['topolvm'],
  images: ['topolvm'],
};
const vsphere: FinalizerController = {
  title: 'vSphere CSI driver',
  runsIn: 'workload',
  mayRunElsewhere: true,
  names: ['vsphere-csi-controller'],
  labels: ['vsphere-csi-controller'],
  images: ['vsphere-csi', 'vsphere-block-csi'],
};

const snapshotter =
  'https://github.com/kubernetes-csi/external-snapshotter/blob/master/pkg/utils/util.go';
const library =
  'https://github.com/kubernetes-sigs/sig-storage-lib-external-provisioner/blob/master/controller/controller.go';
const csiProvisioner =
  'https://github.com/kubernetes-csi/external-provisioner/blob/master/pkg/controller/controller.go';

/** Set by CSI sidecars and storage systems. */
export const storageFinalizers: readonly KnownFinalizer[] = [
  {
    name: 'external-provisioner.volume.kubernetes.io/finalizer',
    setBy: provisioner,
    protects: 'the storage behind a volume with reclaim policy Delete',
    removedWhen: 'the driver has deleted the storage',
    source: library,
  },
  {
    name: 'provisioner.storage.kubernetes.io/cloning-protection',
    setBy: provisioner,
    protects: 'a claim that another claim is cloned from',
    removedWhen: 'no claim is being cloned from it',
    source: csiProvisioner,
  },
  {
    name: 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection',
    setBy: provisioner,
    protects: 'a snapshot that a claim is filled from',
    removedWhen: 'no claim is being filled from it',
    source: csiProvisioner,
  },
  {
    name: 'external-attacher/*',
    setBy: attacher,
    protects: 'a volume or VolumeAttachment that is attached to a node',
    removedWhen: 'the driver has detached the volume, or no VolumeAttachment names it',
    source:
      'https://github.com/kubernetes-csi/external-attacher/blob/master/pkg/controller/util.go',
  },
  {
    name: 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection',
    setBy: snapshotController,
    protects: 'snapshot content that is bound to a VolumeSnapshot',
    removedWhen:
      'its VolumeSnapshot is gone and, with policy Delete, the driver deleted the snapshot',
    source: snapshotter,
  },
  {
    name: 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection',
    setBy: snapshotController,
    protects: 'a VolumeSnapshot that is bound to content',
    removedWhen: 'its VolumeSnapshotContent is dealt with',
    source: snapshotter,
  },
  {
    name: 'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection',
    setBy: snapshotController,
    protects: 'a VolumeSnapshot that a claim is filled from',
    removedWhen: 'no claim is being filled from it',
    source: snapshotter,
  },
  {
    name: 'snapshot.storage.kubernetes.io/pvc-as-source-protection',
    setBy: snapshotController,
    protects: 'a claim that a snapshot is taken of',
    removedWhen: 'no snapshot of it is under way',
    source: snapshotter,
  },
  {
    name: 'groupsnapshot.storage.kubernetes.io/*',
    setBy: snapshotController,
    protects: 'a VolumeGroupSnapshot and its content',
    removedWhen: 'the group snapshot is dealt with',
    source: snapshotter,
  },
  {
    name: 'ceph.rook.io/disaster-protection',
    setBy: rook,
    protects: "the Secret and ConfigMap that hold a Ceph cluster's monitors and keys",
    removedWhen: 'the CephCluster is being deleted',
    source: 'https://rook.io/docs/rook/latest/Storage-Configuration/ceph-teardown/',
  },
  {
    name: '*.ceph.rook.io',
    setBy: rook,
    protects: 'a Ceph resource and what still depends on it',
    removedWhen: 'nothing depends on it any more and Ceph has removed it',
    source: 'https://rook.io/docs/rook/latest/Storage-Configuration/ceph-teardown/',
  },
  {
    name: 'longhorn.io',
    setBy: longhorn,
    protects: 'data and processes behind a Longhorn resource',
    removedWhen: 'Longhorn has cleaned up what stands behind it',
    source: 'https://github.com/longhorn/longhorn-manager/blob/master/datastore/datastore.go',
  },
  {
    name: 'topolvm.io/logicalvolume',
    setBy: topolvm,
    protects: 'the LVM volume of a LogicalVolume',
    removedWhen: 'the LVM volume was removed on its node',
    source: 'https://github.com/topolvm/topolvm/blob/main/constants.go',
  },
  {
    name: 'topolvm.io/node',
    setBy: topolvm,
    protects: 'volumes on a Node that is being deleted',
    removedWhen: 'the claims and LogicalVolumes of that node are deleted',
    source: 'https://github.com/topolvm/topolvm/blob/main/constants.go',
  },
  {
    name: 'trident.netapp.io',
    setBy: {
      title: 'NetApp Trident controller',
      runsIn: 'workload',
      names: ['trident-controller', 'trident-csi'],
      labels: ['controller.csi.trident.netapp.io'],
      images: ['netapp/trident'],
    },
    protects: "Trident's record of a volume or backend",
    removedWhen: 'Trident has removed what stands behind it',
    source: 'https://github.com/NetApp/trident',
  },
  {
    name: 'cns.vmware.com/pvc-protection',
    setBy: vsphere,
    protects: 'a Supervisor claim that a guest cluster uses',
    removedWhen: 'no guest cluster uses the volume',
    source: 'https://github.com/kubernetes-sigs/vsphere-csi-driver',
  },
  {
    name: 'openebs.io/diskpool-protection',
    setBy: {
      title: 'OpenEBS Mayastor disk pool operator',
      runsIn: 'workload',
      names: ['operator-diskpool'],
      labels: ['operator-diskpool'],
      images: ['mayastor-operator-diskpool'],
    },
    protects: 'a DiskPool and the replicas in it',
    removedWhen: 'the pool is empty and was destroyed on its node',
    source: 'https://github.com/openebs/mayastor-control-plane',
  },
];
