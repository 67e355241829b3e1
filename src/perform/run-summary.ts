import type { Plan, PlannedRequest } from '../deletion/plan/plan.ts';
import type { Observation, ProgressEvent } from './progress-event.ts';

type EventOf<Type extends ProgressEvent['type']> = Extract<ProgressEvent, { type: Type }>;

/** What became of a plan, put together from the events of its run. */
export class RunSummary {
  readonly plan: Plan;
  readonly observations = new Map<string, Observation>();
  readonly refused: EventOf<'refused'>[] = [];
  readonly skipped: EventOf<'skipped'>[] = [];
  readonly left: EventOf<'left'>[] = [];
  readonly accepted = new Set<string>();
  /** uids of objects whose deletion was not accepted, and which are, or may be, changed. */
  readonly begun = new Set<string>();
  /** What went another way than planned. */
  readonly surprises: ProgressEvent[] = [];
  done: EventOf<'done'> | undefined;

  constructor(plan: Plan) {
    this.plan = plan;
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
      this.surprises.push(event);
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
    return this.left.length + this.surprises.length + this.unsent.length > 0;
  }
}
