import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { minute } from '../../kube/time.ts';
import { simulatedControllers } from '../controllers/controller-registry.ts';
import type { Due } from '../controllers/periodic-controller.ts';
import type { Step, StepRange } from '../engine/timeline.ts';

/** A step of a simulation with the range of its real time. */
export interface ForecastStep extends StepRange {
  readonly step: Step;
  readonly record: ObjectRecord;
  /** When this run of the simulation does it; epoch milliseconds. */
  readonly at: number;
  /** The unknown fact on which this step, or a step before it, depends. */
  readonly doubt: string | undefined;
  /** The step by which this one follows. */
  readonly cause: ForecastStep | undefined;
  /** What a controller other than the garbage collector had found. */
  readonly due: Due | undefined;
  /** Does it only end a deletion that another step began? */
  readonly finishes: boolean;
}

/** Finds objects as they were at the beginning. */
export interface RecordIndex {
  readonly byUid: ReadonlyMap<string, ObjectRecord>;
  readonly nodes: ReadonlyMap<string, ObjectRecord>;
  readonly namespaces: ReadonlyMap<string, ObjectRecord>;
}

const atOnce = 1_000;

/**
 * Steps in their order, each with the one it follows from and a range of time: what follows from a
 * deletion comes as long after it as in the simulation, whenever the deletion comes.
 */
export function forecastSteps(index: RecordIndex, dues: readonly Due[], now: number) {
  const duesOf = Map.groupBy(dues, ({ decision }) => decision.object.uid);
  /** The step that marked an object as being deleted, and the one that removed it; by uid. */
  const marked = new Map<string, ForecastStep>();
  const gone = new Map<string, ForecastStep>();
  /** The step that tainted a Node, by its uid. */
  const tainted = new Map<string, ForecastStep>();
  /** The last dependent that went, by its owner's uid, and the last object, by its namespace. */
  const lastDependent = new Map<string, ForecastStep>();
  const lastInNamespace = new Map<string, ForecastStep>();
  return { marked, gone, next };

  /** Undefined for what was refused, and for objects that are not in the snapshot. */
  function next(step: Step): ForecastStep | undefined {
    const record = index.byUid.get(step.object.uid);
    if (!record || step.result === 'refused' || step.result === 'created') return undefined;
    const finishes = isFinish(step, record);
    const due = dueOf(step);
    const earlier = causeOf(step, record, finishes);
    // What was due before something else happened does not follow from that.
    const cause = due && earlier && due.from < earlier.at ? undefined : earlier;
    const at = Date.parse(step.at);
    const range = timeOf(step, at, cause, due);
    const dated = { step, record, at, cause, due, finishes, ...range };
    const told: ForecastStep = { ...dated, doubt: doubtOf(dated) };
    keep(told);
    return told;
  }

  function keep(told: ForecastStep): void {
    const { step, record } = told;
    if (step.result === 'terminating') marked.set(record.uid, told);
    if (step.rule === 'NODE-5') tainted.set(record.uid, told);
    if (step.result !== 'removed') return;
    gone.set(record.uid, told);
    for (const { uid } of record.ownerReferences) lastDependent.set(uid, told);
    if (record.namespace !== '') lastInNamespace.set(record.namespace, told);
  }

  function dueOf({ actor, object, rule }: Step): Due | undefined {
    const own = duesOf
      .get(object.uid)
      ?.filter(({ decision: { collector } }) =>
        simulatedControllers.some(({ id, controller }) => id === collector && controller === actor),
      );
    return own?.find(({ decision }) => decision.rule === rule) ?? own?.[0];
  }

  function timeOf(
    step: Step,
    at: number,
    cause: ForecastStep | undefined,
    due: Due | undefined,
  ): StepRange {
    const own = due ? rangeOf(due) : { from: at, to: at };
    if (cause) {
      const to =
        own.to === undefined || cause.to === undefined
          ? undefined
          : cause.to + Math.max(0, own.to - cause.at);
      return { from: cause.from + Math.max(0, own.from - cause.at), to };
    }
    // An action that is already due waits for a pass at an unknown time.
    if (due || step.actor === 'kubelet') return own;
    return { from: at - now < atOnce ? now : at, to: undefined };
  }

  function doubtOf({ step, record, cause, due }: Omit<ForecastStep, 'doubt'>): string | undefined {
    if (cause?.doubt !== undefined) return cause.doubt;
    if (due && due.decision.confidence !== 'certain') return due.decision.because;
    if (step.actor !== 'kubelet') return undefined;
    const { deletionTimestamp } = record;
    return deletionTimestamp !== undefined && now - Date.parse(deletionTimestamp) > minute
      ? `that was at ${deletionTimestamp}, so something holds it on its Node`
      : undefined;
  }

  /** The last finalizer goes, or the containers have stopped. */
  function isFinish(
    { actor, verb, rule }: Step,
    { uid, deletionTimestamp }: ObjectRecord,
  ): boolean {
    if (actor === 'kubelet' || verb === 'finalize') return true;
    if (verb !== 'patch') return false;
    const isEnding = deletionTimestamp !== undefined || marked.has(uid);
    return actor === 'kube-apiserver' || rule === 'GC-23' || (rule === 'GC-37' && isEnding);
  }

  function causeOf(
    { actor }: Step,
    record: ObjectRecord,
    finishes: boolean,
  ): ForecastStep | undefined {
    const own = marked.get(record.uid);
    switch (actor) {
      case 'kubelet':
        return own;
      case 'garbage-collector-controller':
        return finishes
          ? latest([own, lastDependent.get(record.uid)])
          : latest(record.ownerReferences.map(({ uid }) => endOf(uid)));
      case 'namespace-controller':
        if (finishes) return latest([own, lastInNamespace.get(record.name)]);
        return endOf(index.namespaces.get(record.namespace)?.uid);
      case 'taint-eviction-controller':
        return tainted.get(index.nodes.get(knownNodeOf(record) ?? '')?.uid ?? '');
      default:
        return latest([
          own,
          gone.get(index.nodes.get(knownNodeOf(record) ?? '')?.uid ?? ''),
          gone.get(record.facts?.claimRef?.uid ?? ''),
          gone.get(record.annotations?.['kubernetes.io/service-account.uid'] ?? ''),
        ]);
    }
  }

  function endOf(uid: string | undefined): ForecastStep | undefined {
    return uid === undefined ? undefined : (gone.get(uid) ?? marked.get(uid));
  }
}

/** Controllers without passes act on events: their decision says until when. */
export function rangeOf({ decision, from, to }: Due): StepRange {
  const wired = simulatedControllers.find(({ id }) => id === decision.collector);
  if (wired?.passes) return { from, to };
  const { notAfter } = decision;
  return {
    from,
    to: to === undefined || notAfter === undefined ? undefined : Math.max(to, notAfter),
  };
}

function latest(steps: readonly (ForecastStep | undefined)[]): ForecastStep | undefined {
  let last: ForecastStep | undefined;
  for (const step of steps) if (step && (!last || step.at >= last.at)) last = step;
  return last;
}
