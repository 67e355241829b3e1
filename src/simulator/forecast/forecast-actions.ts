import type {
  DecisionConfidence,
  DeletionOptions,
  PatchRequest,
} from '../../controllers/controller.ts';
import { judge, type PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { pushTo } from '../../kube/push-to.ts';
import { isNamespace, isNode } from '../../kube/well-known-kinds.ts';
import { buildGraph, type Graph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Due } from '../controllers/periodic-controller.ts';
import type { Actor, StepRange } from '../engine/timeline.ts';
import type { Simulation } from '../simulate.ts';
import { type ForecastStep, forecastSteps, type RecordIndex, rangeOf } from './forecast-steps.ts';

/** The garbage collector also says `Orphan`, for objects with that finalizer (GC-22.13). */
export type ForecastDeleteOptions = Omit<DeletionOptions, 'propagationPolicy'> & {
  readonly propagationPolicy?: PropagationPolicy;
};

/** What one controller does with one object, and when. */
export interface ForecastAction extends StepRange {
  readonly collector: string;
  readonly action: 'delete' | 'patch';
  readonly object: ObjectRecord;
  readonly follows: ObjectRecord | undefined;
  /** What a controller other than the garbage collector had found. */
  readonly due: Due | undefined;
  confidence: DecisionConfidence;
  options: ForecastDeleteOptions | undefined;
  patch: PatchRequest | undefined;
  because: string;
  readonly rule: string;
  gone: StepRange | undefined;
  held: string | undefined;
}

/** A decision that no simulation carries out. */
function forecastActionOf(due: Due, { from, to }: StepRange): ForecastAction {
  const { options, patch } = due.decision;
  const end = { follows: undefined, due, gone: undefined, held: undefined };
  return { ...due.decision, options, patch, from, to, ...end };
}

/** A step of the simulation as an action of its controller. */
function forecastActionOfStep(
  told: ForecastStep,
  collector: string,
  references: () => readonly OwnerReference[],
): ForecastAction {
  const { step, record, due, doubt, cause, from, to } = told;
  const decision = due?.decision;
  const action = decision?.action ?? (step.verb === 'delete' ? 'delete' : 'patch');
  const isOwn = cause === undefined || cause.record.uid === record.uid;
  const reason = decision?.because ?? step.because;
  return {
    collector,
    action,
    object: record,
    from,
    to,
    follows: isOwn ? undefined : cause.record,
    due,
    confidence: doubt === undefined ? 'certain' : 'unknown',
    options: decision ? decision.options : optionsOf(told),
    patch: decision ? decision.patch : patchOf(told, references),
    because: doubt === undefined || doubt === reason ? reason : `${reason}; but ${doubt}`,
    rule: step.rule,
    gone: undefined,
    held: undefined,
  };
}

function optionsOf({ step }: ForecastStep): ForecastDeleteOptions | undefined {
  if (step.verb !== 'delete') return undefined;
  if (step.actor === 'kubelet') return { gracePeriodSeconds: 0 };
  const policy = policies.find((one) => one === step.policy);
  return { uid: step.object.uid, ...(policy && { propagationPolicy: policy }) };
}

const policies: readonly PropagationPolicy[] = ['Background', 'Foreground', 'Orphan'];

/**
 * Only what the garbage collector writes into references; the removal of finalizers belongs to the
 * deletion.
 */
function patchOf(
  { step, record, finishes }: ForecastStep,
  references: () => readonly OwnerReference[],
): PatchRequest | undefined {
  if (step.verb !== 'patch' || step.actor !== 'garbage-collector-controller' || finishes) {
    return undefined;
  }
  const ownerReferences =
    step.rule === 'GC-32'
      ? record.ownerReferences.map((one) => ({ ...one, blockOwnerDeletion: false }))
      : references();
  return { body: { metadata: { ownerReferences } } };
}

/** What is simulated besides the controllers, and has no id of its own among them: its id, by who writes. */
export const actingBeside: Partial<Record<Actor, string>> = {
  'garbage-collector-controller': 'garbage-collector',
  'namespace-controller': 'namespace',
  'kube-apiserver': 'customresourcedefinition',
  kubelet: 'kubelet',
};

/**
 * What is deleted during a simulation, and what its controllers may delete until its end: one entry
 * for each controller that acts on an object, in the order of the simulation.
 */
export function simulatedDeletions(
  snapshot: Snapshot,
  simulation: Simulation,
  now: number,
  until: number,
): readonly ForecastAction[] {
  const steps = forecastSteps(indexOf(snapshot.records, simulation), simulation.dues, now);
  const { gone, marked } = steps;
  const references = remainingReferences(snapshot);
  const hasEnded = (uid: string) => gone.has(uid) || marked.get(uid)?.step.policy === 'Foreground';
  const byObject = new Map<string, ForecastAction[]>();
  const all: ForecastAction[] = [];
  const about = (uid: string) => byObject.get(uid) ?? nothing;
  const add = (one: ForecastAction) => {
    all.push(one);
    pushTo(byObject, one.object.uid, one);
  };
  for (const step of simulation.steps) {
    const told = steps.next(step);
    if (!told) continue;
    const { record, due } = told;
    const collector = due?.decision.collector ?? actingBeside[step.actor] ?? step.actor;
    if (!continues(told, collector, about(record.uid))) {
      add(forecastActionOfStep(told, collector, () => references(record, hasEnded)));
    }
    if (step.result === 'removed') noteEnd(about(record.uid), told);
  }
  for (const { object, because } of simulation.stuck) {
    for (const one of about(object.uid)) one.held ??= because;
  }
  for (const { object, because } of simulation.undetermined) {
    for (const one of about(object.uid)) doubt(one, because);
  }
  const isGone = ({ uid }: ObjectRecord, by: number) => {
    const end = gone.get(uid);
    return end !== undefined && end.from <= by;
  };
  const refused = new Set(
    simulation.steps.flatMap(({ result, object }) => (result === 'refused' ? [object.uid] : [])),
  );
  const told = new Set(all.map(({ due }) => due));
  for (const due of simulation.dues) {
    const { object } = due.decision;
    const range = rangeOf(due);
    if (told.has(due) || range.from > until || refused.has(object.uid)) continue;
    if (!isGone(object, range.from)) add(forecastActionOf(due, range));
  }
  return all;
}

const nothing: ForecastAction[] = [];

/** Is it only a part of a deletion that is already listed? */
function continues(
  { step, finishes, due }: ForecastStep,
  collector: string,
  before: readonly ForecastAction[],
): boolean {
  if (before.length === 0) return false;
  if (finishes) return true;
  if (due) return before.some((one) => one.due === due);
  const last = before.findLast((one) => one.collector === collector);
  return step.verb === 'delete' && last?.action === 'delete';
}

function noteEnd(
  all: readonly ForecastAction[],
  { from, to, doubt: why, step }: ForecastStep,
): void {
  for (const one of all) {
    if (why === undefined || step.actor !== 'kubelet') one.gone = { from, to };
    else one.held ??= why;
  }
}

function doubt(one: ForecastAction, why: string): void {
  if (one.confidence === 'unknown') return;
  one.confidence = 'unknown';
  one.because = `${one.because}; but ${why}`;
}

function indexOf(records: readonly ObjectRecord[], { steps }: Simulation): RecordIndex {
  const acted = new Set(steps.map(({ object }) => object.uid));
  const byUid = new Map<string, ObjectRecord>();
  const nodes = new Map<string, ObjectRecord>();
  const namespaces = new Map<string, ObjectRecord>();
  for (const record of records) {
    if (acted.has(record.uid)) byUid.set(record.uid, record);
    if (isNode(record)) nodes.set(record.name, record);
    if (isNamespace(record)) namespaces.set(record.name, record);
  }
  return { byUid, nodes, namespaces };
}

/**
 * The references that stay when the garbage collector removes those to lost owners (GC-22.11): the
 * ones that were sound in the snapshot, and whose owners have not ended since. The graph is built
 * at first use.
 */
function remainingReferences(
  snapshot: Snapshot,
): (record: ObjectRecord, hasEnded: (uid: string) => boolean) => OwnerReference[] {
  let graph: Graph | undefined;
  return (record, hasEnded) => {
    graph ??= buildGraph(snapshot);
    return judge(graph, record).references.flatMap(({ class: verdict, reference }) =>
      verdict === 'solid' && !hasEnded(reference.uid) ? [reference] : [],
    );
  };
}
