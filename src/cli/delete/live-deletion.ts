import type { OpenedCluster } from '../input.ts';
import type { DeleteFlags, DeleteOptions } from './delete-options.ts';
import type { Interruption } from './interruption.ts';

/** What the steps of one deletion share. */
export interface LiveDeletion {
  readonly cluster: OpenedCluster;
  readonly flags: DeleteFlags;
  readonly options: DeleteOptions;
  readonly interruption: Interruption;
}
