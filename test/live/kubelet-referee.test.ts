import { expect, test } from 'vitest';
import {
  collectContainers,
  collectSandboxes,
  type PodStates,
  type RuntimeContainer,
} from '../../src/kubelet/containers/container-gc.ts';
import { diskOf } from '../../src/kubelet/images/disk-usage.ts';
import { imageForecast } from '../../src/kubelet/images/image-forecast.ts';
import { imageGcRuns } from '../../src/kubelet/images/image-policy.ts';
import {
  candidatesOf,
  collectImages,
  deleteUnusedImages,
  detectImages,
  type ImageRecord,
} from '../kubelet/images/image-pass.ts';
import {
  type ContainerCase,
  generateContainerCase,
  generateImageCase,
  type ImageCase,
} from '../kubelet-referee/generate-cases.ts';
import {
  type ContainerOutcome,
  type ImageOutcome,
  type Outcomes,
  playThroughKubelet,
} from '../kubelet-referee/referee.ts';
import { freshSeed } from '../support/fresh-seed.ts';

/** Another one each time; REFEREE_SEED asks old questions again. */
const seed = Number(process.env.REFEREE_SEED ?? freshSeed);
const count = 400;
const numbers = Array.from({ length: count }, (_, n) => seed + n);
const images = numbers.map(generateImageCase);
const containers = numbers.map(generateContainerCase);
let played: Promise<Outcomes> | undefined;

/** Plays all cases once; the first build of the kubelet's code takes minutes. */
function outcomes(): Promise<Outcomes> {
  played ??= playThroughKubelet({ images, containers });
  return played;
}
const timeout = 1_200_000;

test(`images go as the kubelet's own code removes them, seed ${seed}`, { timeout }, async () => {
  const { images: ends } = await outcomes();
  const tally = { passes: 0, exact: 0, removed: 0, failed: 0 };
  for (const [n, one] of images.entries()) {
    expectSameImages(one, ends[n] ?? [], seed + n, tally);
  }
  expect(tally.passes).toBe(images.flatMap(({ steps }) => steps).length);
  // The comparison must not have been idle.
  expect(tally.exact).toBeGreaterThan(count);
  expect(tally.removed).toBeGreaterThan(count);
  expect(tally.failed).toBeGreaterThan(count / 10);
});

interface Tally {
  passes: number;
  exact: number;
  removed: number;
  failed: number;
}

function expectSameImages(
  { high, low, minAgeMs, maxAgeMs, startedMs, steps }: ImageCase,
  ends: readonly ImageOutcome[],
  number: number,
  tally: Tally,
): void {
  const policy = {
    highThresholdPercent: high,
    lowThresholdPercent: low,
    minAge: minAgeMs,
    maxAge: maxAgeMs,
  };
  let records: ReadonlyMap<string, ImageRecord> = new Map();
  steps.forEach((step, index) => {
    const end = ends[index] ?? { removed: [], failed: false, events: ['nothing was played'] };
    const now = step.atMs;
    const runtime = {
      images: step.images,
      containers: step.containers.map(({ image, mounts }) => ({
        imageId: image,
        mountedImages: mounts,
      })),
    };
    const input = {
      records,
      runtime,
      policy,
      now,
      remove: ({ id }: ImageRecord) => (step.failing.includes(id) ? 'refused' : undefined),
    };
    const disk = diskOf(step.capacity, step.available);
    const ours = step.deleteAll
      ? deleteUnusedImages(input)
      : collectImages({ ...input, started: startedMs, disk: () => disk });
    const found = detectImages(records, runtime, { detected: now, now });
    const candidates = candidatesOf(found);
    const gone = new Set(end.removed);
    records = new Map([...found.records].filter(([id]) => !gone.has(id)));
    const where = `seed ${number}, pass ${index}`;
    tally.passes += 1;
    tally.removed += end.removed.length;
    if (end.failed) tally.failed += 1;
    if (!ties(candidates)) {
      tally.exact += 1;
      expect([where, outcomeOf(ours)], where).toEqual([where, end]);
    } else {
      expect([where, ours.removed.length === 0], where).toEqual([where, end.removed.length === 0]);
    }
    if (!step.deleteAll && step.failing.length === 0 && disk && imageGcRuns(policy)) {
      const seen = step.images.map(({ id, size, pinned }) => ({
        id,
        size,
        pinned,
        doubtful: false,
        inUse: found.inUse.has(id),
        lastUsed: found.records.get(id)?.lastUsed ?? ('never' as const),
        firstDetected: found.records.get(id)?.firstDetected,
      }));
      const known = { policy, now, started: startedMs };
      // The disk of a case does not notice what went for its age; the outlook counts it as freed.
      if (maxAgeMs === 0 || now - startedMs <= maxAgeMs) {
        expectWithin(imageForecast({ images: seen, disk, ...known }), end, where);
        // Only where the clock stands still can a moment of use be this very one.
        if (seen.some(({ inUse, lastUsed }) => !inUse && lastUsed === now)) return;
        const blind = seen.map((image) => ({ ...image, lastUsed: undefined }));
        expectWithin(imageForecast({ images: blind, disk, ...known }), end, where);
      }
    }
  });
}

