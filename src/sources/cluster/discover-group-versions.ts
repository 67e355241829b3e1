import type { ClusterClient } from '../../client/cluster-client.ts';
import type { FailedGroupVersion } from '../../kube/resource-types.ts';
import { ApiFailure, failureOf } from './api-failure.ts';
import { type GetOptions, get } from './get.ts';
import { inParallel } from './in-parallel.ts';
import { type DiscoveredTypes, type ResourceList, typesOfResourceList } from './parse-discovery.ts';
import { parseJson, readBody, UnreadableJson } from './read-body.ts';

export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}

const concurrency = 8;

/** Unaggregated discovery: one request per group version; those that fail are told, the rest is kept. */
export async function discoverGroupVersions(
  client: ClusterClient,
  groupVersions: readonly GroupVersion[],
  options: GetOptions,
): Promise<DiscoveredTypes> {
  const failed: FailedGroupVersion[] = [];
  const types = await inParallel(groupVersions, concurrency, async ({ group, version }) => {
    const name = group === '' ? version : `${group}/${version}`;
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      const response = await get(client, path, 'application/json', options);
      if (response.status !== 200) throw await failureOf(response);
      const list = parseJson(await readBody(response)) as ResourceList;
      return typesOfResourceList(group, version, list);
    } catch (error) {
      if (!(error instanceof ApiFailure || error instanceof UnreadableJson)) throw error;
      const message = `the kinds of the API ${name} are unknown: ${error.message}`;
      failed.push({ group, version, message });
      return [];
    }
  });
  return { types: types.flat(), failed };
}
