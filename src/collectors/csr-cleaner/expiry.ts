import type { ObjectRecord } from '../../kube/object-record.ts';

const hour = 3_600_000;

export interface CsrExpiry {
  /** Epoch milliseconds: from the moment after it, a pass deletes the request. */
  readonly at: number;
  readonly because: string;
}

/**
 * When a CertificateSigningRequest is first up for deletion; undefined: never. Mirrors handle,
 * pkg/controller/certificates/cleaner/cleaner.go (CSR-3): each rule by itself, the first one counts.
 */
export function csrExpiry(csr: ObjectRecord): CsrExpiry | undefined {
  const { conditions = [], certificate } = csr.facts ?? {};
  const found: CsrExpiry[] = [];
  const add = (from: string | undefined, after: number, because: string) => {
    if (from !== undefined) found.push({ at: Date.parse(from) + after + 1, because });
  };
  for (const { type, lastUpdateTime } of conditions) {
    if (type === 'Approved' && certificate) {
      add(lastUpdateTime, hour, 'it was approved and issued an hour before');
      if (certificate.notAfter !== undefined)
        add(certificate.notAfter, 0, 'its certificate has expired');
    }
    if (type === 'Approved' && !certificate) {
      add(lastUpdateTime, 24 * hour, 'it was approved a day before and never issued');
    }
    if (type === 'Denied') add(lastUpdateTime, hour, 'it was denied an hour before');
    if (type === 'Failed') add(lastUpdateTime, hour, 'it failed an hour before');
  }
  if (conditions.length === 0) {
    add(csr.creationTimestamp, 24 * hour, 'it has been pending for a day');
  }
  return found.reduce<CsrExpiry | undefined>(
    (first, one) => (first === undefined || one.at < first.at ? one : first),
    undefined,
  );
}
