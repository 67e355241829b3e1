import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultKubeletSettings } from '../../src/kubelet/configuration/kubelet-settings.ts';
import { kubeletTimeline, stepKey } from '../../src/kubelet/kubelet-timeline.ts';
import type { NodeFacts } from '../../src/kubelet/node-facts.ts';
import { nodeImages } from '../../src/questions/nodes/images.ts';
import { container, image, minute, nodeFacts, now } from './node-facts-for-tests.ts';

const day = 24 * 60 * minute;

/** Seconds from now, who goes, and whether that is certain. */
function told(facts: NodeFacts) {
  return kubeletTimeline(facts, { now, until: now + day }).map((step) => [
    stepKey(step).split(' ').slice(0, 2).join(' '),
    (step.notBefore - now) / 1000,
    (step.notAfter - now) / 1000,
    step.certain,
    step.eviction ?? step.reason,
  ]);
}

const images = (more: Partial<typeof defaultKubeletSettings.images>) => ({
  images: { ...defaultKubeletSettings.images, ...more },
});

const unread = { lastUsed: undefined };
test.each<[string, NodeFacts, unknown[]]>([
  [
    'deletes least recently used images first',
    nodeFacts({
      images: [
        image('young', 90, { lastUsed: now - 1 }),
        image('old', 60),
        image('older', 50, { lastUsed: 'never' }),
      ],
    }),
    [
      ['image older', 0, 300, true, 'space'],
      ['image old', 0, 300, true, 'space'],
    ],
  ],
  [
    'deletes dead containers first',
    nodeFacts(
      { images: [image('a', 500)], containers: [container('c', 'a')] },
      { containers: { minAge: 1_030_000, maxPerPodContainer: 1, maxContainers: -1 } },
    ),
    [
      ['container c', 30, 90, true, 'deleted-pod'],
      ['image a', 30, 390, true, 'space'],
    ],
  ],
  [
    'waits for the minimum age',
    nodeFacts({ images: [image('a', 500, { firstDetected: now - 90_000 })] }),
    [['image a', 30, 330, true, 'space']],
  ],
  [
    'leaves unread images uncertain',
    nodeFacts({ images: [image('a', 100, unread), image('b', 100, unread)] }),
    [
      ['image a', 0, 300, false, 'space'],
      ['image b', 0, 300, false, 'space'],
    ],
  ],
])('%s', (_, facts, steps) => {
  expect(told(facts)).toEqual(steps);
});

test('a maximum age counts from the last use, and from the start of the kubelet', () => {
  const free = { imageFs: { capacityBytes: 1000, availableBytes: 900 } };
  const facts = nodeFacts({ ...free, images: [image('a', 500)] }, images({ maxAge: 1_060_000 }));
  expect(told(facts)).toEqual([['image a', 60.001, 360.001, true, 'age']]);
  const kubeletStarted = now - 460_000;
  expect(told({ ...facts, kubeletStarted })).toEqual([['image a', 600.001, 900.001, true, 'age']]);
});

test('below a hard threshold every unused image is deleted immediately, dead containers first', () => {
  const facts = nodeFacts(
    { images: [image('a', 1), image('b', 1)], containers: [container('c', 'a')] },
    { evictionHard: { 'imagefs.available': '15%' } },
  );
  const because = 'imagefs.available<15%';
  expect(told(facts)).toEqual([
    ['container c', 0, 10, true, because],
    ['image a', 0, 10, true, because],
    ['image b', 0, 10, true, because],
  ]);
});

test('below a soft threshold the same happens when its grace period is over, if it is still met', () => {
  const soft = {
    evictionSoft: { 'imagefs.available': '30%' },
    evictionSoftGracePeriod: { 'imagefs.available': '2m' },
  };
  const facts = nodeFacts({ images: [image('a', 1), image('b', 1, { firstDetected: now })] }, soft);
  expect(told(facts)).toEqual([
    ['image a', 0, 300, true, 'space'],
    ['image b', 120, 130, true, 'imagefs.available<30%'],
  ]);
  // An image pass frees enough before.
  const freed = nodeFacts(
    { images: [image('a', 250), image('b', 1, { firstDetected: now })] },
    soft,
  );
  expect(told(freed)).toEqual([['image a', 0, 300, true, 'space']]);
});

