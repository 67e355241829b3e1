import { detectImages, type RuntimeState } from './detect-images.ts';
import { bytesToFree, type Disk, formatSize, usagePercent } from './disk-usage.ts';
import {
  type Candidate,
  candidatesOf,
  freeOldImages,
  freeSpace,
  type RemoveImage,
} from './free-images.ts';
import type { ImageGcPolicy, ImageRecords } from './image-record.ts';

/** How often the kubelet looks for images to remove, in milliseconds (IMG-1). */
export const imageGcPeriod = 5 * 60_000;

/** Everything that one pass depends on: the kubelet's memory, its runtime, its clock. */
export interface ImagePassInput {
  readonly records: ImageRecords;
  readonly runtime: RuntimeState;
  readonly policy: ImageGcPolicy;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Feature gate RuntimeClassInImageCriAPI, off by default. */
  readonly byHandler?: boolean;
  /** Default: every removal succeeds. */
  readonly remove?: RemoveImage;
}

export interface CollectImagesInput extends ImagePassInput {
  /** When the kubelet started, epoch milliseconds: no image goes for its age before. */
  readonly started: number;
  /** Measured after images went for their age (IMG-16); undefined: it has no capacity. */
  readonly disk: (
    removedForAge: readonly Candidate[],
  ) => Disk | undefined | { readonly error: string };
}

export interface RemovedImage extends Candidate {
  readonly reason: 'age' | 'space';
}

export interface ImagePass {
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
  if (disk !== undefined && 'error' in disk) return pass({ error: disk.error });
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

/** What the kubelet writes on the Node when it could not free enough (IMG-13). */
export function shortfallMessage(usage: number, capacity: number, freed: number): string {
  return [
    `Insufficient free disk space on the node's image filesystem (${usage}% of ${formatSize(capacity)} used).`,
    `Failed to free sufficient space by deleting unused images (freed ${freed} bytes).`,
    'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.',
  ].join(' ');
}

function look({ records, runtime, now, byHandler }: ImagePassInput) {
  const detection = detectImages(records, runtime, { detected: now, now }, byHandler);
  return { records: detection.records, candidates: candidatesOf(detection) };
}

function without(records: ImageRecords, removed: readonly Candidate[]): ImageRecords {
  const left = new Map(records);
  for (const { key } of removed) left.delete(key);
  return left;
}
