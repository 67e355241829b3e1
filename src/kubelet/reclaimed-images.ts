import { nodeContainerOutlook } from './node-containers.ts';
import type { NodeFacts } from './node-facts.ts';
import { imagesOf, type UsedImage } from './node-images.ts';
import type { Reclaim } from './node-reclaim.ts';

export interface ReclaimedImage {
  readonly image: UsedImage;
  /** False: something that nobody could see may keep it. */
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
  const outlook = reclaims.includes('delete-all-containers')
    ? nodeContainerOutlook(facts, { policy, deleteAll: true, now }).containers
    : [];
  const goes = new Set(outlook.filter(({ fate }) => fate !== 'kept').map((one) => one.container));
  const sure = new Set(
    outlook.filter(({ fate }) => fate === 'removed').map((one) => one.container),
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
