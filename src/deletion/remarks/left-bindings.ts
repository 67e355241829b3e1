import { objectKey } from '../../kube/object-reference.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { boundAccountsOf } from './lost-subjects.ts';
import { countedNames, identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** RoleBindings and ClusterRoleBindings that stay and name a deleted ServiceAccount: nothing removes it from their subjects. */
export function leftBindings({
  going,
  goingOf,
  recreations,
  snapshot,
  context: { roleBindings },
}: RemarkInput): PlanRemark[] {
  const accounts = goingOf('serviceaccounts').filter((object) => !recreations.has(object));
  if (accounts.length === 0) return [];
  const names = new Set(accounts.map(({ record: { namespace, name } }) => `${namespace}/${name}`));
  const gone = new Set(going.map(({ key }) => key));
  const apart = roleBindings?.records ?? [];
  const read = new Set(apart.map(objectKey));
  const bindings = [...snapshot.records.filter((one) => !read.has(objectKey(one))), ...apart];
  const staying = bindings.filter(
    (binding) =>
      boundAccountsOf(binding).some((account) => names.has(account)) &&
      !gone.has(objectKey(binding)),
  );
  const unread = accounts.some(({ isTarget }) => isTarget) ? (roleBindings?.unread ?? []) : [];
  return [
    ...(staying.length > 0 ? [stayingRemark(staying, names)] : []),
    ...(unread.length > 0 ? [unreadRemark(unread)] : []),
  ];

  function stayingRemark(all: typeof staying, named: ReadonlySet<string>): PlanRemark {
    const bound = new Set(all.flatMap(boundAccountsOf).filter((account) => named.has(account)));
    const objects = identitiesOf(all);
    const whose = identitiesOf(
      accounts.flatMap(({ record }) =>
        bound.has(`${record.namespace}/${record.name}`) ? [record] : [],
      ),
    );
    const [stays, its] =
      objects.length === 1 ? ['stays and still names', 'its'] : ['stay and still name', 'their'];
    const one =
      whose.length === 1
        ? 'a new ServiceAccount of that name'
        : 'new ServiceAccounts of these names';
    const message = `${namesOf(objects)} ${stays} ${countedNames(whose)}: ${one} will have ${its} permissions.`;
    return { code: 'left-dangling', severity: 'note', message, objects };
  }
}

function unreadRemark(kinds: readonly string[]): PlanRemark {
  const message = `${kinds.join(', ')} could not be read: whether they still name deleted ServiceAccounts is unknown.`;
  return { code: 'left-dangling', severity: 'note', message, objects: [] };
}
