import type { ClusterClient } from '../../client/cluster-client.ts';
import { groupVersionSegments } from '../../kube/object-path.ts';
import { apiPath } from '../../kube/path-segment.ts';
import type { FailedGroupVersion } from '../../kube/resource-types.ts';
import { answeredObject } from './answered-list.ts';
import { ApiFailure, failureOf } from './api-failure.ts';
import { type GetOptions, get } from './get.ts';
import { inParallel } from './in-parallel.ts';
import { type DiscoveredTypes, typesOfResourceList } from './parse-discovery.ts';
import { readBody, UnreadableJson } from './read-body.ts';

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
    try {
      const path = apiPath(...groupVersionSegments({ group, version }));
      const response = await get(client, path, 'application/json', options);
      if (response.status !== 200) throw await failureOf(response);
      const list = answeredObject(await readBody(response));
      // Go writes an empty list as null.
      const resources = list.resources === null ? [] : list.resources;
      if (list.kind !== 'APIResourceList' || !Array.isArray(resources)) {
        throw new UnreadableJson('the answer is no APIResourceList');
      }
      const found = typesOfResourceList(group, version, resources);
      failed.push(...found.failed);
      return found.types;
    } catch (error) {
      if (!(error instanceof ApiFailure || error instanceof UnreadableJson)) throw error;
      const message = `the kinds of the API ${name} are unknown: ${error.message}`;
      failed.push({ group, version, message });
      return [];
    }
  });
  return { types: types.flat(), failed };
}
