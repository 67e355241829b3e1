import { certificateEnding } from './certificate-ending.ts';
import { type Draw, hour, type Loose, minute, times } from './draw.ts';

/** CertificateSigningRequests of all ages and conditions. */
export function signingRequests({ chance, one, between, ago, now }: Draw): Loose[] {
  // Half an hour from every limit.
  const age = () => between(1, 50) * hour - 30 * minute;
  return times(40, (index) => ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: `csr-${index}`, creationTimestamp: ago(age()) },
    spec: { request: 'eA==', signerName: 'example.com/s', usages: ['client auth'] },
    status: {
      ...(chance(0.5) && {
        certificate: one([
          'bm90IGEgY2VydGlmaWNhdGU=',
          btoa(certificateEnding(now - hour)),
          btoa(certificateEnding(now + hour)),
        ]),
      }),
      conditions: times(between(0, 2), () => ({
        type: one(['Approved', 'Denied', 'Failed', 'Custom']),
        status: 'True',
        reason: 'r',
        ...(chance(0.9) && { lastUpdateTime: ago(chance(0.3) ? 30 * minute : age()) }),
      })),
    },
  }));
}

/** Requests of pods; they need a feature gate. */
export function podCertificateRequests({ one, ago }: Draw): Loose[] {
  return times(8, (index) => ({
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'PodCertificateRequest',
    metadata: {
      name: `pcr-${index}`,
      namespace: 'clean-b',
      creationTimestamp: ago(one([minute, 10 * minute, 20 * minute, 3 * hour])),
    },
    spec: { signerName: 'example.com/s', podName: 'p', podUID: 'u', nodeName: 'node-0' },
    status: {
      conditions: one([[], [{ type: 'Issued', status: 'True', reason: 'r', message: 'm' }]]),
    },
  }));
}
