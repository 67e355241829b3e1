import type { DeleteFlags, DeleteOptions } from '../delete/delete-options.ts';
import { type OpenedCluster, openCluster } from '../input/input.ts';
import { type Interruption, orInterrupted } from '../terminal/interruption.ts';

/** Connects, and closes the connection at the end, whatever that is. */
export async function onCluster<T>(
  deletion: Omit<LiveDeletion, 'cluster'>,
  work: (live: LiveDeletion) => Promise<T>,
): Promise<T> {
  const opening: Promise<OpenedCluster> = openCluster(deletion.flags);
  const cluster = await orInterrupted(opening, deletion.interruption);
  try {
    return await work({ ...deletion, cluster });
  } finally {
    cluster.client.close();
  }
}

/** What the steps of one deletion share. */
export interface LiveDeletion {
  readonly cluster: OpenedCluster;
  readonly flags: DeleteFlags;
  readonly options: DeleteOptions;
  readonly interruption: Interruption;
}
