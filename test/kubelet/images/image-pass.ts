import { bytesToFree, type Disk, usagePercent } from '../../../src/kubelet/images/disk-usage.ts';
import { shortfallMessage } from '../../../src/kubelet/images/image-policy.ts';
import type { ImageGcPolicy } from '../../../src/kubelet/node-facts.ts';

/**
 * The kubelet's image manager with all of its memory, as upstream has it: what forecasts made without
 * that memory are compared with.
 */

/** An image as the container runtime lists it. */
export interface RuntimeImage {
  readonly id: string;
  /** Bytes; layers that images share count in each of them. */
  readonly size: number;
  readonly pinned?: boolean | undefined;
}

/** What a container keeps from being removed: its image and the images it mounts, whether it runs or not. */
export interface ImageUser {
  /** `image_id` of the runtime, or `image_ref` where that is empty. */
  readonly imageId: string;
  /** Ids of the images it mounts as volumes. */
  readonly mountedImages?: readonly string[] | undefined;
}

/** What the kubelet remembers of an image; lost when it restarts. Times are epoch milliseconds. */
export interface ImageRecord {
  readonly id: string;
  readonly firstDetected: number;
  /** The last detection that saw a container of it; undefined: never (upstream's zero time). */
  readonly lastUsed: number | undefined;
  readonly size: number;
  readonly pinned: boolean;
}

/** By image id. */
export type ImageRecords = ReadonlyMap<string, ImageRecord>;

/** Everything that one pass depends on: the kubelet's memory, its runtime, its clock. */
interface ImagePassInput {
  readonly records: ImageRecords;
  readonly runtime: RuntimeState;
  readonly policy: ImageGcPolicy;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Default: every removal succeeds. */
  readonly remove?: RemoveImage;
}

export interface CollectImagesInput extends ImagePassInput {
  /** When the kubelet started, epoch milliseconds: no image goes for its age before. */
  readonly started: number;
  /** Measured after images went for their age (IMG-16); undefined: it has no capacity. */
  readonly disk: (removedForAge: readonly Candidate[]) => Disk | undefined;
}

interface RemovedImage extends Candidate {
  readonly reason: 'age' | 'space';
}

interface ImagePass {
  /** The kubelet's memory afterwards. */
  readonly records: ImageRecords;
  readonly removed: readonly RemovedImage[];
  /** Bytes that the disk step wanted to free; undefined: it was not reached or not triggered. */
  readonly wanted: number | undefined;
  /** Bytes that the disk step freed. */
  readonly freed: number;
  /** Why the pass failed. */
  readonly error: string | undefined;
  /** Warnings on the Node. */
  readonly events: readonly { readonly reason: string; readonly message: string }[];
}

/** One pass of image garbage collection: first by age, then by disk usage (IMG-9 to IMG-13). */
export function collectImages(input: CollectImagesInput): ImagePass {
  const { policy, now, remove = () => undefined } = input;
  const found = look(input);
  const old = freeOldImages(found.candidates, policy.maxAge, input, remove);
  const pass = (more: Partial<ImagePass>, forSpace: readonly Candidate[] = []): ImagePass => ({
    records: without(found.records, [...old.removed, ...forSpace]),
    removed: [
      ...old.removed.map((image) => ({ ...image, reason: 'age' as const })),
      ...forSpace.map((image) => ({ ...image, reason: 'space' as const })),
    ],
    wanted: undefined,
    freed: 0,
    error: undefined,
    events: [],
    ...more,
  });
  if (old.errors.length > 0) {
    return pass({ error: `encountered errors in image deletion: ${old.errors.join(', ')}` });
  }
  const disk = input.disk(old.removed);
  if (disk === undefined) {
    const message = 'invalid capacity 0 on image filesystem';
    return pass({ error: message, events: [{ reason: 'InvalidDiskCapacity', message }] });
  }
  const usage = usagePercent(disk);
  if (usage < policy.highThresholdPercent) return pass({});
  const wanted = bytesToFree(disk, policy.lowThresholdPercent);
  const { removed, freed, errors } = freeSpace(
    old.left,
    wanted,
    { now, minAge: policy.minAge },
    remove,
  );
  if (errors.length > 0) {
    const error = `wanted to free ${wanted} bytes, but freed ${freed} bytes space with errors in image deletion: ${errors.join(', ')}`;
    return pass({ wanted, freed, error }, removed);
  }
  if (freed >= wanted) return pass({ wanted, freed }, removed);
  const message = shortfallMessage(usage, disk.capacity, freed);
  const events = [{ reason: 'FreeDiskSpaceFailed', message }];
  return pass({ wanted, freed, error: message, events }, removed);
}

