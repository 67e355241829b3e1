import { bytesToFree, type Disk, usagePercent } from './disk-usage.ts';
import { imageGcRuns } from './image-policy.ts';
import type { ImageGcPolicy } from './image-record.ts';

/** What is known of an image from outside; the kubelet's own memory cannot be read (VIS-1). */
export interface SeenImage {
  readonly size: number;
  readonly pinned: boolean;
  readonly inUse: boolean;
  /** Something that nobody could see may keep it: a pin, a volume, a dead container of a deleted pod. */
  readonly doubtful: boolean;
  /** Epoch milliseconds; `never`: the kubelet saw no container of it; undefined: not known. */
  readonly lastUsed: number | 'never' | undefined;
  /** Epoch milliseconds; undefined: not known, and taken to be older than the minimum age. */
  readonly firstDetected: number | undefined;
}

export type ImageFate = 'removed' | 'may-be-removed' | 'kept';
export type ImageReason =
  | 'in-use'
  | 'pinned'
  | 'too-young'
  | 'age'
  | 'maybe-age'
  | 'space'
  | 'enough-freed'
  | 'not-triggered'
  | 'off'
  | 'disk-unknown';

export interface JudgedImage<T extends SeenImage> {
  readonly image: T;
  readonly fate: ImageFate;
  readonly reason: ImageReason;
}

export interface Range {
  readonly least: number;
  readonly most: number;
}

/** What the next pass does, as far as anybody can tell. */
export interface ImageOutlook<T extends SeenImage> {
  /** Does the disk step remove anything? Undefined: the disk is not known, or depends on the age step. */
  readonly triggered: boolean | undefined;
  readonly usagePercent: number | undefined;
  /** Bytes that the disk step wants to free; undefined unless triggered. */
  readonly wanted: number | undefined;
  /** In the order of removal where that is known. */
  readonly images: readonly JudgedImage<T>[];
  readonly removedImages: Range;
  readonly freedBytes: Range;
  /** Bytes that will be missing to the low threshold. */
  readonly shortfall: Range;
}

export interface OutlookInput<T extends SeenImage> {
  readonly images: readonly T[];
  readonly policy: ImageGcPolicy;
  readonly disk: Disk | undefined;
  readonly now: number;
  /** When the kubelet started, epoch milliseconds; undefined: not known. */
  readonly started: number | undefined;
}

/**
 * The next image pass without the kubelet's memory: an image is `removed` when that is so in every
 * order that is possible, and `may-be-removed` when it is so in some (VIS-1, VIS-2).
 */
export function imageOutlook<T extends SeenImage>(input: OutlookInput<T>): ImageOutlook<T> {
  const { images, policy, disk } = input;
  const judged = new Map<T, JudgedImage<T>>();
  const judge = (image: T, fate: ImageFate, reason: ImageReason) => {
    const sure = fate === 'removed' && image.doubtful ? 'may-be-removed' : fate;
    judged.set(image, { image, fate: sure, reason });
  };
  const byAge: T[] = [];
  const maybeByAge: T[] = [];
  const left: T[] = [];
  for (const image of images) {
    const age = image.inUse || image.pinned ? 'no' : goesForAge(image, input);
    if (image.inUse) judge(image, 'kept', 'in-use');
    else if (image.pinned) judge(image, 'kept', 'pinned');
    else if (age === 'yes' && !image.doubtful) byAge.push(image);
    else if (age !== 'no') maybeByAge.push(image);
    else left.push(image);
  }
  for (const image of byAge) judge(image, 'removed', 'age');
  const aged = sizeOf(byAge);
  const before = disk && freed(disk, aged);
  // The disk is measured when the old images are gone (IMG-16), so what it says may depend on them.
  const runs = imageGcRuns(policy);
  const triggered = runs ? before && usagePercent(before) >= policy.highThresholdPercent : false;
  const certainlyTriggered = triggered === true && maybeByAge.length === 0;
  const wanted = triggered && before ? bytesToFree(before, policy.lowThresholdPercent) : undefined;

  const old = [...left, ...maybeByAge].filter((image) => isOld(image, input));
  for (const image of [...left, ...maybeByAge]) {
    if (!old.includes(image)) {
      const maybe = maybeByAge.includes(image);
      judge(image, maybe ? 'may-be-removed' : 'kept', maybe ? 'maybe-age' : 'too-young');
    }
  }
  const inOrder = old.toSorted(knownOrder);
  const space = placesOf(inOrder, wanted ?? 0);
  for (const image of inOrder) {
    const place = space.get(image);
    if (triggered === undefined) {
      judge(image, 'may-be-removed', maybeByAge.includes(image) ? 'maybe-age' : 'disk-unknown');
    } else if (triggered && place === 'certain' && certainlyTriggered)
      judge(image, 'removed', 'space');
    else if (maybeByAge.includes(image)) judge(image, 'may-be-removed', 'maybe-age');
    else if (triggered && place !== 'spared') judge(image, 'may-be-removed', 'space');
    else judge(image, 'kept', !runs ? 'off' : triggered ? 'enough-freed' : 'not-triggered');
  }
  const sorted = [...byAge.toSorted(knownOrder), ...inOrder];
  const first = new Set<T>(sorted);
  const outcome = [...sorted, ...images.filter((image) => !first.has(image))].flatMap(
    (image) => judged.get(image) ?? [],
  );
  const ranges = rangesOf({ outcome, aged, agedCount: byAge.length, wanted, certainlyTriggered });
  return {
    triggered: maybeByAge.length > 0 && triggered ? undefined : triggered,
    usagePercent: disk && usagePercent(disk),
    wanted,
    images: outcome,
    ...ranges,
  };
}

