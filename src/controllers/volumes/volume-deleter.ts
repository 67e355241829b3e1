import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { hour } from '../../kube/time.ts';

/**
 * What deletes a volume's backing storage: kube-controller-manager, an external provisioner, or
 * nothing.
 */
type Deleter =
  | { readonly by: 'controller-manager' }
  | { readonly by: 'external'; readonly provisioner: string }
  | { readonly by: 'none'; readonly error: string };

const inTree = 'kubernetes.io/';
/** Plugins that kube-controller-manager has; of them only hostPath deletes (PV-5). */
const withoutDelete = ['nfs', 'fc', 'iscsi', 'csi'] as const;
const notDeletable = 'no deletable volume plugin matched';

/** Mirrors findDeletablePlugin, pkg/controller/volume/persistentvolume/pv_controller.go (PV-5 to PV-7). */
export function deleterOf(volume: ObjectRecord): Deleter {
  const provisionedBy = provisionerOf(volume) ?? '';
  const driver = migratedTo(volume);
  const source = volume.facts?.source ?? {};
  if (driver) return { by: 'external', provisioner: driver };
  if (provisionedBy !== '' && provisionedBy !== `${inTree}host-path`) {
    if (!provisionedBy.startsWith(inTree)) return { by: 'external', provisioner: provisionedBy };
    const isPlugin = withoutDelete.some((kind) => provisionedBy === `${inTree}${kind}`);
    const error = isPlugin ? notDeletable : `no volume plugin matched name: ${provisionedBy}`;
    return { by: 'none', error };
  }
  if (driver !== undefined) return { by: 'external', provisioner: driver };
  if (source.csi !== undefined) return { by: 'external', provisioner: source.csi };
  if (source.hostPath !== undefined) {
    // Anywhere in the path (PV-7).
    if (/\/tmp\/.+/.test(source.hostPath)) return { by: 'controller-manager' };
    return {
      by: 'none',
      error: `host_path deleter only supports /tmp/.+ but received provided ${source.hostPath}`,
    };
  }
  const why = withoutDelete.some((kind) => source[kind])
    ? notDeletable
    : 'no volume plugin matched';
  const error = `error getting deleter volume plugin for volume "${volume.name}": ${why}`;
  return { by: 'none', error };
}

/** What should have deleted a released volume by now: normally that takes seconds; a storage backend may take longer. */
export function lateDeleterOf(volume: ObjectRecord, now: number): string | undefined {
  const deleter = deleterOf(volume);
  const { persistentVolumeReclaimPolicy: policy, lastPhaseTransitionTime: since } =
    volume.facts ?? {};
  if (policy !== 'Delete' || deleter.by === 'none') return undefined;
  if (since !== undefined && now - Date.parse(since) < hour) return undefined;
  return deleter.by === 'external' ? deleter.provisioner : 'kube-controller-manager';
}

export const ofProvisioner = 'external-provisioner.volume.kubernetes.io/finalizer';
/** The minor version since which HonorPVReclaimPolicy is on by default. */
const honorsPolicySince = 31;

/**
 * What a volume leaves behind that is deleted itself: its provisioner passes over one that is being deleted, unless it has set
 * its finalizer on it, as it does by HonorPVReclaimPolicy (shouldDelete, sig-storage-lib-external-provisioner controller.go).
 */
export function storageLeft(volume: ObjectRecord, minor: number): string | undefined {
  const deleter = deleterOf(volume);
  if (volume.facts?.persistentVolumeReclaimPolicy !== 'Delete') return undefined;
  if (deleter.by !== 'external' || volume.finalizers.includes(ofProvisioner)) return undefined;
  const here = minor < honorsPolicySince ? `, and this is v1.${minor}` : '';
  return `what backs it stays: provisioner ${deleter.provisioner} passes over a volume that is being deleted without ${ofProvisioner} (set by default since v1.${honorsPolicySince}${here})`;
}

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

/** The finalizer that kube-controller-manager sets on volumes that it deletes. */
export const keptForDeletion = 'kubernetes.io/pv-controller';

export function provisionerOf({ annotations }: ObjectRecord): string | undefined {
  return annotations?.['pv.kubernetes.io/provisioned-by'];
}

/**
 * The driver that handles a volume, after the controller has corrected the record (PV-9): it sets missing entries, and
 * removes those of another driver, unless a user created the volume.
 */
export function migratedTo(volume: ObjectRecord): string | undefined {
  const noted = volume.annotations?.['pv.kubernetes.io/migrated-to'];
  const provisioner = provisionerOf(volume);
  if (provisioner === undefined) return noted;
  return drivers.get(provisioner);
}

/**
 * Does the controller fail on this volume each time? First of all it adds its finalizer to volumes of
 * in-tree plugins, which the API server refuses for one that is being deleted (PV-9); by HonorPVReclaimPolicy.
 */
export function isBlocked(volume: ObjectRecord, minor: number): boolean {
  const provisioner = provisionerOf(volume) ?? '';
  return (
    minor >= honorsPolicySince &&
    isBeingDeleted(volume) &&
    volume.facts?.persistentVolumeReclaimPolicy === 'Delete' &&
    provisioner.startsWith(inTree) &&
    !drivers.has(provisioner) &&
    !volume.finalizers.includes(keptForDeletion)
  );
}
