import { ownLabels } from '../../cluster/write/write-request.ts';
import { usageError } from '../../errors.ts';
import { builtInTypes } from '../../kube/built-in-types.ts';
import { isPathSegment } from '../../kube/path-segment.ts';
import { groupResourceOf, isDeletable, type ResourceType } from '../../kube/resource-type.ts';
import { isBuiltInGroup, ResourceTypes } from '../../kube/resource-types.ts';
import { parseTargets } from '../../kube/type-argument.ts';
import { type Need, splitResource } from '../../shell/command-permissions.ts';

interface RolesAsked {
  /** `audit`, `snapshot save`. */
  readonly command: string;
  readonly needs: readonly Need[];
  /** The kinds that the command is about; empty: every kind that Kubernetes brings. */
  readonly kinds: readonly string[];
  /** Only there; undefined: in the whole cluster. */
  readonly namespace: string | undefined;
  /** Who gets the roles: `NAMESPACE/NAME`. */
  readonly serviceAccount: string | undefined;
}

const rbac = 'rbac.authorization.k8s.io';
const builtIn = new ResourceTypes(builtInTypes, { exhaustive: false });

/** The roles that permit a command what it needs and nothing else, and where asked the bindings to them. */
export function roleManifests(asked: RolesAsked): object[] {
  const { command, namespace, serviceAccount } = asked;
  const subject = serviceAccount === undefined ? undefined : subjectOf(serviceAccount);
  const name = `kubectl-gc-${command.replace(' ', '-')}`;
  const parts =
    namespace === undefined
      ? [{ rules: rulesOf(asked, () => true), where: '' }]
      : [
          { rules: rulesOf(asked, ({ namespaced }) => namespaced), where: namespace },
          { rules: rulesOf(asked, ({ namespaced }) => !namespaced), where: '' },
        ];
  return parts
    .filter(({ rules }) => rules.length > 0)
    .flatMap(({ rules, where }) => {
      const kind = where === '' ? 'ClusterRole' : 'Role';
      const metadata = { name, ...(where && { namespace: where }), labels: ownLabels };
      const apiVersion = `${rbac}/v1`;
      const role = { apiVersion, kind, metadata, rules };
      if (!subject) return [role];
      const roleRef = { apiGroup: rbac, kind, name };
      return [role, { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects: [subject] }];
    });
}

function subjectOf(text: string) {
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (rest.length === 0 && isPathSegment(namespace) && isPathSegment(name)) {
    return { kind: 'ServiceAccount', namespace, name };
  }
  throw usageError(`--service-account "${text}" does not name a ServiceAccount`, [
    'Write it as NAMESPACE/NAME.',
  ]);
}

type Scope = Pick<ResourceType, 'namespaced'>;

/** One rule for all resources of a group that need the same verbs. */
function rulesOf(
  { needs, kinds, namespace }: RolesAsked,
  fits: (scope: Scope) => boolean,
): object[] {
  const permitted = new Map<string, Need & { readonly resource: string }>();
  for (const need of needs) {
    // It is about an object of another namespace, without which the command does.
    if (namespace !== undefined && need.names) continue;
    const hasWildcard = need.on === 'everything' && fits({ namespaced: true });
    const resources = hasWildcard
      ? ['*.*']
      : resourcesOf(need, kinds).filter((resource) => fits(scopeOf(resource)));
    for (const resource of resources) {
      const key = `${resource} ${need.names?.join()}`;
      const known = permitted.get(key)?.verbs ?? [];
      permitted.set(key, { ...need, resource, verbs: [...new Set([...known, ...need.verbs])] });
    }
  }
  const alike = Map.groupBy(permitted.values(), ({ resource, names, verbs }) =>
    JSON.stringify([splitResource(resource).group, names, verbs]),
  );
  return [...alike.values()].flatMap((same) => {
    const [first] = same;
    if (!first) return [];
    const { resource, names, verbs } = first;
    return {
      apiGroups: [splitResource(resource).group],
      resources: same.map((one) => splitResource(one.resource).resource),
      ...(names && { resourceNames: names }),
      verbs,
    };
  });
}

/** Where a wildcard would also be one for subresources such as nodes/proxy, the kinds are named. */
function resourcesOf({ on }: Need, kinds: readonly string[]): readonly string[] {
  if (typeof on !== 'string') return on;
  return on === 'named' && kinds.length > 0 ? kinds.flatMap(resourcesNamed) : everyKind;
}

const everyKind = builtInTypes.filter(isDeletable).map(groupResourceOf);

/** Kinds of Kubernetes by any of their names; custom resources by plural and group. */
function resourcesNamed(word: string): readonly string[] {
  const { group } = splitResource(word);
  if (group !== '' && !isBuiltInGroup(group)) return [word];
  return parseTargets([word], builtIn).targets.map(({ type }) => groupResourceOf(type));
}

function scopeOf(resource: string): Scope {
  const [kind = ''] = resource.split('/');
  // Most custom resources are namespaced.
  return builtIn.versions(kind)[0] ?? { namespaced: true };
}
