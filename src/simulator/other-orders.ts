import type { InvalidNamespaceEvent } from './invalid-namespace-events.ts';
import type { OrderDependentPart } from './order-dependent-part.ts';
import { type Played, play } from './play.ts';
import type { Scene } from './scene.ts';
import { seededSchedule } from './schedule.ts';
import { silentTimeline } from './timeline.ts';
import { Ends, type Undetermined } from './undetermined.ts';

/** What differs where events come in other orders. */
export interface OtherOrders {
  readonly undetermined: readonly Undetermined[];
  /** Positions of the requests that are answered otherwise. */
  readonly uncertainReplies: ReadonlySet<number>;
  /** Every event that was written in one of the other plays. */
  readonly events: ReadonlyMap<string, InvalidNamespaceEvent>;
  /** Keys of the shown play's events that were not written in all of them. */
  readonly uncertainEvents: ReadonlySet<string>;
}

/** Objects played again in all for the sake of rare orders, and how often each at most. */
const thoroughBudget = 30_000;
const mostReplays = 500;
/** The same where the part is too large for that, and how often each is played at least. */
const replayBudget = 200_000;
const enoughReplays = 24;
const fewestReplays = 3;

/**
 * Plays a part again by other schedules and compares. Small parts are played so often that an end
 * which one order in a hundred leads to is found; the work for large ones is bounded.
 */
export function playOtherwise(part: OrderDependentPart | undefined, shown: Played): OtherOrders {
  const ends = new Ends(part?.records ?? [], shown);
  const uncertainReplies = new Set<number>();
  const events = new Map<string, InvalidNamespaceEvent>();
  const uncertainEvents = new Set<string>();
  for (const played of part ? plays(part.scene, part.records.length) : []) {
    ends.add(played);
    part?.requests.forEach((index, at) => {
      const code = played.replies[at]?.code;
      if (code !== undefined && code !== shown.replies[index]?.code) uncertainReplies.add(index);
    });
    for (const [key, event] of played.events) events.set(key, event);
    for (const key of shown.events.keys()) if (!played.events.has(key)) uncertainEvents.add(key);
  }
  return { undetermined: ends.undetermined(), uncertainReplies, events, uncertainEvents };
}

/** One at a time: only what differs is kept of them. */
function* plays(scene: Scene, size: number): Iterable<Played> {
  for (let seed = 1; seed <= replaysOf(size); seed++) {
    yield play(scene, seededSchedule(seed), () => silentTimeline);
  }
}

function replaysOf(size: number): number {
  const thorough = Math.min(mostReplays, Math.floor(thoroughBudget / Math.max(1, size)));
  const enough = Math.min(enoughReplays, Math.floor(replayBudget / Math.max(1, size)));
  return Math.max(thorough, enough, fewestReplays);
}
