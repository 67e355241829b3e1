import { ephemeralVolume } from '../../../controllers/volumes/ephemeral-volume.ts';
import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { knownVolumesOf } from '../../../kube/pod-use.ts';
import { addressOf, shellCommand } from '../../../kube/shell-command.ts';
import { type AuditRule, wasRead } from '../audit-rule.ts';

export const takenEphemeralClaim: AuditRule = {
  id: 'taken-ephemeral-claim',
  title: "A claim that has the name of a pod's ephemeral volume, and is not its",
  severity: 'error',
  consequence: 'the pod is never started: the kubelet refuses a claim that the pod does not own',
  advice:
    'Delete the claim if its data is not needed: the pod gets its own. Else give the volume another name.',
  subjects: ['pods'],
  readsFacts: true,
  check(view) {
    const wanting = view.of('pods').filter(isWaiting);
    for (const pod of wanting) wasRead(view, pod, 'persistentvolumeclaims');
    return (ephemeralVolume.leftovers?.(view.cluster, view.now) ?? []).flatMap(
      ({ object: claim }) => {
        const pod = wanting.find((one) => wants(one, claim));
        if (!pod) return [];
        return [
          {
            object: claim,
            message: `pod ${pod.name} has an ephemeral volume of this name, and ${claim.ownerReferences.length === 0 ? 'the claim has no owner' : `the claim is owned by ${claim.ownerReferences.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`}`,
            related: [pod],
            fix: {
              summary:
                'delete the claim if its data is not needed, or give the volume another name: the pod gets a claim of its own',
              command: shellCommand`kubectl delete ${addressOf(claim)}`,
            },
          },
        ];
      },
    );
  },
};

/** A pod that has started had its own claim then. */
function isWaiting(pod: ObjectRecord): boolean {
  const { phase } = pod.facts ?? {};
  const isEphemeral = knownVolumesOf(pod).some(({ ephemeral }) => ephemeral);
  return phase === 'Pending' && isEphemeral && pod.uid !== '' && !isBeingDeleted(pod);
}

function wants(pod: ObjectRecord, claim: ObjectRecord): boolean {
  if (pod.namespace !== claim.namespace) return false;
  return knownVolumesOf(pod).some(
    ({ name, ephemeral }) => ephemeral && `${pod.name}-${name}` === claim.name,
  );
}
