import type { ApiServer } from '../api-server/api-server.ts';
import type { Clock } from './clock.ts';
import type { ClusterState } from './cluster-state.ts';
import type { Schedule } from './schedule.ts';
import type { Timeline } from './timeline.ts';

/** Everything the actors of one run share. */
export interface RunContext extends ApiServer {
  readonly state: ClusterState;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly timeline: Timeline;
  /** The minor version of Kubernetes 1 that is simulated. */
  readonly minor: number;
  /** Would the snapshot have this Node if it existed? One without any Node leaves open which exist. */
  readonly coversNode: (name: string) => boolean;
  /** uids of pods whose deletion is confirmed even where their Nodes are silent. */
  readonly confirmed: ReadonlySet<string>;
  /** Controllers whose passes are at unknown times act as early as they may. */
  readonly isEarly?: boolean;
  /** Epoch milliseconds. */
  now(): number;
}
