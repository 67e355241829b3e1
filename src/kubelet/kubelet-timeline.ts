import {
  type ContainerReason,
  type JudgedSandbox,
  nodeContainerForecast,
} from './containers/container-forecast.ts';
import { containerGcPeriod } from './containers/container-gc.ts';
import {
  graceOf,
  isThresholdMet,
  parseThresholds,
  type Reclaim,
  reclaimsFor,
} from './eviction/eviction-thresholds.ts';
import type { ImageReason } from './images/image-forecast.ts';
import { imageGcPeriod } from './images/image-policy.ts';
import {
  imagesOf,
  nodeImageForecast,
  reclaimedImages,
  type UsedImage,
} from './images/node-images.ts';
import type { NodeContainer, NodeFacts, NodeImage, NodeSandbox } from './node-facts.ts';

/** Times are epoch milliseconds. */
interface TimelineOptions {
  readonly now: number;
  /** Steps that begin later are left out. */
  readonly until: number;
}

/**
 * What a kubelet removes from now on, if nothing else happens on its node: container passes every
 * minute, image passes every five, evictions at thresholds that are met. In the order of time.
 */
export function kubeletTimeline(facts: NodeFacts, options: TimelineOptions): KubeletStep[] {
  const { until } = options;
  const simulated = new SimulatedNode(facts);
  const steps = new Map<string, KubeletStep>();
  const record = (step: KubeletStep): void => {
    const key = stepKey(step);
    const earlier = steps.get(key);
    if (earlier === undefined) steps.set(key, step);
    // What might have gone earlier is certain to be gone by now.
    else if (step.certain) steps.set(key, { ...step, notBefore: earlier.notBefore });
  };
  let soft = evictionsOf(facts, 'soft', options.now);
  for (let now = options.now; now <= until; ) {
    if (now === options.now) {
      for (const eviction of evictionsOf(simulated.facts, 'hard', now))
        evict(simulated, eviction, record);
    }
    const due = soft.filter(({ at }) => at <= now);
    soft = soft.filter((eviction) => !due.includes(eviction));
    const later = evictionsOf(simulated.facts, 'soft', options.now);
    const stillMet = new Set(later.map(({ name }) => name));
    for (const eviction of due) if (stillMet.has(eviction.name)) evict(simulated, eviction, record);
    passContainers(simulated, now, record);
    passImages(simulated, now, record);
    const next = nextMoment(
      simulated,
      now,
      soft.map(({ at }) => at),
    );
    if (next === undefined) break;
    now = next;
  }
  return [...steps.values()].sort((a, b) => a.notBefore - b.notBefore || a.notAfter - b.notAfter);
}

type Record = (step: KubeletStep) => void;

function evict(
  simulated: SimulatedNode,
  { at, from, name, reclaims }: NodeEviction,
  record: Record,
) {
  const window = { notBefore: from, notAfter: at + evictionPeriod, eviction: name };
  const images = reclaimedImages(simulated.facts, reclaims, at);
  if (reclaims.includes('delete-all-containers')) {
    removeContainers(simulated, at, { ...window, deleteAll: true }, record);
  }
  for (const { image, certain } of images) {
    const { firstDetected = -Infinity } = image;
    const notBefore = Math.max(from, firstDetected + simulated.facts.settings.images.minAge);
    const step = { kind: 'image', image, reason: 'space', certain, rule: 'EV-2' } as const;
    record({ ...step, ...window, notBefore });
  }
  const gone = images.filter(({ certain }) => certain).map(({ image }) => image);
  simulated.removeImages(
    gone,
    gone.reduce((sum, { size }) => sum + size, 0),
  );
}

function passContainers(simulated: SimulatedNode, now: number, record: Record): void {
  const window = { notBefore: now, notAfter: now + containerGcPeriod, eviction: undefined };
  removeContainers(simulated, now, { ...window, deleteAll: false }, record);
}

