import type { Decision, PatchRequest, ScheduledDecision } from '../../controllers/controller.ts';
import type { Condition, ObjectFacts, ObjectRecord } from '../../kube/object-record.ts';
import { objectOf, recordOf } from '../../kube/record-codec.ts';
import { updateObject, type Written } from '../api-server/api-server.ts';
import { applyPatch } from '../api-server/apply-patch.ts';
import { deleteObject } from '../api-server/delete-object.ts';
import type { DeleteOptions } from '../api-server/request.ts';
import type { LinksOf } from '../engine/acting-records.ts';
import { type Cause, causeByDecision, type StepRange } from '../engine/causes.ts';
import type { Task } from '../engine/clock.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { Actor } from '../engine/timeline.ts';

/** What was, or is to be, done with an object at a time that is not known exactly. */
export interface Timing extends StepRange {
  readonly object: ObjectRecord;
  /** This run did it. */
  done: boolean;
}

/** Something that may be done with an object, and why that is uncertain. */
export interface Doubt {
  readonly object: ObjectRecord;
  readonly because: string;
  /** Epoch milliseconds: not before this. */
  readonly from: number;
}

/** What one controller found to do and did during one run. */
export abstract class ControllerRun {
  /** By uid. */
  readonly timings = new Map<string, Timing>();
  abstract readonly controller: { readonly runsAs: Actor; readonly passes?: object | undefined };
  protected readonly context: RunContext;
  /** What it found to do, certain or not. */
  protected readonly found = new Map<string, Found>();
  /** By uid. */
  protected readonly doubtsAbout = new Map<string, readonly Doubt[]>();

  constructor(context: RunContext) {
    this.context = context;
  }

  get doubts(): readonly Doubt[] {
    return [...this.doubtsAbout.values()].flat();
  }

  /** Joins objects that act on each other. */
  abstract get links(): LinksOf | undefined;

  get dues(): readonly ScheduledDecision[] {
    return [...this.found.values()].map(({ due }) => due);
  }

  /** What each due follows from, and when. */
  get decisions(): readonly Found[] {
    return [...this.found.values()];
  }

  /** Does what is due now of what a certain look found, and looks again when the next of it is due. */
  protected *act(
    certain: readonly ScheduledDecision[],
    lookAgain: (at: number) => void,
  ): Task<void> {
    const now = this.context.now();
    let next: number | undefined;
    for (const due of certain) {
      const { decision, from, to } = due;
      const { object } = decision;
      const at = this.timeOf(due);
      if (from !== to && !this.timings.has(object.uid)) {
        this.timings.set(object.uid, { object, from, to, done: false });
      }
      if (at > now && (next === undefined || at < next)) next = at;
    }
    if (next !== undefined) lookAgain(next);
    for (const due of certain) {
      if (this.timeOf(due) > now) continue;
      const found = this.found.get(this.keyOf(due));
      this.context.state.causes.carryOut(found?.decision);
      let answer: SendResult = 'gone';
      for (const send of requestsOf(due.decision)) {
        yield this.context.schedule.request();
        answer = send(this.context, this.controller.runsAs, due.decision);
        if (isLast(answer)) break;
      }
      if (found) found.isDone = true;
      const timing = this.timings.get(due.decision.object.uid);
      if (timing && !isLast(answer)) timing.done = true;
      this.sent(due);
    }
  }

  /** What is found by one key is the same decision. */
  protected abstract keyOf(due: ScheduledDecision): string;

  /** It has done what was decided. */
  protected sent(_: ScheduledDecision): void {}

  /** When this run does it. */
  protected timeOf({ at, from }: ScheduledDecision): number {
    return this.context.isEarly ? Math.min(at, from) : at;
  }

  /** The first time counts, unless it was doubtful. `causeOf`: what it follows from. */
  protected find(
    due: ScheduledDecision,
    causeOf: (due: ScheduledDecision) => Cause | undefined,
  ): void {
    const key = this.keyOf(due);
    const before = this.found.get(key);
    if (before && !(isCertain(due) && !isCertain(before.due))) return;
    const { hasBacklog } = this.context.state.causes;
    const { from, to } = hasBacklog ? this.rangeOf(due) : due;
    const decision = causeByDecision(due, { at: due.at, from, to }, causeOf(due));
    this.found.set(key, { due, decision, isDone: false });
  }

