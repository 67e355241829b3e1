import { roleBindingTypes, roleTypes } from '../../kube/core-types.ts';
import type { ObjectFacts, ObjectRecord } from '../../kube/object-record.ts';
import { type Evidence, evidenceOf, type Inquiry, readAllWhole, valueIn } from '../inquiry.ts';

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

/** What RBAC lets ServiceAccounts do with one object, and what of it could not be read. */
export interface PermittedAccounts {
  /** The same for two objects that the same roles let change, each by a name of its own or all of its kind. */
  readonly key: string;
  permissionOf(account: Account): Permission | undefined;
  readonly unread: readonly Evidence[];
}

const changes = new Set(['update', 'patch', '*']);

type Rule = NonNullable<ObjectFacts['rules']>[number];
type Subject = NonNullable<ObjectFacts['subjects']>[number];

interface Grant extends Permission {
  readonly subjects: readonly Subject[];
  /** Of a RoleBinding; empty for a ClusterRoleBinding. */
  readonly namespace: string;
}

/**
 * Who may update or patch this object: finalizers are part of its metadata, so a narrower
 * permission is not enough.
 */
export function permittedAccounts(inquiry: Inquiry, record: ObjectRecord): PermittedAccounts {
  const { changing, bindings, unread } = inquiry.once('roles and bindings', () => rbacOf(inquiry));
  const roles = new Map<string, boolean>();
  for (const { role, rules } of changing) {
    const matching = rules.filter((rule) => mayChange(rule, record));
    if (matching.length > 0) roles.set(role, matching.every(isWildcard));
  }
  const grants = bindings.flatMap(({ role, kind, name, namespace, subjects }): Grant[] => {
    // A RoleBinding grants in its own namespace only; of a cluster-scoped kind it grants nothing.
    if (namespace !== '' && namespace !== record.namespace) return [];
    const wildcard = roles.get(role);
    if (wildcard === undefined) return [];
    return [{ role: `${kind} ${name}`, isWildcard: wildcard, subjects, namespace }];
  });
  const known = new Map<string, Permission | undefined>();
  return {
    key: `${record.namespace} ${JSON.stringify([...roles])}`,
    permissionOf({ account, namespace, serviceAccount }) {
      if (known.has(account)) return known.get(account);
      const own = grants.filter((grant) =>
        grant.subjects.some((subject) => isSubject(subject, grant, namespace, serviceAccount)),
      );
      const permission = own.find((grant) => !grant.isWildcard) ?? own[0];
      known.set(account, permission);
      return permission;
    },
    unread,
  };
}

/** Roles with their rules that let change something, bindings, and what of both could not be read. */
function rbacOf(inquiry: Inquiry) {
  const unread: Evidence[] = [];
  const listOf = (type: (typeof roleTypes)[number]): readonly ObjectRecord[] => {
    const reading = readAllWhole(inquiry.ask({ ask: 'list', type, namespace: undefined }));
    if (reading.state === 'unread') unread.push(...evidenceOf(reading, () => ''));
    return valueIn(reading) ?? [];
  };
  const changing = roleTypes.flatMap(listOf).map(({ type, namespace, name, facts }) => {
    const rules = facts?.rules?.filter(({ verbs = [] }) => verbs.some((verb) => changes.has(verb)));
    return { role: `${type.kind} ${namespace}/${name}`, rules: rules ?? [] };
  });
  const bindings = roleBindingTypes.flatMap(listOf).map(({ namespace, facts }) => {
    const { subjects = [], roleRef: { kind = '', name = '' } = {} } = facts ?? {};
    const role = `${kind} ${kind === 'Role' ? namespace : ''}/${name}`;
    return { role, kind, name, namespace, subjects };
  });
  return { changing, bindings, unread };
}

/** For a rule that lets change something, mirrors RuleAllows of plugin/pkg/auth/authorizer/rbac. */
function mayChange(
  { apiGroups = [], resources = [], resourceNames: names = [] }: Rule,
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

function isWildcard({ apiGroups = [], resources = [] }: Rule): boolean {
  return apiGroups.includes('*') || resources.includes('*');
}

/** Mirrors appliesToUser of the same package, for the user and groups of a ServiceAccount. */
function isSubject(
  { kind, name, namespace: home }: Subject,
  grant: Grant,
  namespace: string,
  serviceAccount: string,
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