function removeContainers(
  simulated: SimulatedNode,
  now: number,
  {
    deleteAll,
    ...window
  }: Pick<KubeletStep, 'notBefore' | 'notAfter' | 'eviction'> & { readonly deleteAll: boolean },
  record: Record,
): void {
  const { containers: policy } = simulated.facts.settings;
  const { containers, sandboxes } = nodeContainerForecast(simulated.facts, {
    policy,
    deleteAll,
    now,
  });
  for (const { container, fate, reason, rule } of containers) {
    if (fate === 'kept') continue;
    record({ kind: 'container', container, reason, rule, certain: fate === 'removed', ...window });
  }
  for (const { sandbox, fate, reason } of sandboxes) {
    if (fate === 'kept') continue;
    const certain = fate === 'removed';
    record({ kind: 'sandbox', sandbox, reason, rule: 'CTR-9', certain, ...window });
  }
  simulated.removeContainers(
    containers.flatMap(({ container, fate }) => (fate === 'removed' ? container : [])),
    sandboxes.flatMap(({ sandbox, fate }) => (fate === 'removed' ? sandbox : [])),
    now,
  );
}

function passImages(simulated: SimulatedNode, now: number, record: Record): void {
  const { facts, images } = simulated;
  const forecast = nodeImageForecast(facts, images, facts.settings.images, now);
  for (const { image, fate, reason } of forecast.images) {
    if (fate === 'kept') continue;
    const byAge = reason === 'age' || reason === 'maybe-age';
    // The container that kept it goes within a minute; the pass that saw it last was up to five ago.
    const wasFreed = simulated.wasFreed(image);
    const late = wasFreed ? containerGcPeriod : 0;
    const early = wasFreed && byAge ? imageGcPeriod : 0;
    record({
      kind: 'image',
      image,
      reason,
      rule: byAge ? 'IMG-9' : 'IMG-12',
      certain: fate === 'removed',
      eviction: undefined,
      notBefore: now - early,
      notAfter: now + late + imageGcPeriod,
    });
  }
  const gone = forecast.images.filter(({ fate }) => fate === 'removed').map(({ image }) => image);
  simulated.removeImages(gone, forecast.freedBytes.least);
}

/** When something becomes old enough, or something else happens; undefined: never again. */
function nextMoment(
  { facts, images }: SimulatedNode,
  now: number,
  others: readonly number[],
): number | undefined {
  const { images: policy, containers } = facts.settings;
  const started = facts.kubeletStarted;
  let next = Infinity;
  const add = (time: number | undefined) => {
    if (time !== undefined && time > now && time < next) next = time;
  };
  for (const time of others) add(time);
  if (started !== undefined) add(started + policy.minAge);
  // Strictly older than the maximum age.
  if (started !== undefined && policy.maxAge > 0) add(started + policy.maxAge + 1);
  for (const { state, createdAt } of facts.containers ?? []) {
    if (state !== 'running') add(createdAt + containers.minAge);
  }
  for (const { inUse, pinned, firstDetected, lastUsed } of images) {
    if (inUse || pinned) continue;
    if (firstDetected !== undefined) add(firstDetected + policy.minAge);
    if (typeof lastUsed === 'number') {
      add(lastUsed + 1);
      if (policy.maxAge > 0) add(lastUsed + policy.maxAge + 1);
    }
  }
  return next === Infinity ? undefined : next;
}

/** Something that a kubelet removes, when and why. Times are epoch milliseconds. */
export type KubeletStep = {
  /** The removal cannot come earlier. */
  readonly notBefore: number;
  /** It comes no later; for `certain: false`: if it comes at all. */
  readonly notAfter: number;
  /** False: it depends on what cannot be seen from outside. */
  readonly certain: boolean;
  /** The threshold whose eviction deletes it, as in `imagefs.available<15%`; undefined: a pass does. */
  readonly eviction: string | undefined;
  readonly rule: string;
} & Removed;

type Removed =
  | { readonly kind: 'image'; readonly image: UsedImage; readonly reason: ImageReason }
  | {
      readonly kind: 'container';
      readonly container: NodeContainer;
      readonly reason: ContainerReason;
    }
  | {
      readonly kind: 'sandbox';
      readonly sandbox: NodeSandbox;
      readonly reason: JudgedSandbox<NodeSandbox>['reason'];
    };

/**
 * What a step removes: the same thing has the same key.
 * @internal
 */
