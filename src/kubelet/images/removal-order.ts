import type { SeenImage } from './image-policy.ts';

/**
 * Whether an image goes: `certain` when even all that may come before it free less than is wanted,
 * `possible` when those that must come before it do. One image always goes.
 */
export type RemovalPlace = 'certain' | 'possible' | 'spared';

/** Bytes and number of the images that certainly come before or after one. */
interface Neighbours {
  count: number;
  bytes: number;
  /** Without images that something that was not read may keep. */
  sureBytes: number;
}

/** The place of each image among the others, under every order of removal that is possible (VIS-2). */
export function removalPlaces<T extends SeenImage>(
  images: readonly T[],
  wanted: number,
): Map<T, RemovalPlace> {
  const total = images.reduce((sum, { size }) => sum + size, 0);
  const before = certainlyBefore(images);
  const after = certainlyBefore(images, -1);
  const none: Neighbours = { count: 0, bytes: 0, sureBytes: 0 };
  const places = new Map<T, RemovalPlace>();
  for (const image of images) {
    const [earlier, later] = [before.get(image) ?? none, after.get(image) ?? none];
    const isFirst = earlier.count === 0;
    const isFirstInEveryOrder = isFirst && later.count === images.length - 1;
    const mayComeBefore = total - image.size - later.bytes;
    if (isFirstInEveryOrder || mayComeBefore < wanted) places.set(image, 'certain');
    else places.set(image, isFirst || earlier.sureBytes < wanted ? 'possible' : 'spared');
  }
  return places;
}

/** What certainly goes before each image; with -1: after it. Images whose use is not known tie with all. */
function certainlyBefore<T extends SeenImage>(
  images: readonly T[],
  direction: 1 | -1 = 1,
): Map<T, Neighbours> {
  const known = images
    .filter((image) => usedAt(image) !== undefined)
    .sort((a, b) => direction * (order(usedAt(a), usedAt(b)) || order(seenAt(a), seenAt(b))));
  const found = new Map<T, Neighbours>();
  let passed: Neighbours = { count: 0, bytes: 0, sureBytes: 0 };
  for (let at = 0; at < known.length; ) {
    const group = known.slice(at, endOf(known, at, usedAt));
    // Among those used at the same time, the ones that were found earlier go first, where that is known.
    let inGroup = passed;
    const dated = group.filter((image) => seenAt(image) !== undefined);
    for (let place = 0; place < dated.length; ) {
      const tied = dated.slice(place, endOf(dated, place, seenAt));
      for (const image of tied) found.set(image, inGroup);
      inGroup = tied.reduce(plus, inGroup);
      place += tied.length;
    }
    for (const image of group) if (seenAt(image) === undefined) found.set(image, passed);
    passed = group.reduce(plus, passed);
    at += group.length;
  }
  return found;
}

function endOf<T>(images: readonly T[], from: number, of: (image: T) => number | undefined) {
  const first = images[from];
  let end = from;
  while (end < images.length && first !== undefined && of(images[end] ?? first) === of(first)) {
    end += 1;
  }
  return end;
}

function plus(sum: Neighbours, { size, doubtful }: SeenImage): Neighbours {
  return {
    count: sum.count + 1,
    bytes: sum.bytes + size,
    sureBytes: sum.sureBytes + (doubtful ? 0 : size),
  };
}

function order(a: number | undefined, b: number | undefined): number {
  const [first, second] = [a ?? Infinity, b ?? Infinity];
  return first === second ? 0 : first < second ? -1 : 1;
}

/** Never counts as the beginning of time; undefined: not known. */
export function usedAt({ lastUsed }: SeenImage): number | undefined {
  return lastUsed === 'never' ? -Infinity : lastUsed;
}

function seenAt({ firstDetected }: SeenImage): number | undefined {
  return firstDetected;
}

/** Is `a` removed before `b` in every order that is possible? */
export function isCertainlyBefore(a: SeenImage, b: SeenImage): boolean {
  const [usedA, usedB] = [usedAt(a), usedAt(b)];
  if (usedA === undefined || usedB === undefined) return false;
  if (usedA !== usedB) return usedA < usedB;
  const { firstDetected: seenA } = a;
  const { firstDetected: seenB } = b;
  return seenA !== undefined && seenB !== undefined && seenA < seenB;
}
