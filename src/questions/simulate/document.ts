import { refusalsNow } from '../../deletion/plan/proven-refusals.ts';
import { decidesByFacts } from '../../kube/facts/object-facts.ts';
import { picked } from '../../kube/json-value.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import { type KubeObject, objectOf } from '../../kube/record-codec.ts';
import { namesContainer } from '../../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import type { SimulatedRequest } from '../../simulator/api-server/request.ts';
import type { Step } from '../../simulator/engine/timeline.ts';
import { withoutExamples } from '../../simulator/engine/undetermined.ts';
import { type SimulationClock, simulate } from '../../simulator/simulate.ts';
import type { SimulatedCourse, SimulatedEvent, Simulation } from '../../simulator/simulation.ts';
import { kindsNotInInput } from '../../snapshot/graph/kinds-not-in-input.ts';
import { type DocumentHead, headOf, type Snapshot } from '../../snapshot/snapshot.ts';

/** `simulate`: what requests would lead to. */
export interface SimulationReport extends DocumentHead<'Simulation'>, SimulatedCourse {
  /** Every object that is left; valid input for `--from`. */
  readonly objects: readonly KubeObject[];
}

/** Plays requests beside webhooks without a server, which refuse deletions as long as their configurations exist. */
export function playRequests(
  snapshot: Snapshot,
  requests: readonly SimulatedRequest[],
  settings: Partial<ControllerSettings>,
  clock: SimulationClock,
): Simulation {
  return simulate(snapshot, requests, settings, {
    ...clock,
    refused: refusalsNow(snapshot, 'delete'),
  });
}

export function simulationReport(snapshot: Snapshot, simulation: Simulation): SimulationReport {
  const missing = kindsNotInInput(snapshot, takenAlong(snapshot, simulation), true);
  return {
    ...headOf('Simulation', snapshot, [...simulation.problems, ...missing]),
    ...picked(simulation, 'replies', 'steps', 'events'),
    objects: simulation.objects.map(decidingObjectOf),
    ...picked(simulation, 'undetermined', 'unknown', 'stuck', 'ended'),
  };
}

/** Without what only `why` needs, which is not read for a simulation. */
function decidingObjectOf(record: ObjectRecord): KubeObject {
  return objectOf(decidesByFacts(record.type) ? record : { ...record, facts: undefined });
}

/** Objects that are deleted with all their dependents. Orphan keeps these, but not the content of a namespace or a definition. */
function takenAlong({ records }: Snapshot, { objects, steps }: Simulation): ObjectRecord[] {
  const alone = new Set(objects.filter((object) => !isBeingDeleted(object)).map(objectKey));
  for (const { policy, object } of steps) {
    if (policy === 'Orphan' && !namesContainer(object)) alone.add(objectKey(object));
  }
  return records.filter((record) => !alone.has(objectKey(record)));
}

/** What follows from the requests: without these it does not happen, or ends otherwise. */
export function whatFollows(
  report: SimulationReport,
  without: Pick<SimulationReport, 'steps' | 'stuck' | 'undetermined' | 'unknown' | 'events'>,
): SimulationReport {
  const keyOf = ({ apiVersion, kind, namespace, name, uid }: ObjectReference) =>
    [apiVersion, kind, namespace, name, uid].join(' ');
  const stepKey = ({ actor, verb, object, result }: Step) =>
    [actor, verb, result, keyOf(object)].join(' ');
  const entryKey = ({ object, because }: { object: ObjectReference; because: string }) =>
    `${keyOf(object)} ${withoutExamples(because)}`;
  const eventKey = ({ involvedObject, message }: SimulatedEvent) =>
    `${keyOf(involvedObject)} ${message}`;
  const steps = notAmong(report.steps, without.steps, stepKey);
  // What is open about an object that the requests reach is about them, too.
  const reached = new Set(steps.map(({ object }) => keyOf(object)));
  const ofRequests = <T extends { object: ObjectReference; because: string }>(
    entries: readonly T[],
    others: readonly T[],
  ) => {
    const anyway = new Set(others.map(entryKey));
    return entries.filter(
      (entry) => reached.has(keyOf(entry.object)) || !anyway.has(entryKey(entry)),
    );
  };
  return {
    ...report,
    steps,
    stuck: ofRequests(report.stuck, without.stuck),
    undetermined: ofRequests(report.undetermined, without.undetermined),
    unknown: ofRequests(report.unknown, without.unknown),
    events: notAmong(report.events, without.events, eventKey),
  };
}

function notAmong<T>(all: readonly T[], others: readonly T[], keyOf: (item: T) => string): T[] {
  const known = new Set(others.map(keyOf));
  return all.filter((item) => !known.has(keyOf(item)));
}
