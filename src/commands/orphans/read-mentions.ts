import { ApiFailure } from '../../cluster/api-failure.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import { listInFull } from '../../cluster/list/list-in-full.ts';
import { isSearched, type Mentions } from '../../delivery/mentions.ts';
import { recordOf } from '../../kube/record-codec.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';

/**
 * Reads every kind in full, of one namespace and of none, or everywhere: for the names in it alone. Facts do not keep
 * them, as nothing else needs the names in every pod template.
 */
export async function readMentions(
  { client, types }: OpenedCluster,
  namespace: string | undefined,
  mentions: Mentions,
): Promise<void> {
  const kinds = types.preferred().filter(isSearched);
  await inParallel(kinds, 4, async (type) => {
    const place = { type, namespace: type.namespaced ? namespace : undefined };
    const listed = await listInFull(client, place).catch((error: unknown) => {
      if (error instanceof ApiFailure) return undefined;
      throw error;
    });
    if (!listed) {
      mentions.unread.add(groupResourceOf(type));
      return;
    }
    mentions.searched.add(groupResourceOf(type));
    for (const object of listed.items) mentions.add(object, recordOf(object, type));
  });
}
