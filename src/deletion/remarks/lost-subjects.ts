import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** The ServiceAccounts that a RoleBinding or a ClusterRoleBinding names: `shop/builder`. */
export function boundAccountsOf({ namespace: own, facts }: ObjectRecord): string[] {
  return (facts?.subjects ?? []).flatMap(({ kind, name, namespace = own }) =>
    kind === 'ServiceAccount' ? `${namespace}/${name}` : [],
  );
}

/**
 * The evidence that a binding gives no permission: all its subjects are ServiceAccounts, and none of them exists. A new one of
 * that name would have them. `bindings`: what was read in full beside the snapshot, by uid.
 */
export function lostSubjectsIn(
  { records, coverage, types }: Pick<Snapshot, 'records' | 'coverage' | 'types'>,
  bindings: ReadonlyMap<string, ObjectRecord> = new Map(),
): (record: ObjectRecord) => string | undefined {
  const existing = new Set(
    records.flatMap(({ type, namespace, name }) =>
      groupResourceOf(type) === 'serviceaccounts' ? `${namespace}/${name}` : [],
    ),
  );
  const index = coverageIndexOf(coverage);
  const [type] = types.versions('serviceaccounts');
  const isGone = (account: string) => {
    const [namespace = '', name = ''] = account.split('/');
    return !existing.has(account) && type !== undefined && index.covers(type, namespace, name);
  };
  return (record) => {
    const binding = record.facts ? record : (bindings.get(record.uid) ?? record);
    const accounts = boundAccountsOf(binding);
    const subjects = binding.facts?.subjects?.length ?? 0;
    if (accounts.length === 0 || accounts.length < subjects) return undefined;
    if (!accounts.every(isGone)) return undefined;
    return accounts.length === 1
      ? `its only subject, ServiceAccount ${accounts[0]}, does not exist`
      : `none of its ${counted(accounts.length, 'subject')} exists: ServiceAccounts ${firstOf(accounts)}`;
  };
}