test('passes fail where the kubelet measures no capacity, after images went for their age', () => {
  const imageFs = { capacityBytes: 0, availableBytes: 0 };
  const facts = nodeFacts({
    imageFs,
    images: [image('a', 1), image('b', 1, { lastUsed: 'never' })],
  });
  expect(told(facts)).toEqual([]);
  const aged = { ...facts, settings: { ...facts.settings, ...images({ maxAge: 150_000 }) } };
  expect(told(aged).map(([key]) => key)).toEqual(['image b', 'image a']);
  expect(nodeImages(facts).pass).toMatchObject({
    triggered: 'no',
    because: 'the pass fails: invalid capacity 0 on image filesystem',
    removedImages: { least: 0, most: 0 },
  });
});

const anyFacts = fc
  .record({
    sizes: fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 6 }),
    used: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }),
    ages: fc.array(fc.integer({ min: 0, max: 3_000_000 }), { minLength: 6, maxLength: 6 }),
    available: fc.integer({ min: 0, max: 1000 }),
    maxAge: fc.constantFrom(0, 1_000_000),
    minAge: fc.integer({ min: 0, max: 2_000_000 }),
  })
  .map(({ sizes, used, ages, available, maxAge, minAge }) =>
    nodeFacts(
      {
        images: sizes.map((size, at) =>
          image(`i${at}`, size, {
            pinned: at === 5,
            firstDetected: now - (ages[at] ?? 0) - 5,
            lastUsed: now - (ages[at] ?? 0) - 1,
          }),
        ),
        containers: used.map((of, at) =>
          container(`c${at}`, `i${of}`, {
            createdAt: now - (ages[at] ?? 0),
            podUid: `p${at % 2}`,
            state: at === 0 ? 'running' : 'exited',
          }),
        ),
        imageFs: { capacityBytes: 1000, availableBytes: available },
      },
      { ...images({ maxAge }), containers: { minAge, maxPerPodContainer: 1, maxContainers: -1 } },
    ),
  );

test('each image and container is removed once, in order of time, and never one that runs, is pinned or is used', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const steps = kubeletTimeline(facts, { now, until: now + day });
      const keys = steps.map(stepKey);
      expect(new Set(keys).size).toBe(keys.length);
      const times = steps.map(({ notBefore }) => notBefore);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      const running = facts.containers?.filter(({ state }) => state === 'running') ?? [];
      for (const step of steps) {
        expect(step.notBefore).toBeLessThanOrEqual(step.notAfter);
        if (step.kind === 'container') expect(step.container.state).toBe('exited');
        if (step.kind !== 'image') continue;
        expect(step.image.image.pinned).toBe(false);
        expect(running.flatMap(({ imageRefs }) => imageRefs)).not.toContain(step.image.image.id);
      }
    }),
  );
});

test('when all that is certain has gone, the rest stays', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const steps = kubeletTimeline(facts, { now, until: now + day });
      const gone = new Set(steps.map(stepKey));
      const freed = steps.reduce(
        (sum, step) => sum + (step.kind === 'image' ? step.image.size : 0),
        facts.imageFs?.availableBytes ?? 0,
      );
      const later = now + day;
      const left = {
        ...facts,
        images: facts.images?.filter(({ id, size }) => !gone.has(`image ${id} ${size}`)),
        containers: facts.containers?.filter(({ id }) => !gone.has(`container ${id}`)),
        imageFs: { capacityBytes: 1000, availableBytes: Math.min(1000, freed) },
      };
      expect(kubeletTimeline(left, { now: later, until: later + day }).map(stepKey)).toEqual([]);
    }),
  );
});
