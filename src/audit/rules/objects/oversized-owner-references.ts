import type { OwnerReference } from '../../../kube/object-record.ts';
import { fixReferencesCommandOf } from '../../fixes.ts';
import type { AuditRule } from '../audit-rule.ts';

/** Bytes: etcd's default --max-request-bytes, which no object may exceed. */
const limit = 1.5 * 1024 * 1024;
/** Managed fields repeat each uid, and the object has more than its references. */
const much = limit / 3;
const tooMuch = (limit * 2) / 3;

export const oversizedOwnerReferences: AuditRule = {
  id: 'oversized-owner-references',
  title: 'An object with nearly as many owners as can be stored',
  severity: 'warning',
  consequence:
    'never changed again once it is full: etcd takes no object above 1.5 MiB, so no controller can update it, and the garbage collector cannot remove a reference',
  advice:
    'Let fewer objects share it, or leave it without owners and clean it up in another way. References to owners that are gone can be removed.',
  subjects: [],
  readsFacts: false,
  check: ({ graph }) =>
    graph.snapshot.records.flatMap((record) => {
      const { ownerReferences } = record;
      if (ownerReferences.length < 1000) return [];
      const bytes = ownerReferences.reduce((sum, reference) => sum + sizeOf(reference), 0);
      if (bytes < much) return [];
      return [
        {
          object: record,
          message: `${ownerReferences.length} owner references are about ${kibibytes(bytes)}, of ${kibibytes(limit)} that an object may have`,
          ...(bytes >= tooMuch && { severity: 'error' as const }),
          fix: {
            summary:
              'let fewer objects share it; references to owners that are gone can be removed',
            command: fixReferencesCommandOf(record),
          },
        },
      ];
    }),
};

/** Bytes of JSON, which is how custom resources are stored. */
function sizeOf(reference: OwnerReference): number {
  return JSON.stringify(reference).length + 1;
}

function kibibytes(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`;
}
