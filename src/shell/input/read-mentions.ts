import { inParallel } from '../../cluster/in-parallel.ts';
import { isSearched, type Mentions } from '../../delivery/generations.ts';
import { recordOf } from '../../kube/record-codec.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { readList } from '../../why/ask/answer-from-cluster.ts';
import type { OpenedCluster } from './session.ts';

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
    const query = {
      ask: 'list',
      type,
      namespace: type.namespaced ? namespace : undefined,
    } as const;
    const answer = await readList(client, query);
    if (!('value' in answer)) {
      mentions.unread.add(groupResourceOf(type));
      return;
    }
    mentions.searched.add(groupResourceOf(type));
    for (const object of answer.value) mentions.add(object, recordOf(object, type));
  });
}