function outcomeOf({ removed, error, events }: ReturnType<typeof collectImages>): ImageOutcome {
  return {
    removed: removed.map(({ id }) => id),
    failed: error !== undefined,
    events: events.map(({ reason, message }) => `Warning ${reason} ${message}`),
  };
}

/** Is the order of some candidates left to chance? */
function ties(candidates: readonly ImageRecord[]): boolean {
  const keys = candidates.map(({ lastUsed, firstDetected }) => `${lastUsed} ${firstDetected}`);
  return new Set(keys).size < keys.length;
}

function expectWithin(
  outlook: ReturnType<
    typeof imageForecast<Parameters<typeof imageForecast>[0]['images'][number] & { id: string }>
  >,
  { removed }: ImageOutcome,
  where: string,
): void {
  const fates = new Map(outlook.images.map(({ image, fate }) => [image.id, fate]));
  const sizes = new Map(outlook.images.map(({ image }) => [image.id, image.size]));
  const certain = [...fates].filter(([, fate]) => fate === 'removed').map(([id]) => id);
  const freed = removed.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  const { removedImages, freedBytes, shortfall, wanted } = outlook;
  expect({
    where,
    missed: certain.filter((id) => !removed.includes(id)),
    surprising: removed.filter((id) => fates.get(id) === 'kept'),
    fewer: removed.length < removedImages.least,
    more: removed.length > removedImages.most,
    less: freed < freedBytes.least,
    larger: freed > freedBytes.most,
    short: wanted !== undefined && wanted - freed > shortfall.most,
  }).toEqual({
    where,
    missed: [],
    surprising: [],
    fewer: false,
    more: false,
    less: false,
    larger: false,
    short: false,
  });
}

test(`containers go as the kubelet's own code removes them, seed ${seed}`, {
  timeout,
}, async () => {
  const { containers: ends } = await outcomes();
  let removed = 0;
  containers.forEach((one, n) => {
    const where = `seed ${seed + n}`;
    const end = ends[n];
    expect([where, ourContainers(one)], where).toEqual([where, end && sorted(end)]);
    removed += end?.containers.length ?? 0;
  });
  expect(removed).toBeGreaterThan(count);
});

/** Units come in no order upstream, so what went is compared, not when. */
function sorted(outcome: ContainerOutcome): ContainerOutcome {
  const { containers: ids, sandboxes } = outcome;
  return {
    containers: ids.toSorted(),
    sandboxes: sandboxes.toSorted(),
  };
}

function ourContainers(given: ContainerCase): ContainerOutcome {
  const pods: PodStates = {
    contentRemoved: (uid) => given.contentRemoved.includes(uid),
    runtimeRemoved: (uid) => given.runtimeRemoved.includes(uid),
  };
  const all: RuntimeContainer[] = given.containers.map(({ createdMs, ...container }) => ({
    ...container,
    createdAt: createdMs,
  }));
  const { sourcesReady, deleteAll } = given;
  const removed = collectContainers({
    containers: all,
    pods,
    policy: {
      minAge: given.minAgeMs,
      maxPerPodContainer: given.maxPerPodContainer,
      maxContainers: given.maxContainers,
    },
    sourcesReady,
    deleteAll,
    now: given.nowMs,
    stop: ({ id }) => !given.notStopping.includes(id),
  });
  const gone = new Set(removed.map(({ container }) => container.id));
  const left = all.filter(({ id }) => !gone.has(id));
  const sandboxes = given.sandboxes.map(({ createdMs, ...sandbox }) => ({
    ...sandbox,
    createdAt: createdMs,
  }));
  return sorted({
    containers: [...gone],
    sandboxes: collectSandboxes({ sandboxes, containers: left, pods, deleteAll }).map(
      ({ id }) => id,
    ),
  });
}
