import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterView } from '../cluster-view.ts';

export interface Released {
  readonly because: string;
  readonly rule: string;
  readonly isCertain: boolean;
}

const claims = 'persistentvolumeclaims';

/** Has the claim that a volume was bound to let go of it (PV-2, PV-3)? */
export function releasedBy(view: ClusterView, volume: ObjectRecord): Released | undefined {
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
