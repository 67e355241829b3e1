import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { apiVersionOf, groupResourceOf } from '../kube/resource-type.ts';
import type { FailedGroupVersion, ResourceTypes } from '../kube/resource-types.ts';
import { conditionOf, isCustomResourceDefinition, isNamespace } from '../kube/well-known-kinds.ts';
import { failuresOf } from '../programs/reports.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import { saidByEach } from '../snapshot/isolated.ts';
import type { TypedList } from './input-contents.ts';

/**
 * The group versions that an aggregated API server did not serve, as its APIService says or a namespace that could not be deleted: kubectl
 * could not list their kinds, so the input cannot contain their objects. If it contains one, the version was served.
 */
export function unavailableApis(
  records: readonly ObjectRecord[],
  { all, failed }: ResourceTypes,
  lists: readonly TypedList[],
): FailedGroupVersion[] {
  const known = new Set([
    ...all.map(apiVersionOf),
    ...lists.map(({ apiVersion }) => apiVersion),
    ...failed.map(({ group, version }) => `${group}/${version}`),
  ]);
  const services = records.filter(
    ({ type }) => type.kind === 'APIService' && type.group === 'apiregistration.k8s.io',
  );
  const down = saidByEach(services, ({ name, facts }) => {
    const { apiGroup: group = '', apiGroupVersion: version, serviceName, conditions } = facts ?? {};
    const available = conditions?.find((one) => one.type === 'Available');
    if (available?.status !== 'False' || serviceName === undefined) return [];
    if (known.has(`${group}/${version}`)) return [];
    const { reason = '', message = '', lastTransitionTime } = available;
    const since = lastTransitionTime === undefined ? '' : ` since ${lastTransitionTime}`;
    const condition = `the APIService ${name} is not available${since}: ${reason}: ${message}`;
    return [{ group, version, message: condition }];
  });
  // Among all APIServices there is that of the core API; one that is missing then was deleted since.
  if (services.some(({ name }) => name === 'v1.')) return down;
  const named = saidByEach(services, ({ facts }) => [
    `${facts?.apiGroup}/${facts?.apiGroupVersion}`,
  ]);
  return [...down, ...undiscovered(records, new Set([...known, ...named]))];
}

/** `metrics.k8s.io/v1beta1`; no group of Kubernetes itself without a dot fails. */
const groupVersion = /\b((?:[a-z0-9-]+\.)+[a-z0-9-]+)\/(v\d+(?:(?:alpha|beta)\d+)?)\b/g;

/** The group versions that the namespace controller could not discover when it last tried (ErrGroupDiscoveryFailed, client-go). */
function undiscovered(
  records: readonly ObjectRecord[],
  known: ReadonlySet<string>,
): FailedGroupVersion[] {
  const going = records.filter((one) => isNamespace(one) && isBeingDeleted(one));
  const reported = saidByEach(going, (namespace) => {
    const condition = conditionOf(namespace, 'NamespaceDeletionDiscoveryFailure');
    if (condition?.status !== 'True') return [];
    const { message = '', lastTransitionTime: since = 'an unknown time' } = condition;
    return [...message.matchAll(groupVersion)].map(([apiVersion, group = '', version]) => {
      const because = `the namespace controller has not discovered ${apiVersion} since ${since}, as Namespace ${namespace.name} reports`;
      return { group, version, message: because };
    });
  });
  const names = reported.map(({ group, version }) => `${group}/${version}`);
  return reported.filter((_, at) => {
    const name = names[at] ?? '';
    return !known.has(name) && names.indexOf(name) === at;
  });
}

/**
 * The kinds of which the API server reported that it could not list or delete the instances: a dump contains none of them, and
 * nothing else shows that. If it contains one, the kind was listed.
 */
export function unlistedKinds(records: readonly ObjectRecord[]): CoverageProblem[] {
  const failures = saidByEach(records.filter(isCustomResourceDefinition), (definition) => {
    const [failure] = failuresOf(definition);
    const message = failure?.message || failure?.what;
    return message ? [{ reason: 'unavailable' as const, message, resource: definition.name }] : [];
  });
  if (failures.length === 0) return [];
  const seen = new Set(records.map(({ type }) => groupResourceOf(type)));
  return failures.filter(({ resource }) => !seen.has(resource));
}
