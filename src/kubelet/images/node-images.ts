import { nodeContainerForecast } from '../containers/container-forecast.ts';
import type { Reclaim } from '../eviction/eviction-thresholds.ts';
import type { ImageGcPolicy, NodeFacts, NodeImage } from '../node-facts.ts';
import { diskOf } from './disk-usage.ts';
import { type ImageForecast, imageForecast } from './image-forecast.ts';
import type { SeenImage } from './image-policy.ts';
import { imageUsers, type KnownImageUser, strayContainers } from './image-users.ts';

/** An image of a node with who uses it. */
export interface UsedImage extends SeenImage {
  readonly image: NodeImage;
  readonly users: readonly KnownImageUser[];
}

/** The images of a node as a pass would judge them; empty when none could be read. */
export function imagesOf(facts: NodeFacts): UsedImage[] {
  const users = imageUsers(facts);
  const hasStrays = strayContainers(facts).length > 0;
  return (facts.images ?? []).map((image) => {
    const usedBy = users.get(image) ?? [];
    return {
      image,
      users: usedBy,
      size: image.size,
      pinned: image.pinned ?? false,
      doubtful:
        image.pinned === undefined ||
        facts.containersSource !== 'runtime' ||
        facts.pods === undefined ||
        hasStrays,
      inUse: usedBy.length > 0,
      ...rememberedOf(image, facts.kubeletStarted),
    };
  });
}

/**
 * The kubelet's memory is empty at its start; images that it then finds unused count as never used
 * (IMG-8).
 */
function rememberedOf(
  { lastUsed, firstDetected }: NodeImage,
  started = -Infinity,
): Pick<SeenImage, 'lastUsed' | 'firstDetected'> {
  return {
    lastUsed: typeof lastUsed === 'number' && lastUsed < started ? 'never' : lastUsed,
    firstDetected: firstDetected && Math.max(firstDetected, started),
  };
}

/** What the next image pass on a node does under `policy`. `now`: epoch milliseconds. */
export function nodeImageForecast(
  facts: NodeFacts,
  images: readonly UsedImage[],
  policy: ImageGcPolicy,
  now: number,
): ImageForecast<UsedImage> {
  const { imageFs, kubeletStarted } = facts;
  const disk = imageFs && diskOf(imageFs.capacityBytes, imageFs.availableBytes);
  const noCapacity = imageFs !== undefined && disk === undefined;
  return imageForecast({ images, policy, disk, noCapacity, now, started: kubeletStarted });
}

interface ReclaimedImage {
  readonly image: UsedImage;
  /** False: something that was not read may keep it. */
  readonly certain: boolean;
}

/**
 * The images that the eviction manager deletes (IMG-14): unused ones that are old enough. Where it
 * deletes all unused containers before, those that only these containers kept go as well (EV-2).
 */
export function reclaimedImages(
  facts: NodeFacts,
  reclaims: readonly Reclaim[],
  now: number,
): ReclaimedImage[] {
  if (!reclaims.includes('delete-unused-images')) return [];
  const { images, containers: policy } = facts.settings;
  const { containers = [] } = facts;
  const forecast = reclaims.includes('delete-all-containers')
    ? nodeContainerForecast(facts, { policy, deleteAll: true, now }).containers
    : [];
  const goes = new Set(forecast.filter(({ fate }) => fate !== 'kept').map((one) => one.container));
  const sure = new Set(
    forecast.filter(({ fate }) => fate === 'removed').map((one) => one.container),
  );
  const unusedWithout = (gone: ReadonlySet<unknown>) =>
    imagesOf({ ...facts, containers: containers.filter((one) => !gone.has(one)) }).filter(
      ({ inUse, pinned, firstDetected = facts.kubeletStarted ?? -Infinity }) =>
        !inUse && !pinned && now - firstDetected >= images.minAge,
    );
  const certain = new Set(unusedWithout(sure).map(({ image }) => image));
  return unusedWithout(goes).map((image) => ({
    image,
    certain: certain.has(image.image) && !image.doubtful,
  }));
}
