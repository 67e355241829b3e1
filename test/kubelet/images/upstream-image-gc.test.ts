import { describe, expect, test } from 'vitest';
import {
  type CollectImagesInput,
  candidatesOf,
  collectImages,
  deleteUnusedImages,
  detectImages,
  freeSpace,
  type ImageRecords,
  type ImageUser,
  type RuntimeImage,
} from './image-pass.ts';

/** The cases of upstream's image_gc_manager_test.go, restated under their names. */
const now = 1_000_000;
const none: ImageRecords = new Map();
const policy = { highThresholdPercent: 90, lowThresholdPercent: 80, minAge: 0, maxAge: 0 };

const image = (n: number, size = 1024, more: Partial<RuntimeImage> = {}): RuntimeImage => ({
  id: `image-${n}`,
  size,
  ...more,
});
const uses = (n: number, runtimeHandler?: string): ImageUser => ({
  imageId: `image-${n}`,
  runtimeHandler,
});

interface Seen {
  readonly firstDetected: number;
  readonly lastUsed: number | undefined;
}

function memory(records: ImageRecords): Record<string, Seen> {
  return Object.fromEntries(
    [...records].map(([key, { firstDetected, lastUsed }]) => [key, { firstDetected, lastUsed }]),
  );
}

/** Detects at `now`, then frees `bytes` of what may go. */
function free(
  bytes: number,
  images: readonly RuntimeImage[],
  containers: readonly ImageUser[] = [],
  { records = none, minAge = 0, at = now } = {},
) {
  const found = detectImages(records, { images, containers }, { detected: at, now: at });
  const { removed, freed } = freeSpace(
    candidatesOf(found),
    bytes,
    { now: at, minAge },
    () => undefined,
  );
  return {
    freed,
    left: images.length - removed.length,
    gone: removed.map(({ id }) => id),
    records: found.records,
  };
}

describe('detecting images', () => {
  test('TestDetectImagesInitialDetect', () => {
    const runtime = {
      images: [image(0), image(1, 2048), image(2, 2048)],
      containers: [uses(1), uses(2)],
    };
    const { records } = detectImages(none, runtime, { detected: 0, now });
    expect(memory(records)).toEqual({
      'image-0': { firstDetected: 0, lastUsed: undefined },
      'image-1': { firstDetected: 0, lastUsed: now },
      'image-2': { firstDetected: 0, lastUsed: now },
    });
  });

  test('TestDetectImagesInitialDetectWithRuntimeHandlerInImageCriAPIFeatureGate', () => {
    const runtimeHandler = 'test-runtimeHandler';
    const runtime = {
      images: [image(0, 1024, { runtimeHandler }), image(1, 2048, { runtimeHandler }), image(2)],
      containers: [uses(1, runtimeHandler), uses(2)],
    };
    const { records } = detectImages(none, runtime, { detected: 0, now }, true);
    expect(memory(records)).toEqual({
      'image-0,test-runtimeHandler': { firstDetected: 0, lastUsed: undefined },
      'image-1,test-runtimeHandler': { firstDetected: 0, lastUsed: now },
      'image-2': { firstDetected: 0, lastUsed: now },
    });
  });

  test('TestDetectImagesWithNewImage', () => {
    const before = { images: [image(0), image(1, 2048)], containers: [uses(1)] };
    const first = detectImages(none, before, { detected: 0, now });
    const after = { ...before, images: [image(0), image(1), image(2)] };
    const { records } = detectImages(first.records, after, { detected: 1000, now: now + 1 });
    expect(memory(records)).toEqual({
      'image-0': { firstDetected: 0, lastUsed: undefined },
      'image-1': { firstDetected: 0, lastUsed: now + 1 },
      'image-2': { firstDetected: 1000, lastUsed: undefined },
    });
  });

  test('TestDetectImagesContainerStopped', () => {
    const images = [image(0), image(1, 2048)];
    const first = detectImages(none, { images, containers: [uses(1)] }, { detected: 0, now });
    const idle = { images, containers: [] };
    const { records } = detectImages(first.records, idle, { detected: 5, now: now + 5 });
    expect(memory(records)).toEqual({
      'image-0': { firstDetected: 0, lastUsed: undefined },
      'image-1': { firstDetected: 0, lastUsed: now },
    });
  });

  test('TestDetectImagesWithRemovedImages', () => {
    const runtime = { images: [image(0), image(1)], containers: [uses(1)] };
    const first = detectImages(none, runtime, { detected: 0, now });
    const empty = { images: [], containers: [] };
    expect(detectImages(first.records, empty, { detected: 1, now }).records.size).toBe(0);
  });
});

