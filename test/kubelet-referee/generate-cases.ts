/** One image case: a kubelet that starts with `policy` and looks at its images again and again. */
export interface ImageCase {
  readonly high: number;
  readonly low: number;
  readonly minAgeMs: number;
  readonly maxAgeMs: number;
  /** When the kubelet started, counted as the passes are; may be before. */
  readonly startedMs: number;
  readonly steps: readonly ImageStep[];
}

export interface ImageStep {
  readonly atMs: number;
  readonly deleteAll: boolean;
  readonly images: readonly {
    readonly id: string;
    readonly size: number;
    readonly pinned: boolean;
  }[];
  readonly containers: readonly { readonly image: string; readonly mounts: readonly string[] }[];
  readonly capacity?: number;
  readonly available?: number;
  /** Ids that the runtime refuses to remove. */
  readonly failing: readonly string[];
}

export interface ContainerCase {
  readonly minAgeMs: number;
  readonly maxPerPodContainer: number;
  readonly maxContainers: number;
  readonly sourcesReady: boolean;
  readonly deleteAll: boolean;
  readonly nowMs: number;
  readonly containers: readonly {
    readonly id: string;
    readonly name: string;
    readonly podUid: string;
    readonly sandboxId: string;
    readonly state: 'created' | 'running' | 'exited' | 'unknown';
    readonly createdMs: number;
  }[];
  readonly sandboxes: readonly {
    readonly id: string;
    readonly podUid: string;
    readonly ready: boolean;
    readonly createdMs: number;
  }[];
  readonly contentRemoved: readonly string[];
  readonly runtimeRemoved: readonly string[];
  readonly notStopping: readonly string[];
}

/** Chance that can be repeated. */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  upTo(most: number): number {
    return Math.floor(this.next() * (most + 1));
  }

  is(share: number): boolean {
    return this.next() < share;
  }

  of<T>(items: readonly T[]): T {
    return items[this.upTo(items.length - 1)] as T;
  }

  some<T>(items: readonly T[], share: number): T[] {
    return items.filter(() => this.is(share));
  }
}

const minute = 60_000;

export function generateImageCase(seed: number): ImageCase {
  const chance = new Chance(seed);
  const high = chance.upTo(100);
  const steps: ImageStep[] = [];
  let atMs = 0;
  let present: ImageStep['images'] = [];
  let made = 0;
  const capacity = chance.is(0.3) ? 1000 + chance.upTo(99) : 1e12 + chance.upTo(1e9);
  const largest = Math.floor(capacity / 8);
  for (let pass = 0; pass < 6; pass++) {
    // Often exactly at an age, where the comparisons have their edges.
    atMs += chance.of([0, 1, minute, 2 * minute, 5 * minute, chance.upTo(10 * minute)]);
    const fresh = Array.from({ length: chance.upTo(pass === 0 ? 4 : 2) }, () => ({
      id: `image-${made++}`,
      size: chance.upTo(largest),
      pinned: chance.is(0.1),
    }));
    present = [...chance.some(present, 0.97), ...fresh].map((image) =>
      chance.is(0.05) ? { ...image, pinned: !image.pinned, size: chance.upTo(largest) } : image,
    );
    const ids = present.map(({ id }) => id);
    const containers = chance
      .some([...ids, 'image-of-nobody'], 0.3)
      .map((image) => ({ image, mounts: chance.some(ids, 0.1) }));
    const sized = chance.is(0.97)
      ? {
          capacity,
          available: Math.floor(capacity * chance.of([0.05, 0.1, 0.2, 0.5, 1.2]) * chance.next()),
        }
      : chance.is(0.5)
        ? { capacity: 0, available: 0 }
        : { capacity };
    steps.push({
      atMs,
      deleteAll: chance.is(0.15),
      images: present,
      containers,
      ...sized,
      failing: chance.is(0.1) ? chance.some(ids, 0.5) : [],
    });
  }
  return {
    high,
    low: chance.upTo(high),
    minAgeMs: chance.of([0, minute, 2 * minute, 5 * minute]),
    maxAgeMs: chance.is(0.5) ? 0 : chance.of([minute, 5 * minute, 10 * minute]),
    startedMs: -chance.of([0, minute, 60 * minute]),
    steps,
  };
}

export function generateContainerCase(seed: number): ContainerCase {
  const chance = new Chance(seed);
  const uids = ['', 'pod-a', 'pod-b', 'pod-c', 'pod-d'].slice(0, 1 + chance.upTo(4));
  const nowMs = 3_600_000;
  // Every time once, so that nothing ties: what ties is in no order upstream.
  let time = nowMs;
  const earlier = () => {
    time -= 1 + chance.of([0, 1, 1000, minute]);
    return time;
  };
  const sandboxes = Array.from({ length: chance.upTo(8) }, (_, n) => ({
    id: `sandbox-${n}`,
    podUid: chance.of(uids),
    ready: chance.is(0.3),
    createdMs: earlier(),
  }));
  time = nowMs;
  const containers = Array.from({ length: chance.upTo(24) }, (_, n) => ({
    id: `0000000${n}`,
    name: chance.of(['app', 'proxy', 'init']),
    podUid: chance.of(uids),
    sandboxId: `sandbox-${chance.upTo(8)}`,
    state: chance.of(['exited', 'exited', 'exited', 'running', 'created', 'unknown'] as const),
    createdMs: earlier(),
  }));
  const ids = containers.map(({ id }) => id);
  return {
    minAgeMs: chance.of([0, 0, 1001, minute, 2 * minute]),
    maxPerPodContainer: chance.of([-1, 0, 1, 1, 2, 3]),
    maxContainers: chance.of([-1, -1, 0, 1, 3, 6, 10]),
    sourcesReady: chance.is(0.8),
    deleteAll: chance.is(0.3),
    nowMs,
    containers,
    sandboxes,
    contentRemoved: chance.some(uids, 0.3),
    runtimeRemoved: chance.some(uids, 0.5),
    notStopping: chance.some(ids, 0.1),
  };
}
