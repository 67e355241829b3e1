import type { ObjectRecord } from '../kube/object-record.ts';
import { apiVersionOf } from '../kube/resource-type.ts';
import type { FailedGroupVersion, ResourceTypes } from '../kube/resource-types.ts';
import type { TypedList } from './input-contents.ts';

/**
 * The group versions that an aggregated API server did not serve, as its APIService says: kubectl could
 * not list their kinds, so that the input cannot hold them. Where it holds one all the same, it was served.
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
  return records.flatMap(({ type, name, facts }) => {
    if (type.kind !== 'APIService' || type.group !== 'apiregistration.k8s.io') return [];
    const { apiGroup: group = '', apiGroupVersion: version, serviceName, conditions } = facts ?? {};
    const available = conditions?.find((one) => one.type === 'Available');
    if (available?.status !== 'False' || serviceName === undefined) return [];
    if (known.has(`${group}/${version}`)) return [];
    const { reason = '', message = '', lastTransitionTime } = available;
    const since = lastTransitionTime === undefined ? '' : ` since ${lastTransitionTime}`;
    const told = `the APIService ${name} is not available${since}: ${reason}: ${message}`;
    return [{ group, version, message: told }];
  });
}
