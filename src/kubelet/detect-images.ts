import type { ImageRecord, ImageRecords, ImageUser, RuntimeImage } from './image-record.ts';

export interface RuntimeState {
  readonly images: readonly RuntimeImage[];
  /** All containers, dead ones too: IMG-5. */
  readonly containers: readonly ImageUser[];
}

export interface DetectionTime {
  /** What a new image is first detected at, epoch milliseconds. */
  readonly detected: number;
  /** What an image in use was last used at. */
  readonly now: number;
}

export interface Detection {
  readonly records: ImageRecords;
  readonly inUse: ReadonlySet<string>;
}

/**
 * One look of the kubelet at the images of its runtime (IMG-4). `byHandler` is the feature gate
 * RuntimeClassInImageCriAPI: the same image of two handlers has two records.
 */
export function detectImages(
  before: ImageRecords,
  { images, containers }: RuntimeState,
  { detected, now }: DetectionTime,
  byHandler = false,
): Detection {
  const inUse = imagesInUse(images, containers, byHandler);
  const records = new Map<string, ImageRecord>();
  for (const image of images) {
    const key = byHandler ? imageKey(image.id, image.runtimeHandler) : image.id;
    const known = records.get(key) ?? before.get(key);
    records.set(key, {
      id: image.id,
      runtimeHandler: known?.runtimeHandler ?? image.runtimeHandler ?? '',
      firstDetected: known?.firstDetected ?? detected,
      lastUsed: inUse.has(key) ? now : known?.lastUsed,
      size: image.size,
      pinned: image.pinned ?? false,
    });
  }
  return { records, inUse };
}

export function imagesInUse(
  images: readonly RuntimeImage[],
  containers: readonly ImageUser[],
  byHandler = false,
): ReadonlySet<string> {
  const inUse = new Set<string>();
  const ids = new Set(images.map(({ id }) => id));
  for (const { imageId, runtimeHandler, mountedImages = [] } of containers) {
    inUse.add(byHandler ? imageKey(imageId, runtimeHandler) : imageId);
    // Mounts are compared with the plain id, whatever the gate says.
    for (const id of mountedImages) if (ids.has(id)) inUse.add(id);
  }
  return inUse;
}

function imageKey(id: string, runtimeHandler = ''): string {
  return runtimeHandler === '' ? id : `${id},${runtimeHandler}`;
}
