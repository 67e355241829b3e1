import { type KubeObject, objectOf } from '../../kube/record-codec.ts';
import type { Step } from '../../simulator/engine/timeline.ts';
import type { Undetermined } from '../../simulator/engine/undetermined.ts';
import type { SimulatedEvent, SimulatedReply, Simulation } from '../../simulator/simulate.ts';
import type { Stuck } from '../../simulator/stuck-objects.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type DocumentHead, headOf } from '../../snapshot/snapshot.ts';

/** `simulate`: what requests would lead to. */
export interface SimulationReport extends DocumentHead<'Simulation'> {
  readonly replies: readonly SimulatedReply[];
  readonly steps: readonly Step[];
  readonly events: readonly SimulatedEvent[];
  /** Every object that is left; valid input for `--from`. */
  readonly objects: readonly KubeObject[];
  readonly undetermined: readonly Undetermined[];
  readonly unknown: readonly Undetermined[];
  readonly stuck: readonly Stuck[];
  readonly ended: Simulation['ended'];
}

export function simulationReport(snapshot: Snapshot, simulation: Simulation): SimulationReport {
  const { problems, objects, ...rest } = simulation;
  const { coverage, ...head } = headOf('Simulation', snapshot);
  const all = [...coverage.problems, ...problems];
  return {
    ...head,
    coverage: { ...coverage, complete: all.length === 0, problems: all },
    replies: rest.replies,
    steps: rest.steps,
    events: rest.events,
    objects: objects.map(objectOf),
    undetermined: rest.undetermined,
    unknown: rest.unknown,
    stuck: rest.stuck,
    ended: rest.ended,
  };
}
