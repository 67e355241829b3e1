import { type OpenedCluster, openCluster } from '../input.ts';
import { orInterrupted } from './interruption.ts';
import type { LiveDeletion } from './live-deletion.ts';

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
