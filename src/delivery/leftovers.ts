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
  const evidence = {
    'release-gone': goneReleases(snapshot),
    'operator-gone': goneOperators(snapshot),
    'certificate-gone': goneCertificates(snapshot),
  };
  const leftover = (
    owners: DeliveryLeftover['owners'],
    record: ObjectRecord,
  ): DeliveryLeftover | undefined => {
    const because = evidence[owners](record);
    return because === undefined ? undefined : { owners, because };
  };
  return (record) => {
    const who = appliedBy(record)?.who;
    if (who !== undefined && who === appliedByHelm(record)?.who)
      return leftover('release-gone', record);
    const left =
      who === undefined
        ? (leftover('release-gone', record) ?? leftover('certificate-gone', record))
        : undefined;
    if (left) return left;
    return who === appliedByOlm(record)?.who ? leftover('operator-gone', record) : undefined;
  };
}
