import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterView } from '../cluster-view.ts';

interface VolumeRelease {
  readonly because: string;
  readonly rule: string;
  readonly isCertain: boolean;
}

const claims = 'persistentvolumeclaims';

/** Has the claim that a volume was bound to let go of it (PV-2, PV-3)? */
export function releasedBy(view: ClusterView, volume: ObjectRecord): VolumeRelease | undefined {
  const { claimRef } = volume.facts ?? {};
  if (!claimRef?.uid) return undefined;
  const { namespace = '', name, uid } = claimRef;
  const claim = view.at(claims, namespace, name);
  if (!claim) {
    const isCertain = view.covers(claims, namespace, name);
    const because = isCertain
      ? `its claim ${namespace}/${name} is gone`
      : `its claim ${namespace}/${name} was not seen, and could not be read`;
    return { because, rule: 'PV-2', isCertain };
  }
  if (claim.uid !== uid) {
    const because = `its claim ${namespace}/${name} was deleted, and one with the same name created`;
    return { because, rule: 'PV-2', isCertain: true };
  }
  const boundTo = claim.facts?.volumeName;
  if (boundTo === undefined || boundTo === volume.name) return undefined;
  const provisioned = volume.annotations?.['pv.kubernetes.io/provisioned-by'] !== undefined;
  if (!provisioned || volume.facts?.persistentVolumeReclaimPolicy !== 'Delete') return undefined;
  const because = `its claim ${namespace}/${name} is bound to ${boundTo}`;
  return { because, rule: 'PV-3', isCertain: true };
}

/**
 * What deletes a volume's backing storage: kube-controller-manager, an external provisioner, or
 * nothing.
 */
type Deleter =
  | { readonly by: 'controller-manager' }
  | { readonly by: 'external'; readonly provisioner: string }
  | { readonly by: 'nobody'; readonly error: string };

const inTree = 'kubernetes.io/';
/** Plugins that kube-controller-manager has; of them only hostPath deletes (PV-5). */
const withoutDelete = ['nfs', 'fc', 'iscsi'] as const;

/** Mirrors findDeletablePlugin, pkg/controller/volume/persistentvolume/pv_controller.go (PV-5 to PV-7). */
export function deleterOf(volume: ObjectRecord): Deleter {
  const { name, facts } = volume;
  const provisionedBy = provisionerOf(volume) ?? '';
  const driver = migratedTo(volume);
  const source = facts?.source ?? {};
  const nobody = (why: string): Deleter => ({
    by: 'nobody',
    error: `error getting deleter volume plugin for volume "${name}": ${why}`,
  });
  if (driver) return { by: 'external', provisioner: driver };
  if (provisionedBy !== '' && provisionedBy !== `${inTree}host-path`) {
    return provisionedBy.startsWith(inTree)
      ? nobody('no volume plugin matched')
      : { by: 'external', provisioner: provisionedBy };
  }
  if (driver !== undefined) return { by: 'external', provisioner: driver };
  if (source.csi !== undefined) return { by: 'external', provisioner: source.csi };
  if (source.hostPath !== undefined) {
    // Anywhere in the path (PV-7).
    if (/\/tmp\/.+/.test(source.hostPath)) return { by: 'controller-manager' };
    return {
      by: 'nobody',
      error: `host_path deleter only supports /tmp/.+ but received provided ${source.hostPath}`,
    };
  }
  if (withoutDelete.some((kind) => source[kind])) {
    return nobody('no deletable volume plugin matched');
  }
  return nobody('no volume plugin matched');
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

const inTreePrefix = 'kubernetes.io/';
export const keptForDeletion = 'kubernetes.io/pv-controller';

function provisionerOf({ annotations }: ObjectRecord): string | undefined {
  return annotations?.['pv.kubernetes.io/provisioned-by'];
}

/**
 * The driver that a volume was handed to, once the controller has put that right (PV-9): it sets
 * what is missing, and removes what names another driver, unless the volume was created by hand.
 */
export function migratedTo(volume: ObjectRecord): string | undefined {
  const noted = volume.annotations?.['pv.kubernetes.io/migrated-to'];
  const provisioner = provisionerOf(volume);
  if (provisioner === undefined) return noted;
  return drivers.get(provisioner) ?? (noted === '' ? noted : undefined);
}

/**
 * Does the controller fail on this volume forever? First of all it adds its finalizer to volumes of
 * in-tree plugins, which the API server refuses for one that is being deleted (PV-9).
 */
export function isBlocked(volume: ObjectRecord): boolean {
  const provisioner = provisionerOf(volume) ?? '';
  return (
    isBeingDeleted(volume) &&
    volume.facts?.persistentVolumeReclaimPolicy === 'Delete' &&
    provisioner.startsWith(inTreePrefix) &&
    !drivers.has(provisioner) &&
    !volume.finalizers.includes(keptForDeletion)
  );
}
