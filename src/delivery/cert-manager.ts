import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { coverageIndexOf } from '../snapshot/coverage.ts';
import { isOfCluster, type Snapshot } from '../snapshot/snapshot.ts';

export const certificates = 'certificates.cert-manager.io';

/** The Certificate for which cert-manager issued a Secret (internal/controller/certificates/secrets.go); undefined of others. */
export function certificateNamedIn({ type, annotations }: ObjectRecord): string | undefined {
  return groupResourceOf(type) === 'secrets'
    ? annotations?.['cert-manager.io/certificate-name']
    : undefined;
}

/** Of a Secret where the API of Certificates was removed, and all Certificates with it. */
export function unservedCertificate(name: string): string {
  return `cert-manager issued it for Certificate ${name}, and the cluster serves no Certificates any more: it may be a leftover, and nothing deletes it`;
}

/** The evidence that a Certificate was deleted, of the Secret that remained: cert-manager makes no owner reference by default. */
export function goneCertificates({
  records,
  coverage,
  types,
  origin,
  evidence,
}: Pick<Snapshot, 'records' | 'coverage' | 'types' | 'origin' | 'evidence'>): (
  secret: ObjectRecord,
) => string | undefined {
  const [type] = types.versions(certificates);
  const isUnserved = isOfCluster({ origin, evidence }) && types.failed.length === 0;
  if (!type) {
    return (secret) => {
      const name = certificateNamedIn(secret);
      return name !== undefined && isUnserved ? unservedCertificate(name) : undefined;
    };
  }
  const index = coverageIndexOf(coverage);
  const there = new Set(
    records.flatMap((record) =>
      groupResourceOf(record.type) === certificates ? [`${record.namespace}/${record.name}`] : [],
    ),
  );
  return (secret) => {
    const name = certificateNamedIn(secret);
    const { namespace } = secret;
    if (name === undefined || there.has(`${namespace}/${name}`)) return undefined;
    if (!index.covers(type, namespace, name)) return undefined;
    return `cert-manager issued it for Certificate ${name}, which does not exist: nothing deletes it`;
  };
}
