import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  containerForecast,
  podStates,
} from '../../../src/kubelet/containers/container-forecast.ts';
import {
  type ContainerPassInput,
  collectContainers,
  collectSandboxes,
  type RuntimeContainer,
  unitKey,
} from '../../../src/kubelet/containers/container-gc.ts';

const now = 1000;
const uids = ['p1', 'p2', 'p3'];

const anyContainers = fc
  .array(
    fc.record({
      name: fc.constantFrom('app', 'proxy'),
      podUid: fc.constantFrom(...uids),
      sandboxId: fc.constantFrom('s1', 's2', 's3'),
      state: fc.constantFrom('exited' as const, 'running' as const, 'unknown' as const),
    }),
    { maxLength: 14 },
  )
  .map((list): RuntimeContainer[] =>
    list.map((container, n) => ({ ...container, id: `c${n}`, createdAt: (n * 37) % 997 })),
  );

const anyPolicy = fc.record({
  minAge: fc.constantFrom(0, 300),
  maxPerPodContainer: fc.integer({ min: -1, max: 3 }),
  maxContainers: fc.integer({ min: -1, max: 6 }),
});

const anyPass: fc.Arbitrary<ContainerPassInput> = fc
  .record({
    containers: anyContainers,
    policy: anyPolicy,
    gone: fc.subarray(uids),
    sourcesReady: fc.boolean(),
    deleteAll: fc.boolean(),
  })
  .map(({ gone, ...rest }) => ({
    ...rest,
    now,
    pods: {
      contentRemoved: (uid: string) => gone.includes(uid),
      runtimeRemoved: (uid: string) => gone.includes(uid),
    },
  }));

const left = (input: ContainerPassInput) => {
  const gone = new Set(collectContainers(input).map(({ container }) => container.id));
  return input.containers.filter(({ id }) => !gone.has(id));
};

test('no running or young container is removed, and no container twice', () => {
  fc.assert(
    fc.property(anyPass, (input) => {
      const removed = collectContainers(input).map(({ container }) => container);
      expect(removed.filter(({ state }) => state === 'running')).toEqual([]);
      expect(removed.filter(({ createdAt }) => now - createdAt < input.policy.minAge)).toEqual([]);
      expect(new Set(removed).size).toBe(removed.length);
    }),
  );
});

test('the limits hold afterwards, for each name of a pod and in total, and the newest stay', () => {
  fc.assert(
    fc.property(anyPass, (input) => {
      const { maxPerPodContainer: each, maxContainers: all, minAge } = input.policy;
      const dead = ({ state, createdAt }: RuntimeContainer) =>
        state !== 'running' && now - createdAt >= minAge;
      const kept = left(input).filter(dead);
      const units = Map.groupBy(input.containers.filter(dead), unitKey);
      for (const [key, unit] of units) {
        const stays = unit.filter((container) => kept.includes(container));
        if (each >= 0) expect(stays.length).toBeLessThanOrEqual(each);
        const newest = unit.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, stays.length);
        expect([key, new Set(stays)]).toEqual([key, new Set(newest)]);
      }
      if (all >= 0) expect(kept.length).toBeLessThanOrEqual(all);
    }),
  );
});

test('a second pass finds nothing to do', () => {
  fc.assert(
    fc.property(anyPass, (input) => {
      expect(collectContainers({ ...input, containers: left(input) })).toEqual([]);
    }),
  );
});

test('no ready or occupied sandbox is removed, and the newest of an existing Pod stays', () => {
  const anySandboxes = fc
    .array(fc.record({ podUid: fc.constantFrom(...uids), ready: fc.boolean() }), { maxLength: 8 })
    .map((list) => list.map((one, n) => ({ ...one, id: `s${n}`, createdAt: (n * 37) % 997 })));
  fc.assert(
    fc.property(anySandboxes, anyPass, (sandboxes, { containers, pods }) => {
      const removed = collectSandboxes({ sandboxes, containers, pods, deleteAll: false });
      const occupied = new Set(containers.map(({ sandboxId }) => sandboxId));
      expect(removed.filter(({ ready, id }) => ready || occupied.has(id))).toEqual([]);
      for (const [uid, own] of Map.groupBy(sandboxes, ({ podUid }) => podUid)) {
        const newest = own.toSorted((a, b) => b.createdAt - a.createdAt)[0];
        if (!pods.contentRemoved(uid) && newest) expect(removed).not.toContain(newest);
      }
    }),
  );
});

test('for any state of unknown Pods, the removals are between the certain and the possible ones', () => {
  const anyStates = fc.record({
    p1: fc.constantFrom('exists' as const, 'content-removed' as const, 'unknown' as const),
    p2: fc.constantFrom('exists' as const, 'terminated' as const, 'unknown' as const),
    p3: fc.constant('unknown' as const),
  });
  fc.assert(
    fc.property(anyPass, anyStates, fc.subarray(uids), (input, states, gone) => {
      const stateOf = (uid: string) => states[uid as keyof typeof states];
      const outlook = containerForecast({
        ...input,
        sandboxes: [],
        stateOf,
      });
      const truth = podStates((uid) => {
        const state = stateOf(uid);
        return state !== 'unknown' ? state : gone.includes(uid) ? 'content-removed' : 'exists';
      }, 'exist');
      const removed = new Set(
        collectContainers({ ...input, sourcesReady: true, pods: truth }).map(
          ({ container }) => container.id,
        ),
      );
      const fates = (wanted: string) =>
        outlook.containers
          .filter(({ fate }) => fate === wanted)
          .map(({ container }) => container.id);
      expect(fates('removed').filter((id) => !removed.has(id))).toEqual([]);
      expect(fates('kept').filter((id) => removed.has(id))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
