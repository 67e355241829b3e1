import type { ObjectRecord } from '../kube/object-record.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { goneCertificates } from './cert-manager.ts';
import { appliedByHelm, goneReleases } from './helm.ts';
import { appliedByOlm, goneOperators } from './olm.ts';
import { appliedBy } from './tools.ts';

/** An object that remains of an uninstalled Helm release or operator, or of a Certificate that was deleted. */
export interface DeliveryLeftover {
  readonly owners: 'release-gone' | 'operator-gone' | 'certificate-gone';
  /** The evidence, in words. */
  readonly because: string;
}

/** Asked of an object: whether it is left of what brought it. Undefined also where that is not known. */
export function leftoversIn(
  snapshot: Snapshot,
): (record: ObjectRecord) => DeliveryLeftover | undefined {
  const releaseGone = goneReleases(snapshot);
  const operatorGone = goneOperators(snapshot);
  const certificateGone = goneCertificates(snapshot);
  return (record) => {
    const issued = certificateGone(record);
    if (issued !== undefined) return { owners: 'certificate-gone', because: issued };
    const who = appliedBy(record)?.who;
    if (who !== undefined && who === appliedByHelm(record)?.who) {
      const because = releaseGone(record);
      return because === undefined ? undefined : { owners: 'release-gone', because };
    }
    if (who !== appliedByOlm(record)?.who) return undefined;
    const because = operatorGone(record);
    return because === undefined ? undefined : { owners: 'operator-gone', because };
  };
}
