import type { ObjectRecord } from '../../kube/object-record.ts';
import { hour } from '../../kube/time.ts';
import type { PassController } from '../controller.ts';
import { blindAtFirst, deletion, passesFrom } from '../decision.ts';

const resource = 'certificatesigningrequests.certificates.k8s.io';

const hourlyPasses = blindAtFirst(hour);

/**
 * Checks every request once an hour; its first pass, at the start, sees none yet (CSR-1, CSR-2).
 */
export const csrCleaner: PassController = {
  id: 'csr-cleaner',
  controllers: ['certificatesigningrequest-cleaner-controller'],
  reads: [resource],
  passes: hourlyPasses,
  needsPass: ({ facts }) => facts !== undefined,
  pass(view, _settings, now, memory) {
    return view.all(resource).flatMap((csr) => {
      const expiry = csr.facts && csrExpiry(csr, view.minor);
      if (!expiry) return [];
      const range = passesFrom(csrCleaner.id, hourlyPasses, expiry.at, now, memory);
      return [deletion(csrCleaner.id, csr, { ...range, because: expiry.because, rule: 'CSR-3' })];
    });
  },
};

interface CsrExpiry {
  /** Epoch milliseconds: from the moment after it, a pass deletes the request. */
  readonly at: number;
  readonly because: string;
}

/**
 * When a CertificateSigningRequest becomes due for deletion; undefined: never. Mirrors handle,
 * pkg/controller/certificates/cleaner/cleaner.go (CSR-3): each rule on its own, the first match
 * counts. Before v1.35 a request that was approved and never issued stayed.
 */
export function csrExpiry(csr: ObjectRecord, minor: number): CsrExpiry | undefined {
  const { conditions = [], certificate } = csr.facts ?? {};
  const found: CsrExpiry[] = [];
  const add = (from: string | undefined, after: number, because: string) => {
    if (from !== undefined) found.push({ at: Date.parse(from) + after + 1, because });
  };
  for (const { type, lastUpdateTime } of conditions) {
    if (type === 'Approved' && certificate) {
      add(lastUpdateTime, hour, 'it was approved and issued an hour before');
      add(certificate.notAfter, 0, 'its certificate has expired');
    }
    if (type === 'Approved' && !certificate && minor >= 35) {
      add(lastUpdateTime, 24 * hour, 'it was approved a day before and never issued');
    }
    if (type === 'Denied') add(lastUpdateTime, hour, 'it was denied an hour before');
    if (type === 'Failed') add(lastUpdateTime, hour, 'it failed an hour before');
  }
  if (conditions.length === 0) {
    add(csr.creationTimestamp, 24 * hour, `it has been pending for a day${notApproved(csr)}`);
  }
  return found.reduce<CsrExpiry | undefined>(
    (first, one) => (first === undefined || one.at < first.at ? one : first),
    undefined,
  );
}

/** The one signer whose requests kube-controller-manager approves (recognizers of pkg/controller/certificates/approver/sarapprove.go). */
const approvedSigner = 'kubernetes.io/kube-apiserver-client-kubelet';

function notApproved({ facts }: ObjectRecord): string {
  const signer = facts?.signerName;
  if (signer === undefined || signer === approvedSigner) return '';
  return ` (kube-controller-manager approves no requests of signer ${signer})`;
}
