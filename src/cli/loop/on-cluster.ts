import type { DeleteFlags, DeleteOptions } from '../delete/delete-options.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { type OpenedCluster, openCluster } from '../input/input.ts';
import { type Interruption, orInterrupted } from '../terminal/interruption.ts';
import type { Planned } from './planning.ts';

/** Connects, and closes the connection at the end, whatever that is. */
export async function onCluster<Asked extends Pick<LiveDeletion, 'interruption'>, T>(
  asked: Asked & { readonly flags: CommonFlags },
  work: (live: Asked & Pick<LiveDeletion, 'cluster'>) => Promise<T>,
): Promise<T> {
  const opening: Promise<OpenedCluster> = openCluster(asked.flags);
  const cluster = await orInterrupted(opening, asked.interruption);
  try {
    return await work({ ...asked, cluster });
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

/** How a plan is performed. */
export interface Manner {
  /** Plans anew from the cluster as it is now; throws where the plan may not be performed any more. */
  readonly look: (before: Planned) => Promise<Planned>;
  /** Binds the requests to the resourceVersions of the plan too. */
  readonly useResourceVersion: boolean;
  /**
   * As a controller works: several requests at a time, and what a finalizer holds is left to its
   * owner. Another look only takes away, so less is no change, and permissions were reviewed before.
   */
  readonly asCollector?: boolean;
}
