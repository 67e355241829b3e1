import type {
  DecisionConfidence,
  DeletionOptions,
  PatchRequest,
  ScheduledDecision,
} from '../../controllers/controller.ts';
import { judge, type PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import { pushTo } from '../../kube/json-value.ts';
import {
  isBeingDeleted,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { minute } from '../../kube/time.ts';
import { buildGraph, type Graph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type Cause, followedBy, type StepRange, writtenBefore } from '../engine/causes.ts';
import type { Actor, RecordedStep } from '../engine/timeline.ts';
import type { Course, Simulation } from '../simulation.ts';

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
  readonly due: ScheduledDecision | undefined;
  confidence: DecisionConfidence;
  options: ForecastDeleteOptions | undefined;
  patch: PatchRequest | undefined;
  because: string;
  readonly rule: string;
  gone: StepRange | undefined;
  held: string | undefined;
  /** A webhook without a server refuses it. */
  refused?: true;
}

/** A decision that no simulation carries out. */
function forecastActionOf(due: ScheduledDecision, { from, to, cause }: Cause): ForecastAction {
  const { options, patch } = due.decision;
  const follows = followedBy(due.decision.object, cause);
  const end = { follows, due, gone: undefined, held: undefined };
  return { ...due.decision, options, patch, from, to, ...end };
}

/** A step of the simulation as an action of its controller. */
function forecastActionOfStep(
  told: ForecastStep,
  collector: string,
  references: () => readonly OwnerReference[],
): ForecastAction {
  const { step, record, due, doubt, follows, from, to } = told;
  const decision = due?.decision;
  const action = decision?.action ?? (step.verb === 'delete' ? 'delete' : 'patch');
  const reason = decision?.because ?? step.because;
  return {
    collector,
    action,
    object: record,
    from,
    to,
    follows,
    due,
    confidence: doubt === undefined ? 'certain' : 'unknown',
    options: decision ? decision.options : optionsOf(told),
    patch: decision ? decision.patch : forecastPatch(told, references),
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
function forecastPatch(
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

/** Actors besides the controllers, which have no id among them: their ids, by actor. */
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
  const references = remainingReferences(snapshot);
  const shown = actionsOf(simulation, snapshot.records, references, now);
  const { gone } = shown.steps;
  const all = [...shown.actions];
  const byObject = Map.groupBy(all, ({ object }) => object.uid);
  const about = (uid: string) => byObject.get(uid) ?? noActions;
  const add = (one: ForecastAction) => {
    all.push(one);
    pushTo(byObject, one.object.uid, one);
  };
  const early = simulation.early && actionsOf(simulation.early, snapshot.records, references, now);
  for (const one of early?.actions ?? []) if (!about(one.object.uid).some(likeIt(one))) add(one);
  for (const { object, because } of simulation.undetermined) {
    for (const one of about(object.uid)) doubt(one, because);
  }
  const isGone = ({ uid }: ObjectRecord, by: number) => {
    const end = gone.get(uid);
    return end !== undefined && end.from <= by;
  };
  const refused = new Set(
    simulation.recorded.flatMap(({ result, object }) => (result === 'refused' ? object.uid : [])),
  );
  const told = new Set(all.map(({ due }) => due));
  for (const { due, decision: range } of simulation.decisions) {
    const { object } = due.decision;
    if (told.has(due) || range.from > until || refused.has(object.uid)) continue;
    const one = forecastActionOf(due, range);
    if (!isGone(object, range.from) && !(early && about(object.uid).some(likeIt(one)))) add(one);
  }
  const isAnyHeld = simulation.objects.some((one) => isBeingDeleted(one) && byObject.has(one.uid));
  for (const { object, because } of isAnyHeld ? simulation.stuck : []) {
    for (const one of about(object.uid)) one.held ??= because;
  }
  return all;
}

const noActions: ForecastAction[] = [];

/** What one play does, in its order: one entry for each controller that acts on an object. */
function actionsOf(
  course: Course,
  records: readonly ObjectRecord[],
  references: ReturnType<typeof remainingReferences>,
  now: number,
) {
  const steps = forecastSteps(actedOn(records, course), now);
  const { gone, marked } = steps;
  const hasEnded = (uid: string) => gone.has(uid) || marked.get(uid)?.step.policy === 'Foreground';
  const byObject = new Map<string, ForecastAction[]>();
  const actions: ForecastAction[] = [];
  for (const step of course.recorded) {
    const told = steps.next(step);
    if (!told) continue;
    const { record, due } = told;
    const collector = due?.decision.collector ?? actingBeside[step.actor] ?? step.actor;
    if (!continues(told, collector, byObject.get(record.uid) ?? noActions)) {
      const one = forecastActionOfStep(told, collector, () => references(record, hasEnded));
      actions.push(one);
      pushTo(byObject, record.uid, one);
    }
    if (step.result === 'removed') noteEnd(byObject.get(record.uid) ?? noActions, told);
  }
  return { actions, steps };
}

/** Another play may find the same. */
function likeIt({ collector, action, rule }: ForecastAction): (other: ForecastAction) => boolean {
  return (other) => other.collector === collector && other.action === action && other.rule === rule;
}

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

function actedOn(records: readonly ObjectRecord[], { recorded }: Course) {
  const acted = new Set(recorded.map(({ object }) => object.uid));
  const byUid = new Map<string, ObjectRecord>();
  for (const record of records) if (acted.has(record.uid)) byUid.set(record.uid, record);
  return byUid;
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

/** A step of a simulation with the range of its real time. */
interface ForecastStep extends StepRange {
  readonly step: RecordedStep;
  readonly record: ObjectRecord;
  /** The unknown fact on which this step, or a step before it, depends. */
  readonly doubt: string | undefined;
  /** The object that was written before, from which this one follows. */
  readonly follows: ObjectRecord | undefined;
  /** What a controller other than the garbage collector had found. */
  readonly due: ScheduledDecision | undefined;
  /** Does it only end a deletion that another step began? */
  readonly finishes: boolean;
}

/** Steps in their order, each with the object that it follows from; `byUid` finds objects as they were at the beginning. */
function forecastSteps(byUid: ReadonlyMap<string, ObjectRecord>, now: number) {
  /** The step that marked an object as being deleted, and the one that removed it; by uid. */
  const marked = new Map<string, ForecastStep>();
  const gone = new Map<string, ForecastStep>();
  const doubts = new Map<ObjectRecord, string>();
  return { marked, gone, next };

  /** Undefined for what was refused, and for objects that are not in the snapshot. */
  function next(step: RecordedStep): ForecastStep | undefined {
    const record = byUid.get(step.object.uid);
    const { write } = step;
    if (!record || !write || step.result === 'refused' || step.result === 'created')
      return undefined;
    const { from, to, cause, object } = write;
    const before = writtenBefore(cause)?.object;
    const due = cause?.decided as ScheduledDecision | undefined;
    const finishes = isFinish(step, record);
    const follows = followedBy(record, cause);
    const isLeft = finishes && follows === undefined;
    const doubt = (before && doubts.get(before)) ?? (isLeft ? doubtOf(step, record) : undefined);
    if (doubt !== undefined && object) doubts.set(object, doubt);
    const forecastStep = { step, record, from, to, follows, due, finishes, doubt };
    if (step.result === 'terminating') marked.set(record.uid, forecastStep);
    if (step.result === 'removed') gone.set(record.uid, forecastStep);
    return forecastStep;
  }

  /** Of a deletion that nothing has to precede, and that has not ended for so long. */
  function doubtOf(
    { actor }: RecordedStep,
    { deletionTimestamp }: ObjectRecord,
  ): string | undefined {
    if (deletionTimestamp === undefined || now - Date.parse(deletionTimestamp) <= minute)
      return undefined;
    return actor === 'kubelet'
      ? `that was at ${deletionTimestamp}, so something on its Node blocks it`
      : `its deletion began at ${deletionTimestamp}, and something has kept it since`;
  }

  /** The last finalizer is removed, or the containers no longer run. */
  function isFinish(
    { actor, verb, rule }: RecordedStep,
    { uid, deletionTimestamp }: ObjectRecord,
  ): boolean {
    if (actor === 'kubelet' || verb === 'finalize') return true;
    if (verb !== 'patch') return false;
    const isEnding = deletionTimestamp !== undefined || marked.has(uid);
    return actor === 'kube-apiserver' || rule === 'GC-23' || (rule === 'GC-37' && isEnding);
  }
}
