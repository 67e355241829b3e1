import { auditPolicy } from '../support/audit-policy.ts';

/** A rule of a role, as `rbac` prints it. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A request as an audit log has it (audit.k8s.io/v1 Event). */
interface LoggedRequest {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Logs each write with its body, and what the ServiceAccounts of this namespace read. */
export function usagePolicy(namespace: string) {
  const policy = auditPolicy([{ level: 'Request' }]);
  const userGroups = [`system:serviceaccounts:${namespace}`];
  const reads = { level: 'Metadata', userGroups, verbs: ['get', 'list', 'watch'] };
  return { ...policy, rules: [reads, ...policy.rules] };
}

/** What was asked by whom and permitted by RBAC, from the text of an audit log, of which the last line may be half written. */
export function permittedIn(log: string): LoggedRequest[] {
  return log
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.includes('"authorization.k8s.io/decision":"allow"'))
    .map((line) => JSON.parse(line) as LoggedRequest);
}

interface Part {
  readonly verb: string;
  /** `configmaps`, `deployments.apps`, `*.*`. */
  readonly resource: string;
  readonly isUsed: boolean;
}

/** Each verb of rules on each resource, and whether it permitted one of these requests: of a wildcard, one that no other rule permits. */
export function partsOf(rules: readonly Rule[], requests: readonly LoggedRequest[]): Part[] {
  const parts = rules.flatMap(({ apiGroups, resources, verbs, resourceNames }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.map((verb) => ({ group, resource, verb, names: resourceNames })),
      ),
    ),
  );
  const permits = (
    { group, resource, verb, names }: (typeof parts)[number],
    { verb: sent, objectRef = {} }: LoggedRequest,
  ) => {
    const { apiGroup = '', name = '', subresource } = objectRef;
    const of = subresource ? `${objectRef.resource}/${subresource}` : objectRef.resource;
    return (
      verb === sent &&
      (group === '*' || group === apiGroup) &&
      (resource === '*' || resource === of) &&
      (names === undefined || names.includes(name))
    );
  };
  const narrow = parts.filter(({ resource }) => resource !== '*');
  return parts.map((part) => {
    const others = part.resource === '*' ? narrow : [];
    const isUsed = requests.some(
      (one) => permits(part, one) && !others.some((other) => permits(other, one)),
    );
    const { verb, group, resource } = part;
    return { verb, resource: `${resource}${group ? `.${group}` : ''}`, isUsed };
  });
}
