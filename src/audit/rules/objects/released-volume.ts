import {
  deleterOf,
  releaseInWords,
} from '../../../controllers/volumes/persistentvolume-reclaim.ts';
import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { hour } from '../../../kube/time.ts';
import type { AuditRule, AuditViolation } from '../audit-rule.ts';

export const releasedVolume: AuditRule = {
  id: 'released-volume',
  title: 'A volume whose claim is gone',
  severity: 'info',
  consequence: 'never collected: what backs the volume is kept, and no claim can have it',
  advice:
    'To use a kept volume again, remove spec.claimRef, as the command does. The next claim that binds to it sees the old data.',
  subjects: ['persistentvolumes'],
  readsFacts: true,
  check: ({ of, cluster, now }) =>
    of('persistentvolumes').flatMap((volume): AuditViolation[] => {
      if (isBeingDeleted(volume) || volume.uid === '') return [];
      const message = releaseInWords(cluster, volume, now);
      if (message === undefined) return [];
      const { persistentVolumeReclaimPolicy: policy, lastPhaseTransitionTime: since } =
        volume.facts ?? {};
      const time = since === undefined ? undefined : now - Date.parse(since);
      if (policy === 'Retain' && (time === undefined || time >= 24 * hour)) {
        return [{ object: volume, message, fix: keptFix(volume) }];
      }
      const deleter = deleterOf(volume);
      // undeletable-volume reports volumes that nothing can delete.
      if (policy !== 'Delete' || deleter.by === 'none') return [];
      // Its deletion normally takes seconds; a storage backend may take longer.
      if (time !== undefined && time < hour) return [];
      const by = deleter.by === 'external' ? deleter.provisioner : 'kube-controller-manager';
      return [
        {
          object: volume,
          severity: 'warning',
          confidence: 'likely',
          message: `${message}: ${by} has not deleted it`,
          consequence: `never collected, unless ${by} runs and its backend lets it delete the volume`,
          fix: {
            summary: `see in its events and in the log of ${by} what holds it`,
            command: shellCommand`kubectl describe ${addressOf(volume)}`,
          },
        },
      ];
    }),
};

function keptFix(volume: ObjectRecord): AuditViolation['fix'] {
  return {
    summary:
      'let another claim use it, with the data that is on it; or delete the volume and what backs it by hand',
    command: shellCommand`kubectl patch ${addressOf(volume)} --type=json -p ${'[{"op":"remove","path":"/spec/claimRef"}]'}`,
  };
}