export function stepKey(step: KubeletStep): string {
  if (step.kind === 'container') return `container ${step.container.id}`;
  if (step.kind === 'sandbox') return `sandbox ${step.sandbox.id}`;
  const { id, names } = step.image.image;
  return `image ${id ?? names[0] ?? ''} ${step.image.size}`;
}

/** A node after each step of its kubelet. Times are epoch milliseconds. */
class SimulatedNode {
  /** The node now, with what was freed of its disks since they were measured. */
  facts: NodeFacts;
  #images: UsedImage[] | undefined;
  /** When the last container of an image went. */
  readonly #freedAt = new Map<NodeImage, number>();

  constructor(facts: NodeFacts) {
    this.facts = facts;
  }

  get images(): readonly UsedImage[] {
    this.#images ??= imagesOf(this.facts).map((image) => {
      const freed = this.#freedAt.get(image.image);
      return freed === undefined || image.inUse ? image : { ...image, lastUsed: freed };
    });
    return this.#images;
  }

  /** Was the image in use until a container went that this kubelet removed? */
  wasFreed({ image }: UsedImage): boolean {
    return this.#freedAt.has(image);
  }

  removeImages(gone: readonly UsedImage[], bytes: number): void {
    if (gone.length === 0 && bytes === 0) return;
    const images = new Set(gone.map(({ image }) => image));
    const { imageFs, observations, layout } = this.facts;
    const grown = layout === 'one-filesystem' ? ['imagefs', 'nodefs'] : ['imagefs'];
    this.#change({
      images: this.facts.images?.filter((image) => !images.has(image)),
      imageFs: imageFs && { ...imageFs, availableBytes: (imageFs.availableBytes ?? 0) + bytes },
      observations: Object.fromEntries(
        Object.entries(observations).map(([signal, { available, capacity }]) => {
          const grows = grown.some((disk) => signal === `${disk}.available`);
          const free = grows ? Math.min(capacity, available + bytes) : available;
          return [signal, { available: free, capacity }];
        }),
      ),
    });
  }

  removeContainers(
    gone: readonly NodeContainer[],
    sandboxes: readonly NodeSandbox[],
    now: number,
  ): void {
    if (gone.length + sandboxes.length === 0) return;
    const used = this.images.filter(({ inUse }) => inUse);
    this.#change({
      containers: this.facts.containers?.filter((one) => !gone.includes(one)),
      sandboxes: this.facts.sandboxes?.filter((one) => !sandboxes.includes(one)),
    });
    const unused = new Set(this.images.filter(({ inUse }) => !inUse).map(({ image }) => image));
    for (const { image } of used) if (unused.has(image)) this.#freedAt.set(image, now - 1);
    this.#images = undefined;
  }

  #change(change: Partial<NodeFacts>): void {
    this.facts = { ...this.facts, ...change };
    this.#images = undefined;
  }
}

/** How often the eviction manager checks its thresholds, in milliseconds (EV-2). */
const evictionPeriod = 10_000;

/** What the eviction manager does on a node because a threshold is met. Epoch milliseconds. */
interface NodeEviction {
  /** As in `imagefs.available<15%`. */
  readonly name: string;
  readonly reclaims: readonly Reclaim[];
  /** The earliest moment: the threshold may already have been met for its grace period. */
  readonly from: number;
  /** The latest moment at which the threshold has been met for its grace period. */
  readonly at: number;
}

/** The thresholds that are met and make the eviction manager free disk. */
function evictionsOf(facts: NodeFacts, kind: 'hard' | 'soft', now: number): NodeEviction[] {
  const { settings, observations, layout } = facts;
  if (layout === undefined) return [];
  const written = kind === 'hard' ? settings.evictionHard : settings.evictionSoft;
  return parseThresholds(written, kind)
    .thresholds.filter((threshold) => !threshold.signal.startsWith('containerfs.'))
    .filter((threshold) => isThresholdMet(threshold, observations) === true)
    .flatMap((threshold) => {
      const reclaims = reclaimsFor(threshold.signal, layout);
      const grace = kind === 'soft' ? (graceOf(threshold.signal, settings) ?? 0) : 0;
      const name = `${threshold.signal}<${threshold.written}`;
      return reclaims.length === 0 ? [] : [{ name, reclaims, from: now, at: now + grace }];
    });
}
