import type { CertificateFacts } from './certificate.ts';
import { type Condition, conditions } from './condition.ts';
import { at, type FieldsOf, integer, text } from './shape.ts';

/** Of a CertificateSigningRequest. */
export interface CertificateRequestFacts {
  readonly signerName?: string;
  readonly expirationSeconds?: number;
  readonly conditions?: readonly Condition[];
  /** Unset until one is issued. */
  readonly certificate?: CertificateFacts;
}

export const certificateRequestFields: FieldsOf<CertificateRequestFacts> = {
  signerName: at('spec.signerName', '2.7', text),
  expirationSeconds: at('spec.expirationSeconds', '2.8', integer),
  conditions: at(
    'status.conditions',
    '3.1',
    conditions({ status: 6, reason: 2, message: 3, lastUpdateTime: 4, lastTransitionTime: 5 }),
  ),
  certificate: at('status.certificate', '3.2', { form: 'certificate' }),
};
