import { diskOf } from './disk-usage.ts';
import { type ImageOutlook, imageOutlook } from './image-outlook.ts';
import type { ImageGcPolicy } from './image-record.ts';
import { imageUsers, type KnownImageUser } from './image-users.ts';
import type { NodeFacts, NodeImage } from './node-facts.ts';
import type { SeenImage } from './seen-image.ts';
import { strayContainers } from './stray-containers.ts';

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

/** The kubelet forgets at its start; what it then finds unused was never used as far as it knows (IMG-8). */
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
export function nodeOutlook(
  facts: NodeFacts,
  images: readonly UsedImage[],
  policy: ImageGcPolicy,
  now: number,
): ImageOutlook<UsedImage> {
  const { imageFs, kubeletStarted } = facts;
  const disk = imageFs && diskOf(imageFs.capacityBytes, imageFs.availableBytes);
  const noCapacity = imageFs !== undefined && disk === undefined;
  return imageOutlook({ images, policy, disk, noCapacity, now, started: kubeletStarted });
}
