import type { ClusterClient } from '../../client/cluster-client.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { GetOptions } from './get.ts';
import { getObject } from './get-object.ts';
import { inParallel } from './in-parallel.ts';

const concurrency = 8;

/**
 * The same records, in the same order, with `writers`: one GET each, as lists leave managedFields
 * out. A record whose object cannot be read any more, or is another one by now, stays as it was.
 */
export function loadWriters(
  client: ClusterClient,
  records: readonly ObjectRecord[],
  options: GetOptions = {},
): Promise<readonly ObjectRecord[]> {
  return inParallel(records, concurrency, async (record) => {
    const { record: full } = await getObject(client, record, { ...options, managedFields: true });
    return full?.uid === record.uid ? { ...record, writers: full.writers } : record;
  });
}