  /** Controllers without passes act on events: their decision says until when. */
  protected rangeOf({ decision: { notAfter }, from, to }: ScheduledDecision): StepRange {
    if (this.controller.passes || to === undefined) return { from, to };
    return { from, to: notAfter === undefined ? undefined : Math.max(to, notAfter) };
  }
}

export interface Found {
  readonly due: ScheduledDecision;
  readonly decision: Cause;
  isDone: boolean;
}

export function isCertain({ decision }: ScheduledDecision): boolean {
  return decision.confidence === 'certain';
}

export function doubtIn({ decision: { object, because }, at }: ScheduledDecision): Doubt {
  return { object, because, from: at };
}

/** What one request of a decision led to. */
type SendResult = Written | 'gone';

/** Sends one request of a decision. */
type Send = (context: RunContext, actor: Actor, decision: Decision) => SendResult;

/**
 * The requests that a decision asks for, in their order: what was refused, or found nothing, takes the next along (PG-20).
 * @internal
 */
export function requestsOf({ action, patch }: Decision): readonly Send[] {
  if (action === 'delete') return patch ? patchAndDelete : onlyDelete;
  return patch ? onlyPatch : noRequests;
}

/** @internal */
export function isLast(answer: SendResult): boolean {
  return answer === 'gone' || answer.result === 'refused';
}

const sendPatch: Send = (context, actor, { object, action, patch, because, rule }) => {
  const live = context.state.current(object);
  if (!live || !patch) return 'gone';
  const written = updateObject(context, live, withPatch(live, patch));
  const isStatus = patch.subresource === 'status';
  context.timeline.note(actor, 'patch', live, written.result, () => ({
    because: isStatus && action === 'delete' ? `its status is set first: ${because}` : because,
    rule,
  }));
  return written;
};

const sendDelete: Send = (context, actor, { object, options, because, rule }) => {
  const live = context.state.current(object);
  if (!live) return 'gone';
  const written = deleteObject(context, live, deleteOptionsOf(options));
  const policy = options?.propagationPolicy;
  if (written.result !== 'unchanged') {
    context.timeline.note(actor, 'delete', live, written.result, () => ({
      because: written.reply.message ?? because,
      rule,
      ...(policy !== undefined && { policy }),
    }));
  }
  return written;
};

const patchAndDelete: readonly Send[] = [sendPatch, sendDelete];
const onlyPatch: readonly Send[] = [sendPatch];
const onlyDelete: readonly Send[] = [sendDelete];
const noRequests: readonly Send[] = [];

function deleteOptionsOf({
  uid,
  resourceVersion,
  ...rest
}: Decision['options'] = {}): DeleteOptions {
  if (uid === undefined && resourceVersion === undefined) return rest;
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return { ...rest, preconditions };
}

/** A strategic merge patch: conditions are a map by their type. */
function withPatch(live: ObjectRecord, { body }: PatchRequest): ObjectRecord {
  const { conditions } = (body.status ?? {}) as { readonly conditions?: readonly Condition[] };
  const before = live.facts?.conditions ?? [];
  const merged = conditions && mergeByType(before, conditions);
  const facts = factsWith(live, body, merged);
  if (facts) return { ...live, facts };
  const whole = merged ? { ...body, status: { ...(body.status ?? {}), conditions: merged } } : body;
  const patched = applyPatch(objectOf(live), 'merge', whole);
  if ('refused' in patched) return live;
  const read = recordOf(patched.object, live.type);
  const { ownerReferences, finalizers, labels } = read;
  return { ...live, ownerReferences, finalizers, labels, facts: read.facts };
}

/** Thousands of pods get only a phase and conditions, which need not be spelled and read again. */
function factsWith(
  { type, facts }: ObjectRecord,
  { status, ...rest }: PatchRequest['body'],
  conditions: readonly Condition[] | undefined,
): ObjectFacts | undefined {
  const {
    phase,
    conditions: _,
    ...other
  } = (status ?? {}) as {
    readonly phase?: string;
    readonly conditions?: unknown;
  };
  const isPlain = Object.keys(rest).length + Object.keys(other).length === 0;
  if (!isPlain || !facts || type.kind !== 'Pod') return undefined;
  return { ...facts, ...(phase !== undefined && { phase }), ...(conditions && { conditions }) };
}

function mergeByType(before: readonly Condition[], wanted: readonly Condition[]): Condition[] {
  const merged = new Map(before.map((condition) => [condition.type, condition]));
  for (const condition of wanted) {
    merged.set(condition.type, { ...merged.get(condition.type), ...condition });
  }
  return [...merged.values()];
}
