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
  /** A snapshot without any Node leaves open which exist. */
  readonly hasNodes: boolean;
  /** Does a Node have to be ready for its kubelet to confirm anything? */
  readonly readyOnly: boolean;
  /** Epoch milliseconds. */
  now(): number;
}