function deleteAll(
  images: readonly RuntimeImage[],
  containers: readonly ImageUser[] = [],
  more: { readonly minAge?: number; readonly at?: number; readonly records?: ImageRecords } = {},
) {
  const { minAge = 0, at = now, records = none } = more;
  const runtime = { images, containers };
  return deleteUnusedImages({ records, runtime, policy: { ...policy, minAge }, now: at });
}

describe('deleting unused images', () => {
  test('TestDeleteUnusedImagesExemptSandboxImage', () => {
    const pass = deleteAll([image(0, 1024, { pinned: true })]);
    expect(pass.removed).toEqual([]);
    expect([...pass.records.keys()]).toEqual(['image-0']);
  });

  test('TestDeletePinnedImage', () => {
    const twice = [image(0, 1024, { pinned: true }), image(0)];
    expect(deleteAll(twice).removed.map(({ id }) => id)).toEqual(['image-0']);
  });

  const three = [image(0), image(1, 2048), image(2, 2048)];
  // A container whose image is 2 and which mounts 1.
  const users = [{ ...uses(2), mountedImages: ['image-1'] }];

  test('TestDeleteUnusedImagesRemoveAllUnusedImages', () => {
    const pass = deleteAll(three, [uses(2)]);
    expect(pass.removed.map(({ id }) => id)).toEqual(['image-0', 'image-1']);
    expect([...pass.records.keys()]).toEqual(['image-2']);
  });

  test('an image that is mounted as a volume is in use', () => {
    expect(deleteAll(three, users).removed.map(({ id }) => id)).toEqual(['image-0']);
  });

  test('TestDeleteUnusedImagesLimitByImageLiveTime', () => {
    const minAge = 3000;
    const early = deleteAll(three, [uses(2)], { minAge });
    expect([early.removed, early.records.size]).toEqual([[], 3]);
    const late = deleteAll(three, [uses(2)], { minAge, at: now + 3000, records: early.records });
    expect([...late.records.keys()]).toEqual(['image-2']);
  });
});

describe('freeing space', () => {
  test('TestDoNotDeletePinnedImage', () => {
    const { freed, left } = free(4096, [image(1, 1024, { pinned: true }), image(2)]);
    expect({ freed, left }).toEqual({ freed: 1024, left: 1 });
  });

  test('TestDeleteUnPinnedImage', () => {
    expect(free(2048, [image(1), image(2)])).toMatchObject({ freed: 2048, left: 0 });
  });

  test('TestAllPinnedImages', () => {
    const pinned = [image(1, 1024, { pinned: true }), image(2, 1024, { pinned: true })];
    expect(free(2048, pinned)).toMatchObject({ freed: 0, left: 2 });
  });

  test('TestFreeSpaceImagesInUseContainersAreIgnored', () => {
    expect(free(2048, [image(0), image(1, 2048)], [uses(1)])).toMatchObject({
      freed: 1024,
      left: 1,
    });
  });

  test('TestFreeSpaceRemoveByLeastRecentlyUsed', () => {
    const images = [image(0), image(1, 2048)];
    const first = detectImages(
      none,
      { images, containers: [uses(0), uses(1)] },
      { detected: 0, now },
    );
    const later = { images, containers: [uses(1)] };
    const second = detectImages(first.records, later, { detected: 0, now: now + 1 });
    expect(free(1024, images, [], { records: second.records, at: now + 2 })).toMatchObject({
      freed: 1024,
      gone: ['image-0'],
    });
  });

  test('TestFreeSpaceTiesBrokenByDetectedTime', () => {
    const first = detectImages(
      none,
      { images: [image(0)], containers: [uses(0)] },
      { detected: 0, now },
    );
    const images = [image(0), image(1, 2048)];
    expect(free(1024, images, [], { records: first.records, at: now + 2 })).toMatchObject({
      freed: 2048,
      gone: ['image-1'],
    });
  });
});

