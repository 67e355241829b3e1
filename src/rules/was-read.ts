import type { ObjectRecord } from '../kube/object-record.ts';
import type { AuditView } from './audit-rule.ts';

/** Were all objects of a resource in a namespace read ('': everywhere)? If not, the rule cannot tell about the record. */
export function wasRead(
  { cluster, cannotTell }: AuditView,
  record: ObjectRecord,
  resource: string,
  namespace = record.namespace,
): boolean {
  if (cluster.covers(resource, namespace, '')) return true;
  cannotTell(record, `${resource}${namespace === '' ? '' : ` in ${namespace}`} were not read`);
  return false;
}
