import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { nodeNameOf, notRead, volumesOf } from '../../kube/pod-use.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision } from '../collector.ts';
import { controllerOf, nextSync, patching } from '../decide.ts';

const id = 'persistentvolume-reclaim';
const ofVolumes = 'kubernetes.io/pv-protection';
const ofClaims = 'kubernetes.io/pvc-protection';

/** The finalizers that protect volumes and claims in use go once they are not (PV-11, PV-12). */
export function releasedProtections(view: ClusterView, now: number): Decision[] {
  const volumes = view
    .all('persistentvolumes')
    .filter((volume) => waitsFor(volume, ofVolumes) && isUnbound(volume))
    .map((volume) => takenOff(volume, ofVolumes, 'it is not bound', 'PV-11', now));
  const claims = view
    .all('persistentvolumeclaims')
    .filter((claim) => waitsFor(claim, ofClaims) && !isUsed(view, claim))
    .map((claim) => {
      const isCertain = view.covers('pods', claim.namespace, '');
      const because = isCertain ? 'no pod uses it' : 'no pod that could be read uses it';
      const decision = takenOff(claim, ofClaims, because, 'PV-12', now);
      return isCertain ? decision : { ...decision, confidence: 'unknown' as const };
    });
  return [...volumes, ...claims];
}

/** Every volume has a phase: where there is none, it was not read. */
function isUnbound({ facts }: ObjectRecord): boolean {
  return facts?.phase !== undefined && facts.phase !== 'Bound';
}

function waitsFor(record: ObjectRecord, finalizer: string): boolean {
  return (
    record.facts !== undefined && isBeingDeleted(record) && record.finalizers.includes(finalizer)
  );
}

function takenOff(
  record: ObjectRecord,
  finalizer: string,
  why: string,
  rule: string,
  now: number,
): Decision {
  const finalizers = record.finalizers.filter((one) => one !== finalizer);
  return patching(id, record, {
    ...nextSync(now),
    patch: { body: { metadata: { finalizers } } },
    because: `it is being deleted and ${why}, so ${finalizer} is taken off`,
    rule,
  });
}

/** A bound pod uses a claim whatever its phase; one without a Node never does (PV-12). */
function isUsed(view: ClusterView, claim: ObjectRecord): boolean {
  return view.in('pods', claim.namespace).some((pod) => {
    const nodeName = nodeNameOf(pod);
    const volumes = volumesOf(pod);
    // What was not read may be a use.
    if (nodeName === notRead || volumes === notRead) return true;
    if (nodeName === '') return false;
    return volumes.some(({ name, claimName, ephemeral }) => {
      if (claimName !== undefined) return claimName === claim.name;
      if (!ephemeral || `${pod.name}-${name}` !== claim.name) return false;
      const isEnding = isBeingDeleted(pod) && pod.deletionGracePeriodSeconds === 0;
      return controllerOf(claim)?.uid === pod.uid && !isEnding;
    });
  });
}