const GiB = 2 ** 30;
const MiB = 2 ** 20;

function collect(input: Partial<CollectImagesInput> & Pick<CollectImagesInput, 'runtime'>) {
  const disk = { capacity: 1000, available: 600 };
  return collectImages({ records: none, policy, now, started: 0, disk: () => disk, ...input });
}

describe('garbage collection', () => {
  const idle = (...images: readonly RuntimeImage[]) => ({ images, containers: [] });

  test('TestGarbageCollectBelowLowThreshold', () => {
    const { removed, error, events } = collect({ runtime: idle(image(0)) });
    expect({ removed, error, events }).toEqual({ removed: [], error: undefined, events: [] });
  });

  test('TestGarbageCollectCadvisorFailure', () => {
    const disk = () => ({ error: 'error' });
    const { removed, error, events } = collect({ runtime: idle(image(0)), disk });
    expect({ removed, error, events }).toEqual({ removed: [], error: 'error', events: [] });
  });

  test('a disk without a capacity is an error and an event', () => {
    expect(collect({ runtime: idle(image(0)), disk: () => undefined })).toMatchObject({
      removed: [],
      error: 'invalid capacity 0 on image filesystem',
      events: [{ reason: 'InvalidDiskCapacity' }],
    });
  });

  test('TestGarbageCollectBelowSuccess', () => {
    const disk = () => ({ capacity: 1000, available: 50 });
    expect(collect({ runtime: idle(image(0, 450)), disk })).toMatchObject({
      wanted: 150,
      freed: 450,
      error: undefined,
      events: [],
    });
  });

  test('TestGarbageCollectNotEnoughFreed', () => {
    const disk = () => ({ capacity: 10 * GiB, available: 0.05 * 10 * GiB });
    const message =
      "Insufficient free disk space on the node's image filesystem (95% of 10.0 GiB used). Failed to free sufficient space by deleting unused images (freed 524288000 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.";
    expect(collect({ runtime: idle(image(0, 500 * MiB)), disk })).toMatchObject({
      wanted: 1.5 * GiB,
      freed: 500 * MiB,
      error: message,
      events: [{ reason: 'FreeDiskSpaceFailed', message }],
    });
  });

  test('TestGarbageCollectImageNotOldEnough', () => {
    const images = [image(0), image(1, 2048)];
    const minAge = 60_000;
    const early = free(1024, images, [uses(1)], { minAge });
    expect(early).toMatchObject({ freed: 0, left: 2 });
    const late = { minAge, records: early.records, at: now + minAge };
    expect(free(1024, images, [uses(1)], late)).toMatchObject({ freed: 1024, left: 1 });
  });

  test('TestGarbageCollectImageTooOld', () => {
    const images = [image(0), image(1, 2048)];
    const maxAge = 60_000;
    const first = detectImages(none, { images, containers: [uses(0)] }, { detected: now, now });
    const input = {
      runtime: { images, containers: [uses(1)] },
      policy: { ...policy, maxAge },
      records: first.records,
      started: now,
    };
    expect(collect(input).removed).toEqual([]);
    const later = collect({ ...input, now: now + maxAge + 1e-6 });
    expect(later.removed).toMatchObject([{ id: 'image-0', reason: 'age' }]);
  });

  test('TestGarbageCollectImageMaxAgeDisabled', () => {
    const far = now + 1e12;
    expect(collect({ runtime: idle(image(0)), now: far }).removed).toEqual([]);
  });
});
