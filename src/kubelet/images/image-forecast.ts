import type { ImageGcPolicy } from '../node-facts.ts';
import { bytesToFree, type Disk, usagePercent } from './disk-usage.ts';
import { imageGcRuns, type SeenImage } from './image-policy.ts';

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
  | 'no-capacity'
  | 'disk-unknown';

interface JudgedImage<T extends SeenImage> {
  readonly image: T;
  readonly fate: ImageFate;
  readonly reason: ImageReason;
}

export interface ImageRange {
  readonly least: number;
  readonly most: number;
}

/** What the next pass does, as far as it can be known. */
export interface ImageForecast<T extends SeenImage> {
  /** Does the disk step remove anything? Undefined: the disk is not known, or depends on the age step. */
  readonly triggered: boolean | undefined;
  /** Bytes that the disk step wants to free; undefined unless triggered. */
  readonly wanted: number | undefined;
  /** In the order of removal where that is known. */
  readonly images: readonly JudgedImage<T>[];
  readonly removedImages: ImageRange;
  readonly freedBytes: ImageRange;
  /** Bytes that will be missing to the low threshold. */
  readonly shortfall: ImageRange;
}

interface ImageForecastInput<T extends SeenImage> {
  readonly images: readonly T[];
  readonly policy: ImageGcPolicy;
  readonly disk: Disk | undefined;
  /** The kubelet measures a capacity of 0, and its passes fail before they free space (IMG-10). */
  readonly noCapacity?: boolean;
  readonly now: number;
  /** When the kubelet started, epoch milliseconds; undefined: not known. */
  readonly started: number | undefined;
}

/**
 * The next image pass without the kubelet's memory: an image is `removed` when that is so in every
 * order that is possible, and `may-be-removed` when it is so in some (VIS-1, VIS-2).
 */
export function imageForecast<T extends SeenImage>(input: ImageForecastInput<T>): ImageForecast<T> {
  const { images, policy, disk } = input;
  const free = images.filter(({ inUse, pinned }) => !inUse && !pinned);
  const ages = Object.groupBy(free, (image) => {
    const age = goesForAge(image, input);
    return age === 'yes' && image.doubtful ? 'maybe' : age;
  });
  const { yes: byAge = [], maybe: maybeByAge = [], no: left = [] } = ages;
  const aged = sizeOf(byAge);
  const before = disk && freed(disk, aged);
  // The disk is measured after the old images were removed (IMG-16), so the result may depend on them.
  const runs = imageGcRuns(policy) && input.noCapacity !== true;
  const triggered = runs ? before && usagePercent(before) >= policy.highThresholdPercent : false;
  const certainlyTriggered = triggered === true && maybeByAge.length === 0;
  const wanted = triggered && before ? bytesToFree(before, policy.lowThresholdPercent) : undefined;

  const old = [...left, ...maybeByAge].filter((image) => isOld(image, input));
  const inOrder = old.toSorted(knownOrder);
  const space = removalPlaces(inOrder, wanted ?? 0);
  const [isAged, mayBeAged] = [new Set<T>(byAge), new Set<T>(maybeByAge)];
  const verdictOf = (image: T): readonly [ImageFate, ImageReason] => {
    if (image.inUse) return ['kept', 'in-use'];
    if (image.pinned) return ['kept', 'pinned'];
    if (isAged.has(image)) return ['removed', 'age'];
    const place = space.get(image);
    if (place === 'certain' && certainlyTriggered) return ['removed', 'space'];
    if (mayBeAged.has(image)) return ['may-be-removed', 'maybe-age'];
    if (place === undefined) return ['kept', 'too-young'];
    if (triggered === undefined) return ['may-be-removed', 'disk-unknown'];
    if (triggered && place !== 'spared') return ['may-be-removed', 'space'];
    if (!runs) return ['kept', imageGcRuns(policy) ? 'no-capacity' : 'off'];
    return ['kept', triggered ? 'enough-freed' : 'not-triggered'];
  };
  const sorted = [...byAge.toSorted(knownOrder), ...inOrder];
  const first = new Set<T>(sorted);
  const outcome = [...sorted, ...images.filter((image) => !first.has(image))].map((image) => {
    const [fate, reason] = verdictOf(image);
    const sure = fate === 'removed' && image.doubtful ? 'may-be-removed' : fate;
    return { image, fate: sure, reason };
  });
  const ranges = rangesOf(outcome, { length: byAge.length, aged }, wanted, certainlyTriggered);
  return {
    triggered: maybeByAge.length > 0 && triggered ? undefined : triggered,
    wanted,
    images: outcome,
    ...ranges,
  };
}

