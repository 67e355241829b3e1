import type { ClusterClient } from '../../../client/cluster-client.ts';
import type { Answer } from '../../../diagnosis/inquiry.ts';
import { groupResourceOf, isEventType } from '../../../kube/resource-type.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import type { GetOptions } from '../get.ts';
import { inParallel } from '../in-parallel.ts';
import { listKind } from '../list-kind.ts';
import { observedAtOf } from '../observed-at.ts';

const concurrency = 6;

/** Metadata of every kind that can be deleted, in one namespace or everywhere. */
export async function readContent(
  client: ClusterClient,
  types: ResourceTypes,
  namespace: string | undefined,
  options: GetOptions,
): Promise<Answer> {
  const wanted = types
    .preferred()
    .filter((type) => type.verbs.includes('list') && type.verbs.includes('delete'))
    .filter((type) => !isEventType(type) && (namespace === undefined || type.namespaced));
  const scope = namespace === undefined ? {} : { namespaces: [namespace] };
  const kinds = await inParallel(wanted, concurrency, async (type) => ({
    resource: groupResourceOf(type),
    ...(await listKind(client, type, scope, { ...options, freshness: 'latest' })),
  }));
  return {
    readAt: observedAtOf(kinds.map(({ serverTime }) => serverTime)),
    value: {
      records: kinds.flatMap(({ records }) => records),
      unread: [
        ...types.failed.map(({ group, version, message }) => ({
          resource: version === undefined ? group : `${group}/${version}`,
          because: message,
        })),
        ...kinds.flatMap(({ resource, problems }) =>
          problems.slice(0, 1).map(({ message }) => ({ resource, because: message })),
        ),
      ],
    },
  };
}
