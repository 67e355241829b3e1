import type { ObjectRecord } from '../../kube/object-record.ts';
import { migratedTo, provisionerOf } from './migration.ts';

/** Who deletes what backs a volume: kube-controller-manager, a provisioner outside of it, or nobody. */
export type Deleter =
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
