import {
  deleterOf,
  isUnknownPolicy,
  releasedBy,
  unknownPolicy,
} from '../../../controllers/volumes/persistentvolume-reclaim.ts';
import { isBeingDeleted } from '../../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { type AuditRule, type AuditView, type AuditViolation, wasRead } from '../audit-rule.ts';

const drivers = 'csidrivers.storage.k8s.io';
const nodes = 'csinodes.storage.k8s.io';

export const undeletableVolume: AuditRule = {
  id: 'undeletable-volume',
  title:
    'A volume that no controller will delete, with the reclaim policy Delete or an unknown one',
  severity: 'warning',
  consequence: 'never collected: when its claim is gone the volume stays, and ends in phase Failed',
  advice:
    'Set Retain to keep the data. Otherwise delete what backs the volume by hand, then the volume.',
  subjects: ['persistentvolumes'],
  readsFacts: true,
  check: (view) =>
    view.of('persistentvolumes').flatMap((volume): AuditViolation[] => {
      const { facts } = volume;
      const policy = facts?.persistentVolumeReclaimPolicy;
      if (isBeingDeleted(volume) || (policy !== 'Delete' && !isUnknownPolicy(policy))) return [];
      const released = releasedBy(view.cluster, volume);
      const state = released?.isCertain ? `; ${released.because}` : '';
      const fix = {
        summary: released?.isCertain
          ? 'delete what backs it by hand, then the volume'
          : 'keep it when its claim is deleted, and delete what backs it by hand then',
        command: released?.isCertain
          ? shellCommand`kubectl delete ${addressOf(volume)}`
          : shellCommand`kubectl patch ${addressOf(volume)} --type=merge -p ${'{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'}`,
      };
      if (policy !== 'Delete') {
        const message = `its reclaim policy is ${unknownPolicy(policy)}${state}`;
        return [{ object: volume, message, fix }];
      }
      const deleter = deleterOf(volume);
      if (deleter.by === 'none') {
        return [{ object: volume, message: `${deleter.error}${state}`, fix }];
      }
      if (deleter.by !== 'external' || deleter.provisioner !== facts?.source?.csi) return [];
      if (isInstalled(view, deleter.provisioner)) return [];
      if (!wasRead(view, volume, drivers, '') || !wasRead(view, volume, nodes, '')) return [];
      return [
        {
          object: volume,
          confidence: 'likely',
          message: `CSI driver ${deleter.provisioner} is to delete it, and neither a CSIDriver nor a Node has it${state}`,
          consequence: 'never collected: when its claim is gone the volume stays Released',
          fix,
        },
      ];
    }),
};

function isInstalled({ cluster }: AuditView, driver: string): boolean {
  if (cluster.at(drivers, '', driver)) return true;
  return cluster.all(nodes).some(({ facts }) => !facts || facts.csiDrivers?.includes(driver));
}
