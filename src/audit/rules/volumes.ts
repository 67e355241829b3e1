import { addressOf, shellCommand } from '../../command-line/shell-command.ts';
import {
  isUnknownPolicy,
  releasedBy,
  releaseInWords,
  unknownPolicy,
} from '../../controllers/volumes/persistentvolume-reclaim.ts';
import { deleterOf, lateDeleterOf } from '../../controllers/volumes/volume-deleter.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { hour } from '../../kube/time.ts';
import {
  eachOf,
  patchCommandOf,
  type Rule,
  type RuleInput,
  type Violation,
  wasRead,
} from '../rule.ts';

export const releasedVolume: Rule = {
  id: 'released-volume',
  title: 'A volume whose claim was deleted',
  severity: 'info',
  consequence: 'never collected: what backs the volume is kept, and no claim can have it',
  advice:
    'To use a kept volume again, remove `spec.claimRef`, as the command does. The next claim that binds to it sees the old data.',
  ...eachOf('persistentvolumes', (volume, { cluster, now }) => {
    if (isBeingDeleted(volume) || volume.uid === '') return undefined;
    const message = releaseInWords(cluster, volume, now);
    if (message === undefined) return undefined;
    const { persistentVolumeReclaimPolicy: policy, lastPhaseTransitionTime: since } =
      volume.facts ?? {};
    const time = since === undefined ? undefined : now - Date.parse(since);
    if (policy === 'Retain' && (time === undefined || time >= 24 * hour)) {
      return { object: volume, message, fix: keptFix(volume) };
    }
    // undeletable-volume reports volumes that nothing can delete.
    const by = lateDeleterOf(volume, now);
    if (by === undefined) return undefined;
    return {
      object: volume,
      severity: 'warning',
      confidence: 'likely',
      message: `${message}: ${by} has not deleted it`,
      consequence: `never collected, unless ${by} runs and its backend lets it delete the volume`,
      fix: {
        summary: `check its events and the log of ${by} for what blocks it`,
        command: shellCommand`kubectl describe ${addressOf(volume)}`,
      },
    };
  }),
};

/** The fix tests that the volume still names the deleted claim: another claim may be bound to the volume by now. */
function keptFix(volume: ObjectRecord): Violation['fix'] {
  const path = '/spec/claimRef';
  const patch = [
    { op: 'test', path: `${path}/uid`, value: volume.facts?.claimRef?.uid },
    { op: 'remove', path },
  ];
  return {
    summary:
      'bind another claim to it and keep its data; or delete the volume and its backing storage manually',
    command: patchCommandOf(volume, patch),
  };
}

const csiDrivers = 'csidrivers.storage.k8s.io';
const nodes = 'csinodes.storage.k8s.io';

export const undeletableVolume: Rule = {
  id: 'undeletable-volume',
  title:
    'A volume that no controller will delete, with the reclaim policy Delete or an unknown one',
  severity: 'warning',
  consequence: 'never collected: once its claim is deleted, the volume remains in phase Failed',
  advice:
    'Set Retain to keep the data. Otherwise delete the backing storage manually, then the volume.',
  ...eachOf('persistentvolumes', (volume, view) => {
    const { facts } = volume;
    const policy = facts?.persistentVolumeReclaimPolicy;
    if (isBeingDeleted(volume) || (policy !== 'Delete' && !isUnknownPolicy(policy))) {
      return undefined;
    }
    const released = releasedBy(view.cluster, volume);
    const state = released?.isCertain ? `; ${released.because}` : '';
    const fix = released?.isCertain
      ? {
          summary: 'delete its backing storage manually, then the volume',
          command: shellCommand`kubectl delete ${addressOf(volume)}`,
        }
      : {
          summary: 'keep it when its claim is deleted, then delete its backing storage manually',
          command: shellCommand`kubectl patch ${addressOf(volume)} --type=merge -p ${'{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'}`,
        };
    if (policy !== 'Delete') {
      const message = `its reclaim policy is ${unknownPolicy(policy)}${state}`;
      return { object: volume, message, fix };
    }
    const deleter = deleterOf(volume);
    if (deleter.by === 'none') return { object: volume, message: `${deleter.error}${state}`, fix };
    if (deleter.by !== 'external' || deleter.provisioner !== facts?.source?.csi) return undefined;
    if (isInstalled(view, deleter.provisioner)) return undefined;
    if (!wasRead(view, volume, csiDrivers, '') || !wasRead(view, volume, nodes, ''))
      return undefined;
    return {
      object: volume,
      confidence: 'likely',
      message: `CSI driver ${deleter.provisioner} is to delete it, and neither a CSIDriver nor a Node has it${state}`,
      consequence:
        'never collected, unless its driver is installed: once its claim is deleted, the volume remains Released',
      fix,
    };
  }),
};

function isInstalled({ cluster }: RuleInput, driver: string): boolean {
  if (cluster.at(csiDrivers, '', driver)) return true;
  return cluster.all(nodes).some(({ facts }) => !facts || facts.csiDrivers?.includes(driver));
}
