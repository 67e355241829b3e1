import type { ObjectRecord, OwnerReference } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { AuditFinding } from './audit-finding.ts';

type Faulty = Pick<AuditFinding, 'rule' | 'object' | 'reference'>;

/**
 * Names a fault by rule, object and owner, and not by uids: whoever deletes and creates the object
 * anew with the same mistake has the same fault. Several of one name are numbered in their order.
 */
export function withFingerprints<T extends Faulty>(
  findings: readonly T[],
): (T & { readonly fingerprint: string })[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const name = nameOf(finding.rule, finding.object, finding.reference);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { ...finding, fingerprint: count === 1 ? name : `${name} #${count}` };
  });
}

function nameOf(
  rule: string,
  { type, namespace, name }: ObjectRecord,
  reference: OwnerReference | undefined,
): string {
  const owner = reference ? ` > ${reference.kind}/${reference.name}` : '';
  return `${rule}: ${groupResourceOf(type)} ${namespace === '' ? '' : `${namespace}/`}${name}${owner}`;
}