function goesForAge<T extends SeenImage>(
  { lastUsed }: T,
  { policy: { maxAge }, now, started }: ImageForecastInput<T>,
): 'yes' | 'no' | 'maybe' {
  if (maxAge === 0 || (started !== undefined && now - started <= maxAge)) return 'no';
  if (typeof lastUsed === 'number' && now - lastUsed <= maxAge) return 'no';
  return lastUsed === undefined || started === undefined ? 'maybe' : 'yes';
}

/** Old enough to go for space; what was used at this very moment is not (IMG-12). */
function isOld<T extends SeenImage>(
  { firstDetected, lastUsed }: T,
  { policy, now, started }: ImageForecastInput<T>,
): boolean {
  if (typeof lastUsed === 'number' && lastUsed >= now) return false;
  // A kubelet that has just started has found nothing earlier than that (VIS-3).
  const found = firstDetected ?? started;
  return found === undefined || now - found >= policy.minAge;
}

function freed(disk: Disk, bytes: number): Disk {
  return { ...disk, available: Math.min(disk.capacity, disk.available + bytes) };
}

/** The order for output: by removal where that is known, else by size, the largest first. */
function knownOrder(a: SeenImage, b: SeenImage): number {
  const [usedA, usedB] = [usedAt(a) ?? Infinity, usedAt(b) ?? Infinity];
  if (usedA !== usedB) return usedA < usedB ? -1 : 1;
  const [seenA, seenB] = [a.firstDetected ?? Infinity, b.firstDetected ?? Infinity];
  if (usedA !== Infinity && seenA !== seenB) return seenA < seenB ? -1 : 1;
  return b.size - a.size;
}

function rangesOf<T extends SeenImage>(
  outcome: readonly JudgedImage<T>[],
  { length: agedCount, aged }: { readonly length: number; readonly aged: number },
  wanted: number | undefined,
  certainlyTriggered: boolean,
): Pick<ImageForecast<T>, 'removedImages' | 'freedBytes' | 'shortfall'> {
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
  // Those that come first whatever happens; the others may go in any order, the certain ones last.
  const isFirst = (image: T) => unsure.every((other) => isCertainlyBefore(image, other));
  const settled = certain.filter((image, at) => at < agedCount || isFirst(image));
  const isSettled = new Set(settled);
  const open = goes.filter((image) => !isSettled.has(image));
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

/**
 * Whether an image goes: `certain` when even all that may come before it free less than is wanted,
 * `possible` when those that must come before it do. One image always goes.
 */
type RemovalPlace = 'certain' | 'possible' | 'spared';

/** The place of each image among the others, under every order of removal that is possible (VIS-2). */
function removalPlaces<T extends SeenImage>(
  images: readonly T[],
  wanted: number,
): Map<T, RemovalPlace> {
  const total = sizeOf(images);
  const placeOf = (image: T): RemovalPlace => {
    const earlier = images.filter((other) => isCertainlyBefore(other, image));
    const later = images.filter((other) => isCertainlyBefore(image, other));
    const isFirst = earlier.length === 0;
    const isFirstInEveryOrder = isFirst && later.length === images.length - 1;
    const mayComeBefore = total - image.size - sizeOf(later);
    if (isFirstInEveryOrder || mayComeBefore < wanted) return 'certain';
    // Something that was not read may keep an image that comes before.
    const sureBefore = sizeOf(earlier.filter(({ doubtful }) => !doubtful));
    return isFirst || sureBefore < wanted ? 'possible' : 'spared';
  };
  return new Map(images.map((image) => [image, placeOf(image)]));
}

/** Never counts as the beginning of time; undefined: not known. */
function usedAt({ lastUsed }: SeenImage): number | undefined {
  return lastUsed === 'never' ? -Infinity : lastUsed;
}

/** Is `a` removed before `b` in every order that is possible? */
function isCertainlyBefore(a: SeenImage, b: SeenImage): boolean {
  const [usedA, usedB] = [usedAt(a), usedAt(b)];
  if (usedA === undefined || usedB === undefined) return false;
  if (usedA !== usedB) return usedA < usedB;
  const { firstDetected: seenA } = a;
  const { firstDetected: seenB } = b;
  return seenA !== undefined && seenB !== undefined && seenA < seenB;
}
