import { type Disk, diskOf } from './images/disk-usage.ts';
import { imagesOf, type UsedImage } from './images/node-images.ts';
import type { NodeContainer, NodeFacts, NodeImage } from './node-facts.ts';

/** The state of a node after each step of its kubelet. Times are epoch milliseconds. */
export class SimulatedNode {
  #facts: NodeFacts;
  #images: UsedImage[] | undefined;
  /** When the last container of an image went. */
  readonly #freedAt = new Map<NodeImage, number>();
  freedBytes = 0;

  constructor(facts: NodeFacts) {
    this.#facts = facts;
  }

  /** The node now; its disks as they were measured. */
  get facts(): NodeFacts {
    return this.#facts;
  }

  get images(): readonly UsedImage[] {
    this.#images ??= imagesOf(this.#facts).map((image) => {
      const freed = this.#freedAt.get(image.image);
      return freed === undefined || image.inUse ? image : { ...image, lastUsed: freed };
    });
    return this.#images;
  }

  get disk(): Disk | undefined {
    const { imageFs } = this.#facts;
    const disk = imageFs && diskOf(imageFs.capacityBytes, imageFs.availableBytes);
    return disk && { ...disk, available: this.#plusFreed(disk.available, disk.capacity) };
  }

  /** Was the image in use until a container went that this kubelet removed? */
  wasFreed({ image }: UsedImage): boolean {
    return this.#freedAt.has(image);
  }

  /** The disks with what was freed since. */
  get observations(): NodeFacts['observations'] {
    const { observations, layout } = this.#facts;
    const grown = layout === 'one-filesystem' ? ['imagefs', 'nodefs'] : ['imagefs'];
    return Object.fromEntries(
      Object.entries(observations).map(([signal, { available, capacity }]) => {
        const grows = grown.some((disk) => signal === `${disk}.available`);
        const free = grows ? this.#plusFreed(available, capacity) : available;
        return [signal, { available: free, capacity }];
      }),
    );
  }

  removeImages(gone: readonly UsedImage[]): void {
    const images = new Set(gone.map(({ image }) => image));
    this.#change({ images: this.#facts.images?.filter((image) => !images.has(image)) });
  }

  removeContainers(gone: readonly NodeContainer[], now: number): void {
    if (gone.length === 0) return;
    const used = this.images.filter(({ inUse }) => inUse);
    const ids = new Set(gone.map(({ id }) => id));
    this.#change({ containers: this.#facts.containers?.filter(({ id }) => !ids.has(id)) });
    const unused = new Set(this.images.filter(({ inUse }) => !inUse).map(({ image }) => image));
    for (const { image } of used) if (unused.has(image)) this.#freedAt.set(image, now - 1);
    this.#images = undefined;
  }

  removeSandboxes(gone: ReadonlySet<string>): void {
    this.#change({ sandboxes: this.#facts.sandboxes?.filter(({ id }) => !gone.has(id)) });
  }

  /** The kubelet starts again, and remembers nothing of its images (IMG-8). */
  restart(now: number): void {
    this.#freedAt.clear();
    this.#change({
      kubeletStarted: now,
      images: this.#facts.images?.map((image) => ({
        ...image,
        lastUsed: 'never',
        firstDetected: now,
      })),
    });
  }

  #change(change: Partial<NodeFacts>): void {
    this.#facts = { ...this.#facts, ...change };
    this.#images = undefined;
  }

  #plusFreed(available: number, capacity: number): number {
    return Math.min(capacity, available + this.freedBytes);
  }
}