/** What eviction does to images: every unused one that is old enough goes (IMG-14). */
export function deleteUnusedImages(input: ImagePassInput): ImagePass {
  const { policy, now, remove = () => undefined } = input;
  const { records, candidates } = look(input);
  const { removed, freed, errors } = freeSpace(
    candidates,
    Infinity,
    { now, minAge: policy.minAge },
    remove,
  );
  return {
    records: without(records, removed),
    removed: removed.map((image) => ({ ...image, reason: 'space' })),
    wanted: undefined,
    freed,
    error:
      errors.length === 0
        ? undefined
        : `encountered errors in image deletion: ${errors.join(', ')}`,
    events: [],
  };
}

function look({ records, runtime, now }: ImagePassInput) {
  const detection = detectImages(records, runtime, { detected: now, now });
  return { records: detection.records, candidates: candidatesOf(detection) };
}

function without(records: ImageRecords, removed: readonly Candidate[]): ImageRecords {
  const left = new Map(records);
  for (const { key } of removed) left.delete(key);
  return left;
}

/** An image that may be removed, with the key of its record. */
interface Candidate extends ImageRecord {
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
type RemoveImage = (image: Candidate) => string | undefined;

interface FreedImages {
  readonly removed: readonly Candidate[];
  /** Bytes, as the runtime counts the sizes of the removed images. */
  readonly freed: number;
  /** What the runtime said where it did not remove an image. */
  readonly errors: readonly string[];
}

/** Removes every candidate that was not used for `maxAge`, however much that is (IMG-9). */
function freeOldImages(
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
function freeSpace(
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

interface RuntimeState {
  readonly images: readonly RuntimeImage[];
  /** All containers, dead ones too: IMG-5. */
  readonly containers: readonly ImageUser[];
}

interface DetectionTime {
  /** What a new image is first detected at, epoch milliseconds. */
  readonly detected: number;
  /** What an image in use was last used at. */
  readonly now: number;
}

interface Detection {
  readonly records: ImageRecords;
  readonly inUse: ReadonlySet<string>;
}

/** One look of the kubelet at the images of its runtime (IMG-4). */
export function detectImages(
  before: ImageRecords,
  { images, containers }: RuntimeState,
  { detected, now }: DetectionTime,
): Detection {
  const inUse = imagesInUse(images, containers);
  const records = new Map<string, ImageRecord>();
  for (const image of images) {
    const known = records.get(image.id) ?? before.get(image.id);
    records.set(image.id, {
      id: image.id,
      firstDetected: known?.firstDetected ?? detected,
      lastUsed: inUse.has(image.id) ? now : known?.lastUsed,
      size: image.size,
      pinned: image.pinned ?? false,
    });
  }
  return { records, inUse };
}

function imagesInUse(
  images: readonly RuntimeImage[],
  containers: readonly ImageUser[],
): ReadonlySet<string> {
  const inUse = new Set<string>();
  const ids = new Set(images.map(({ id }) => id));
  for (const { imageId, mountedImages = [] } of containers) {
    inUse.add(imageId);
    for (const id of mountedImages) if (ids.has(id)) inUse.add(id);
  }
  return inUse;
}
