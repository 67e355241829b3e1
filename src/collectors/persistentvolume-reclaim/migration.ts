import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';

/** In-tree plugins whose work CSI drivers do, by their names. */
const drivers: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
]);

const inTree = 'kubernetes.io/';
export const keptForDeletion = 'kubernetes.io/pv-controller';

export function provisionerOf({ annotations }: ObjectRecord): string | undefined {
  return annotations?.['pv.kubernetes.io/provisioned-by'];
}

/**
 * The driver that a volume was handed to, once the controller has put that right (PV-9): it sets what is
 * missing, and takes off what names another, unless the volume was made by hand.
 */
export function migratedTo(volume: ObjectRecord): string | undefined {
  const noted = volume.annotations?.['pv.kubernetes.io/migrated-to'];
  const provisioner = provisionerOf(volume);
  if (provisioner === undefined) return noted;
  return drivers.get(provisioner) ?? (noted === '' ? noted : undefined);
}

/**
 * Does the controller fail on this volume for ever? Before all else it adds its finalizer to volumes of
 * in-tree plugins, which the API server refuses for one that is being deleted (PV-9).
 */
export function isBlocked(volume: ObjectRecord): boolean {
  const provisioner = provisionerOf(volume) ?? '';
  return (
    isBeingDeleted(volume) &&
    volume.facts?.persistentVolumeReclaimPolicy === 'Delete' &&
    provisioner.startsWith(inTree) &&
    !drivers.has(provisioner) &&
    !volume.finalizers.includes(keptForDeletion)
  );
}
