import type { Plan, PlannedRequest } from '../../deletion/plan/plan.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import {
  addressOf,
  type CommandPlace,
  printedCommand,
  shellCommand,
} from '../../kube/shell-command.ts';
import { progressLine } from '../../output/progress/progress-lines.ts';
import type { Ending, Observation, ProgressEvent } from '../../perform/progress-event.ts';

type EventOf<Type extends ProgressEvent['type']> = Extract<ProgressEvent, { type: Type }>;

/** What became of a plan, put together from the events of its run. */
export class Account {
  readonly plan: Plan;
  readonly observations = new Map<string, Observation>();
  readonly refused: EventOf<'refused'>[] = [];
  readonly skipped: EventOf<'skipped'>[] = [];
  readonly left: EventOf<'left'>[] = [];
  readonly accepted = new Set<string>();
  /** uids of objects whose deletion was not accepted, and which are, or may be, changed. */
  readonly begun = new Set<string>();
  /** What went another way than planned. */
  readonly #surprises: ProgressEvent[] = [];
  done: EventOf<'done'> | undefined;

  readonly #place: CommandPlace;

  /** `place`: where the commands are for that its lines suggest. */
  constructor(plan: Plan, place: CommandPlace) {
    this.plan = plan;
    this.#place = place;
  }

  note(event: ProgressEvent): void {
    if ('begun' in event) this.begun.add(event.request.uid);
    if (event.type === 'sent') this.accepted.add(event.request.uid);
    else if (event.type === 'refused') this.refused.push(event);
    else if (event.type === 'skipped') this.skipped.push(event);
    else if (event.type === 'left') this.left.push(event);
    else if (event.type === 'done') this.done = event;
    else if (event.type === 'observed') {
      this.observations.set(event.object.uid, event.observation);
    } else if (event.type === 'difference' || event.type === 'unplanned') {
      this.#surprises.push(event);
    }
  }

  isGone(uid: string): boolean {
    const observation = this.observations.get(uid);
    return observation === 'gone' || observation === 'recreated';
  }

  /** Requests that were never sent, as the run ended before. */
  get unsent(): readonly PlannedRequest[] {
    const answered = new Set(this.accepted);
    for (const { request } of this.refused) answered.add(request.uid);
    for (const { request, reason } of this.skipped) {
      if (reason !== 'not-sent') answered.add(request.uid);
    }
    return this.plan.requests.filter(({ uid }) => !answered.has(uid));
  }

  /** Is there anything that the user has to know? */
  get isEventful(): boolean {
    return this.left.length + this.#surprises.length + this.unsent.length > 0;
  }

  /** For stderr: what is left and why, what was not sent, and what went another way than planned. */
  lines(): string[] {
    const { unsent } = this;
    const at = this.done?.at ?? '';
    const notSent = unsent.map((request): ProgressEvent => {
      const isBegun = this.begun.has(request.uid);
      const message = isBegun ? 'it may be changed, and the run ended' : 'the run ended before';
      return { at, type: 'skipped', request, reason: 'not-sent', message };
    });
    return [
      ...linesOf(notSent),
      ...linesOf(this.left),
      ...linesOf(this.#surprises),
      ...(this.done ? linesOf([this.done]) : []),
      ...this.#goesOn(),
    ];
  }

  /** The run ended, and the cluster goes on with what it was asked. */
  #goesOn(): string[] {
    if (this.done?.ended === 'stalled') return this.#goesOnLater();
    if (this.done?.ended !== 'interrupted') return [];
    const accepted = this.plan.requests.find(
      ({ uid }) => this.accepted.has(uid) && !this.isGone(uid),
    );
    if (!accepted) return [];
    const why = this.#why(accepted);
    return [`The cluster continues with what was sent. To see its state: ${why}`];
  }

  #why(object: ObjectReference): string {
    return printedCommand(shellCommand`kubectl gc why ${addressOf(object)}`, this.#place);
  }

  #goesOnLater(): string[] {
    const [first] = this.left;
    if (!first) return [];
    const why = this.#why(first.object);
    return [
      `What is left is deleted once the program that has to act runs again; nothing more has to be sent. To see why: ${why}`,
    ];
  }
}

const shown = 20;

/** The first events as lines for people, and how many more there are. */
export function linesOf(events: readonly ProgressEvent[]): string[] {
  const lines = events.slice(0, shown).flatMap((event) => progressLine(event) ?? []);
  const more = events.length - shown;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}

/** How a run ended, in numbers. */
interface Ended {
  readonly ended: Ending | undefined;
  /** Requests that changed something. */
  readonly accepted: number;
  /** What was to be done and is not. */
  readonly left: number;
  readonly failed?: boolean;
}

/** 4 where something was begun and not all of it is done, 3 where nothing was. */
export function exitCodeOf({ ended, accepted, left, failed = false }: Ended): ExitCode {
  if (ended === 'interrupted') return exitCodes.interrupted;
  if (left > 0) return accepted > 0 ? exitCodes.incomplete : exitCodes.failed;
  return failed ? exitCodes.failed : exitCodes.ok;
}
