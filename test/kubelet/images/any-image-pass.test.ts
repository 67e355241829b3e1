import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Disk } from '../../../src/kubelet/images/disk-usage.ts';
import { imageForecast } from '../../../src/kubelet/images/image-forecast.ts';
import { type CollectImagesInput, collectImages, type ImageRecord } from './image-pass.ts';

const now = 1_000_000;
const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const anyDisk = fc
  .record({
    capacity: fc.integer({ min: 1, max: 2 ** 45 }),
    share: fc.integer({ min: 0, max: 100 }),
  })
  .map(
    ({ capacity, share }): Disk => ({
      capacity,
      available: Math.floor((capacity / 100) * share),
    }),
  );

const anyRecord = (id: string) =>
  fc.record({
    id: fc.constant(id),
    firstDetected: fc.integer({ min: 0, max: now }),
    lastUsed: fc.option(fc.integer({ min: 0, max: now - 1 }), { nil: undefined }),
    size: fc.integer({ min: 0, max: 2 ** 42 }),
    pinned: fc.boolean(),
  });

interface AnyPass {
  readonly images: readonly ImageRecord[];
  readonly used: readonly string[];
  readonly disk: Disk;
  readonly policy: CollectImagesInput['policy'];
}

const anyPass: fc.Arbitrary<AnyPass> = fc.record({
  images: fc
    .subarray(ids)
    .chain((present) => fc.tuple(...present.map(anyRecord)))
    .map((images): readonly ImageRecord[] => images),
  used: fc.subarray(ids),
  disk: anyDisk,
  policy: fc
    .tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }))
    .chain(([a, b]) =>
      fc.record({
        highThresholdPercent: fc.constant(Math.max(a, b)),
        lowThresholdPercent: fc.constant(Math.min(a, b)),
        minAge: fc.integer({ min: 0, max: now }),
        maxAge: fc.constant(0),
      }),
    ),
});

function play({ images, used, disk, policy }: AnyPass) {
  return collectImages({
    records: new Map(images.map((image) => [image.id, image])),
    runtime: { images, containers: used.map((imageId) => ({ imageId })) },
    policy,
    now,
    started: 0,
    disk: () => disk,
  });
}

const sizeOf = (images: readonly { readonly size: number }[]) =>
  images.reduce((sum, { size }) => sum + size, 0);

const known = (given: AnyPass, blind: (image: ImageRecord) => boolean) =>
  imageForecast({
    images: given.images.map((image) => ({
      ...image,
      inUse: given.used.includes(image.id),
      doubtful: false,
      lastUsed: blind(image) ? undefined : (image.lastUsed ?? 'never'),
    })),
    policy: given.policy,
    disk: given.disk,
    now,
    started: 0,
  });

test('the outlook is exact where all is known, and contains every end where it is not', () => {
  fc.assert(
    fc.property(anyPass, fc.subarray(ids), (given, hidden) => {
      const pass = play(given);
      const removed = pass.removed.map(({ id }) => id);
      const outlook = known(given, ({ id }) => hidden.includes(id));
      const fateOf = (wanted: string) =>
        outlook.images.filter(({ fate }) => fate === wanted).map(({ image }) => image.id);
      expect(fateOf('removed').filter((id) => !removed.includes(id))).toEqual([]);
      expect(fateOf('kept').filter((id) => removed.includes(id))).toEqual([]);
      const within = ({ least, most }: { least: number; most: number }, value: number) =>
        least <= value && value <= most;
      expect(within(outlook.removedImages, removed.length)).toBe(true);
      expect(within(outlook.freedBytes, sizeOf(pass.removed))).toBe(true);
      const short = Math.max(0, (pass.wanted ?? 0) - pass.freed);
      expect(within(outlook.shortfall, short)).toBe(true);
      const keys = given.images.map(
        ({ lastUsed, firstDetected }) => `${lastUsed} ${firstDetected}`,
      );
      if (hidden.length === 0 && new Set(keys).size === keys.length) {
        expect(fateOf('removed')).toEqual(removed);
        expect(fateOf('may-be-removed')).toEqual([]);
      }
    }),
    { numRuns: 1000 },
  );
});
