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
export class ForecastSteps {
  readonly #index: RecordIndex;
  readonly #dues: ReadonlyMap<string, readonly Due[]>;
  readonly #now: number;
  /** The step that marked an object as being deleted, and the one that removed it; by uid. */
  readonly marked = new Map<string, ForecastStep>();
  readonly gone = new Map<string, ForecastStep>();
  /** The last dependent that went, by its owner's uid, and the last object, by its namespace. */
  readonly #lastDependent = new Map<string, ForecastStep>();
  readonly #lastInNamespace = new Map<string, ForecastStep>();

  constructor(index: RecordIndex, dues: readonly Due[], now: number) {
    this.#index = index;
    this.#dues = Map.groupBy(dues, ({ decision }) => decision.object.uid);
    this.#now = now;
  }

  /** Undefined for what was refused, and for objects that are not in the snapshot. */
  next(step: Step): ForecastStep | undefined {
    const record = this.#index.byUid.get(step.object.uid);
    if (!record || step.result === 'refused' || step.result === 'created') return undefined;
    const finishes = this.#finishes(step, record);
    const due = this.#dueOf(step);
    const earlier = this.#causeOf(step, record, finishes);
    // What was due before something else happened does not follow from that.
    const cause = due && earlier && due.from < earlier.at ? undefined : earlier;
    const at = Date.parse(step.at);
    const range = this.#timeOf(step, at, cause, due);
    const dated = { step, record, at, cause, due, finishes, ...range };
    const told: ForecastStep = { ...dated, doubt: this.#doubtOf(dated) };
    this.#keep(told);
    return told;
  }

  #keep(told: ForecastStep): void {
    const { step, record } = told;
    if (step.result === 'terminating') this.marked.set(record.uid, told);
    if (step.result !== 'removed') return;
    this.gone.set(record.uid, told);
    for (const { uid } of record.ownerReferences) this.#lastDependent.set(uid, told);
    if (record.namespace !== '') this.#lastInNamespace.set(record.namespace, told);
  }

  #dueOf({ actor, object, rule }: Step): Due | undefined {
    const own = this.#dues
      .get(object.uid)
      ?.filter(({ decision: { collector } }) =>
        simulatedControllers.some(({ id, controller }) => id === collector && controller === actor),
      );
    return own?.find(({ decision }) => decision.rule === rule) ?? own?.[0];
  }

  #timeOf(
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
    return { from: at - this.#now < atOnce ? this.#now : at, to: undefined };
  }

  #doubtOf({ step, record, cause, due }: Omit<ForecastStep, 'doubt'>): string | undefined {
    if (cause?.doubt !== undefined) return cause.doubt;
    if (due && due.decision.confidence !== 'certain') return due.decision.because;
    if (step.actor !== 'kubelet') return undefined;
    const { deletionTimestamp } = record;
    return deletionTimestamp !== undefined && this.#now - Date.parse(deletionTimestamp) > minute
      ? `that was at ${deletionTimestamp}, so something holds it on its Node`
      : undefined;
  }

  /** The last finalizer goes, or the containers have stopped. */
  #finishes({ actor, verb, rule }: Step, { uid, deletionTimestamp }: ObjectRecord): boolean {
    if (actor === 'kubelet' || verb === 'finalize') return true;
    if (verb !== 'patch') return false;
    const isEnding = deletionTimestamp !== undefined || this.marked.has(uid);
    return actor === 'kube-apiserver' || rule === 'GC-23' || (rule === 'GC-37' && isEnding);
  }

  #causeOf({ actor }: Step, record: ObjectRecord, finishes: boolean): ForecastStep | undefined {
    const own = this.marked.get(record.uid);
    switch (actor) {
      case 'kubelet':
        return own;
      case 'garbage-collector-controller':
        return finishes
          ? latest([own, this.#lastDependent.get(record.uid)])
          : latest(record.ownerReferences.map(({ uid }) => this.#endOf(uid)));
      case 'namespace-controller':
        if (finishes) return latest([own, this.#lastInNamespace.get(record.name)]);
        return this.#endOf(this.#index.namespaces.get(record.namespace)?.uid);
      default:
        return latest([
          own,
          this.gone.get(this.#index.nodes.get(knownNodeOf(record) ?? '')?.uid ?? ''),
          this.gone.get(record.facts?.claimRef?.uid ?? ''),
          this.gone.get(record.annotations?.['kubernetes.io/service-account.uid'] ?? ''),
        ]);
    }
  }

  #endOf(uid: string | undefined): ForecastStep | undefined {
    return uid === undefined ? undefined : (this.gone.get(uid) ?? this.marked.get(uid));
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
