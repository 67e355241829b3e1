import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';

export const certificates = 'certificates.cert-manager.io';

/** The Certificate for which cert-manager issued a Secret (internal/controller/certificates/secrets.go); undefined of others. */
export function certificateNamedIn({ type, annotations }: ObjectRecord): string | undefined {
  return groupResourceOf(type) === 'secrets'
    ? annotations?.['cert-manager.io/certificate-name']
    : undefined;
}
