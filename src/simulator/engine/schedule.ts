import type { ObjectRecord } from '../../kube/object-record.ts';

/**
 * How long things take and in which order equals are taken: everything about a run that no client
 * controls. One schedule is `canonical`; others vary it, each from its own seed.
 */
export interface Schedule {
  readonly canonical: boolean;
  /** From sending a request until the API server has carried it out. */
  request(): number;
  /** How much longer than asked for the user takes to send the next request. */
  userDelay(): number;
  /** From a write until a controller's informer has seen it. */
  watch(): number;
  /** From queueing an object until a worker takes it; longer in the rush after a start. */
  queue(uid: string, rush: boolean): number;
  /** The `failures`-th retry of one item (GC-11). */
  retry(failures: number): number;
  /** The order of things that come in none. */
  shuffle<T>(list: readonly T[]): readonly T[];
  /** The order in which a controller that starts receives the existing objects. */
  listOrder(records: readonly ObjectRecord[]): readonly ObjectRecord[];
}

/** Every request takes a millisecond, every informer is a millisecond behind. */
export const canonicalSchedule: Schedule = {
  canonical: true,
  request: () => 1,
  userDelay: () => 0,
  watch: () => 1,
  queue: () => 0,
  retry: backoff,
  shuffle: (list) => list,
  listOrder: (records) => records,
};

/**
 * The same rules in another order of events; the same seed always gives the same order. Most schedules are ordinary. In the
 * others, nearly every object is processed much earlier or later than the next one, and requests and events are sometimes
 * delayed: rare orders are common there.
 */
export function seededSchedule(seed: number): Schedule {
  const random = randomFrom(seed);
  const extreme = random() < 0.3;
  const slow = new Map<string, number>();
  const between = (low: number, high: number) => low + (high - low) * random();
  const holdUp = () => (extreme && random() < 0.05 ? 6 : 1);
  const slowness = (uid: string) => {
    let factor = slow.get(uid);
    if (factor === undefined) {
      const dice = random();
      if (extreme) factor = 10 ** (2 * dice - 1);
      else factor = dice < 0.2 ? 8 : dice < 0.4 ? 3 : 0.3;
      slow.set(uid, factor);
    }
    return factor;
  };
  const shuffle = <T>(list: readonly T[]): readonly T[] => {
    const copy = [...list];
    for (let at = copy.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [copy[at], copy[other]] = [copy[other] as T, copy[at] as T];
    }
    return copy;
  };
  return {
    canonical: false,
    request: () => between(0.5, 2) * holdUp(),
    userDelay: () => (random() < 0.25 ? between(2, 40) : 0),
    watch: () => between(0.3, 2) * holdUp(),
    queue: (uid, rush) => between(0, rush ? 10 : 0.5) * slowness(uid),
    retry: (failures) => backoff(failures) + (random() < 0.3 ? between(0, 1000) : 0),
    shuffle,
    listOrder: (records) => {
      // Each resource has its own informer; sometimes one is far ahead, sometimes none.
      const mixed = shuffle(records);
      if (random() < 0.5) return mixed;
      const ranks = new Map<string, number>();
      for (const { type } of mixed) if (!ranks.has(type.kind)) ranks.set(type.kind, ranks.size);
      const rank = ({ type }: ObjectRecord) => ranks.get(type.kind) ?? 0;
      return [...mixed].sort((a, b) => rank(a) - rank(b));
    },
  };
}

/** client-go's ItemExponentialFailureRateLimiter: 5 ms, doubled each time, 1000 s at most. */
function backoff(failures: number): number {
  return Math.min(5 * 2 ** failures, 1_000_000);
}

/**
 * mulberry32: 32 bits of state are plenty to choose among orders of events.
 * @internal
 */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
