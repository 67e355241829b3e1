import type { Detection } from './detect-images.ts';
import type { ImageRecord } from './image-record.ts';

/** An image that may be removed, with the key of its record. */
export interface Candidate extends ImageRecord {
  readonly key: string;
}

/** Images of no container that are not pinned, in the order in which they would go (IMG-6, IMG-7). */
export function candidatesOf({ records, inUse }: Detection): Candidate[] {
  return [...records]
    .filter(([key, { pinned }]) => !inUse.has(key) && !pinned)
    .map(([key, record]) => ({ key, ...record }))
    .sort(evictionOrder);
}

/** Last used first, then first detected. What ties is in no order upstream; here the key decides. */
function evictionOrder(a: Candidate, b: Candidate): number {
  const [used, otherUsed] = [a.lastUsed ?? -Infinity, b.lastUsed ?? -Infinity];
  if (used !== otherUsed) return used < otherUsed ? -1 : 1;
  if (a.firstDetected !== b.firstDetected) return a.firstDetected < b.firstDetected ? -1 : 1;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** Tries to remove an image; answers why it could not, or undefined. */
export type RemoveImage = (image: Candidate) => string | undefined;

export interface FreedImages {
  readonly removed: readonly Candidate[];
  /** Bytes, as the runtime counts the sizes of the removed images. */
  readonly freed: number;
  /** What the runtime said where it did not remove an image. */
  readonly errors: readonly string[];
}

/** Removes every candidate that was not used for `maxAge`, however much that is (IMG-9). */
export function freeOldImages(
  candidates: readonly Candidate[],
  maxAge: number,
  { now, started }: { readonly now: number; readonly started: number },
  remove: RemoveImage,
): FreedImages & { readonly left: readonly Candidate[] } {
  if (maxAge === 0 || now - started <= maxAge) {
    return { removed: [], freed: 0, errors: [], left: candidates };
  }
  const old = candidates.filter(({ lastUsed }) => now - (lastUsed ?? -Infinity) > maxAge);
  const result = removeAll(old, remove);
  const gone = new Set(result.removed);
  return { ...result, left: candidates.filter((image) => !gone.has(image)) };
}

/** Removes candidates in their order until `bytes` are freed; young ones are passed over (IMG-12). */
export function freeSpace(
  candidates: readonly Candidate[],
  bytes: number,
  { now, minAge }: { readonly now: number; readonly minAge: number },
  remove: RemoveImage,
): FreedImages {
  const eligible = candidates.filter(
    ({ lastUsed = -Infinity, firstDetected }) => lastUsed < now && now - firstDetected >= minAge,
  );
  return removeAll(eligible, remove, bytes);
}

function removeAll(
  images: readonly Candidate[],
  remove: RemoveImage,
  enough = Infinity,
): FreedImages {
  const removed: Candidate[] = [];
  const errors: string[] = [];
  let freed = 0;
  for (const image of images) {
    const error = remove(image);
    if (error !== undefined) {
      errors.push(error);
      continue;
    }
    removed.push(image);
    freed += image.size;
    if (freed >= enough) break;
  }
  return { removed, freed, errors };
}