function goesForAge<T extends SeenImage>(
  { lastUsed }: T,
  { policy: { maxAge }, now, started }: OutlookInput<T>,
): 'yes' | 'no' | 'maybe' {
  if (maxAge === 0 || (started !== undefined && now - started <= maxAge)) return 'no';
  if (typeof lastUsed === 'number' && now - lastUsed <= maxAge) return 'no';
  return lastUsed === undefined || started === undefined ? 'maybe' : 'yes';
}

/** Old enough to go for space; what was used at this very moment is not (IMG-12). */
function isOld<T extends SeenImage>(
  { firstDetected, lastUsed }: T,
  { policy, now }: OutlookInput<T>,
): boolean {
  if (typeof lastUsed === 'number' && lastUsed >= now) return false;
  return firstDetected === undefined || now - firstDetected >= policy.minAge;
}

function freed(disk: Disk, bytes: number): Disk {
  return { ...disk, available: Math.min(disk.capacity, disk.available + bytes) };
}

/** Is `a` removed before `b` in every order that is possible? */
function certainlyBefore(a: SeenImage, b: SeenImage): boolean {
  const [usedA, usedB] = [usedAt(a), usedAt(b)];
  if (usedA === undefined || usedB === undefined) return false;
  if (usedA !== usedB) return usedA < usedB;
  const { firstDetected: seenA } = a;
  const { firstDetected: seenB } = b;
  return seenA !== undefined && seenB !== undefined && seenA < seenB;
}

function usedAt({ lastUsed }: SeenImage): number | undefined {
  return lastUsed === 'never' ? -Infinity : lastUsed;
}

/** For people: what is known comes in its order, what is not by size, the largest first. */
function knownOrder(a: SeenImage, b: SeenImage): number {
  const [usedA, usedB] = [usedAt(a) ?? Infinity, usedAt(b) ?? Infinity];
  if (usedA !== usedB) return usedA < usedB ? -1 : 1;
  const [seenA, seenB] = [a.firstDetected ?? Infinity, b.firstDetected ?? Infinity];
  if (usedA !== Infinity && seenA !== seenB) return seenA < seenB ? -1 : 1;
  return b.size - a.size;
}

/**
 * Whether an image goes: `certain` when even all that may come before it free less than is wanted,
 * `possible` when those that must come before it do. One image always goes.
 */
