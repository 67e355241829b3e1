import { roleBindingTypes, roleTypes } from '../../kube/core-types.ts';
import type { ObjectFacts, ObjectRecord } from '../../kube/object-record.ts';
import { type Evidence, evidenceOf, type Inquiry, listEverywhere, valueIn } from '../inquiry.ts';

/** By which role an account may change an object. */
export interface Permission {
  /** `ClusterRole db-operator`. */
  readonly role: string;
  /** The role matches the kind with `*` and does not name it. */
  readonly isWildcard: boolean;
}

/** A ServiceAccount. */
export interface Account {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** `ops/sa`. */
  readonly account: string;
}

/** What RBAC lets an account do with one object. */
export interface AccountRights {
  /** Undefined: it may not update or patch the object, as far as was read. */
  readonly changes: Permission | undefined;
  /** The role that names the kind and lets the account list or watch it. */
  readonly watches: string | undefined;
}

/** What RBAC lets ServiceAccounts do with one object, and what of it could not be read. */
export interface PermittedAccounts {
  /** The same for two objects of which the same roles say the same. */
  readonly key: string;
  rightsOf(account: Account): AccountRights;
  readonly unread: readonly Evidence[];
}

const changing = new Set(['update', 'patch', '*']);
const watching = new Set(['list', 'watch', '*']);

type RoleRule = NonNullable<ObjectFacts['rules']>[number];
type BoundSubject = NonNullable<ObjectFacts['subjects']>[number];

interface Grant {
  /** `ClusterRole db-operator`, and whether it lets change or watch the object. */
  readonly name: string;
  readonly changes: Permission | undefined;
  readonly watches: boolean;
  readonly subjects: readonly BoundSubject[];
  /** Of a RoleBinding; empty for a ClusterRoleBinding. */
  readonly namespace: string;
}

/**
 * Who may update or patch this object: finalizers are part of its metadata, so a narrower
 * permission is not enough.
 */
export function permittedAccounts(inquiry: Inquiry, record: ObjectRecord): PermittedAccounts {
  const rbac = inquiry.once('roles and bindings', () => rbacOf(inquiry));
  return rbac.bindings.length > 0 ? accountsPermitted(rbac, record) : noAccounts(rbac, record);
}

/** Files seldom hold what binds roles. */
function noAccounts({ unread }: Rbac, { namespace }: ObjectRecord): PermittedAccounts {
  return { key: namespace, rightsOf: () => ({ changes: undefined, watches: undefined }), unread };
}

type Rbac = ReturnType<typeof rbacOf>;

function accountsPermitted(
  { roles, bindings, unread }: Rbac,
  record: ObjectRecord,
): PermittedAccounts {
  const said = new Map<string, { readonly isWildcard: boolean | undefined; watches: boolean }>();
  for (const { role, changes, watches } of roles) {
    const matching = changes.filter((rule) => ruleAllows(rule, record));
    const isWatched = watches.some((rule) => ruleAllows(rule, record));
    if (matching.length === 0 && !isWatched) continue;
    const isWildcard = matching.length > 0 ? matching.every(hasWildcard) : undefined;
    said.set(role, { isWildcard, watches: isWatched });
  }
  const grants = bindings.flatMap(({ role, kind, name, namespace, subjects }): Grant[] => {
    // A RoleBinding grants in its own namespace only; of a cluster-scoped kind it grants nothing.
    if (namespace !== '' && namespace !== record.namespace) return [];
    const { isWildcard, watches = false } = said.get(role) ?? {};
    const title = `${kind} ${name}`;
    const changes = isWildcard === undefined ? undefined : { role: title, isWildcard };
    return [{ name: title, changes, watches, subjects, namespace }];
  });
  const known = new Map<string, AccountRights>();
  return {
    key: `${record.namespace} ${JSON.stringify([...said])}`,
    rightsOf(account) {
      const before = known.get(account.account);
      if (before) return before;
      const own = grants.filter((grant) =>
        grant.subjects.some((subject) => isSubject(subject, grant, account)),
      );
      const permissions = own.flatMap(({ changes }) => changes ?? []);
      const rights = {
        changes: permissions.find(({ isWildcard }) => !isWildcard) ?? permissions[0],
        watches: own.find(({ watches }) => watches)?.name,
      };
      known.set(account.account, rights);
      return rights;
    },
    unread,
  };
}

/** Roles with their rules that let change something, and that name what they let watch; bindings; and what of both could not be read. */
function rbacOf(inquiry: Inquiry) {
  const unread: Evidence[] = [];
  const listOf = (type: (typeof roleTypes)[number]): readonly ObjectRecord[] => {
    const reading = listEverywhere(inquiry, type);
    if (reading.state === 'unread') unread.push(...evidenceOf(reading, () => ''));
    return valueIn(reading) ?? [];
  };
  const roles = roleTypes.flatMap(listOf).map(({ type, namespace, name, facts }) => ({
    role: `${type.kind} ${namespace}/${name}`,
    changes: rulesWith(changing, facts),
    watches: rulesWith(watching, facts).filter((rule) => !hasWildcard(rule)),
  }));
  const bindings = roleBindingTypes.flatMap(listOf).map(({ namespace, facts }) => {
    const { subjects = [], roleRef: { kind = '', name = '' } = {} } = facts ?? {};
    const role = `${kind} ${kind === 'Role' ? namespace : ''}/${name}`;
    return { role, kind, name, namespace, subjects };
  });
  return { roles, bindings, unread };
}

function rulesWith(
  wanted: ReadonlySet<string>,
  facts: ObjectFacts | undefined,
): readonly RoleRule[] {
  return (facts?.rules ?? []).filter(({ verbs = [] }) => verbs.some((verb) => wanted.has(verb)));
}

/** For a rule with the verb, mirrors RuleAllows of plugin/pkg/auth/authorizer/rbac. */
function ruleAllows(
  { apiGroups = [], resources = [], resourceNames: names = [] }: RoleRule,
  { type, name }: ObjectRecord,
): boolean {
  const holds = (entries: readonly string[], value: string) =>
    entries.includes(value) || entries.includes('*');
  return (
    holds(apiGroups, type.group) &&
    holds(resources, type.resource) &&
    (names.length === 0 || names.includes(name))
  );
}

function hasWildcard({ apiGroups = [], resources = [] }: RoleRule): boolean {
  return apiGroups.includes('*') || resources.includes('*');
}

/** Mirrors appliesToUser of the same package, for the user and groups of a ServiceAccount. */
function isSubject(
  { kind, name, namespace: home }: BoundSubject,
  grant: Grant,
  { namespace, serviceAccount }: Account,
): boolean {
  switch (kind) {
    case 'ServiceAccount':
      return name === serviceAccount && (home ?? grant.namespace) === namespace;
    case 'User':
      return name === `system:serviceaccount:${namespace}:${serviceAccount}`;
    case 'Group':
      return [
        'system:authenticated',
        'system:serviceaccounts',
        `system:serviceaccounts:${namespace}`,
      ].includes(name);
    default:
      return false;
  }
}