function placesOf<T extends SeenImage>(
  images: readonly T[],
  wanted: number,
): Map<T, 'certain' | 'possible' | 'spared'> {
  const total = sizeOf(images);
  const places = new Map<T, 'certain' | 'possible' | 'spared'>();
  for (const image of images) {
    let before = 0;
    let after = 0;
    let first = true;
    let alone = true;
    for (const other of images) {
      if (other === image) continue;
      if (certainlyBefore(other, image)) {
        if (!other.doubtful) before += other.size;
        first = false;
        alone = false;
      } else if (certainlyBefore(image, other)) after += other.size;
      else alone = false;
    }
    const mayComeBefore = total - image.size - after;
    if (alone || mayComeBefore < wanted) places.set(image, 'certain');
    else places.set(image, first || before < wanted ? 'possible' : 'spared');
  }
  return places;
}

function rangesOf<T extends SeenImage>({
  outcome,
  aged,
  agedCount,
  wanted,
  certainlyTriggered,
}: {
  readonly outcome: readonly JudgedImage<T>[];
  readonly aged: number;
  readonly agedCount: number;
  readonly wanted: number | undefined;
  readonly certainlyTriggered: boolean;
}): Pick<ImageOutlook<T>, 'removedImages' | 'freedBytes' | 'shortfall'> {
  const goes = outcome.filter(({ fate }) => fate !== 'kept').map(({ image }) => image);
  const certain = outcome.filter(({ fate }) => fate === 'removed').map(({ image }) => image);
  const unsure = outcome.filter(({ fate }) => fate === 'may-be-removed').map(({ image }) => image);
  const most = sizeOf(goes);
  if (!certainlyTriggered || wanted === undefined) {
    return {
      removedImages: { least: certain.length, most: goes.length },
      freedBytes: { least: sizeOf(certain), most },
      shortfall: { least: 0, most: wanted === undefined ? 0 : Math.max(0, wanted) },
    };
  }
  const shortfallOf = (bytes: number) => Math.max(0, wanted - bytes);
  if (unsure.length === 0) {
    const exact = { least: sizeOf(certain), most: sizeOf(certain) };
    const short = shortfallOf(sizeOf(certain) - aged);
    return {
      removedImages: { least: certain.length, most: certain.length },
      freedBytes: exact,
      shortfall: { least: short, most: short },
    };
  }
  // Those that come first whatever happens; the others may go in any order, the certain ones last.
  const isFirst = (image: T) => unsure.every((other) => certainlyBefore(image, other));
  const settled = certain.filter((image, at) => at < agedCount || isFirst(image));
  const open = goes.filter((image) => !settled.includes(image));
  const missing = wanted - (sizeOf(settled) - aged);
  const atLeastOne = settled.length === agedCount;
  const sizes = open.map(({ size }) => size).sort((x, y) => x - y);
  const doubtful = open.some((image) => image.doubtful);
  const largest = sizes.at(-1) ?? 0;
  const least = Math.min(sizeOf(open), Math.max(missing, atLeastOne ? (sizes[0] ?? 0) : 0));
  const fewestOpen = Math.max(
    certain.length - settled.length,
    countUntil(sizes.toReversed(), missing, atLeastOne),
  );
  return {
    removedImages: {
      least: doubtful ? certain.length : settled.length + fewestOpen,
      most: settled.length + countUntil(sizes, missing, atLeastOne),
    },
    freedBytes: {
      least: doubtful ? sizeOf(certain) : Math.max(sizeOf(certain), sizeOf(settled) + least),
      // The last one to go may be the largest, when only a byte was missing.
      most: Math.min(most, sizeOf(settled) + Math.max(0, missing - 1) + largest),
    },
    shortfall: {
      least: shortfallOf(most - aged),
      most: doubtful ? shortfallOf(sizeOf(certain) - aged) : shortfallOf(most - aged),
    },
  };
}

/** How many of these go, in this order, until `missing` bytes are freed. */
function countUntil(sizes: readonly number[], missing: number, atLeastOne: boolean): number {
  let sum = 0;
  let count = 0;
  for (const size of sizes) {
    if (sum >= missing && (count > 0 || !atLeastOne)) break;
    sum += size;
    count += 1;
  }
  return count;
}

function sizeOf(images: readonly SeenImage[]): number {
  return images.reduce((sum, { size }) => sum + size, 0);
}
