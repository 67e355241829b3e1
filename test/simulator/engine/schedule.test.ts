import { describe, expect, test } from 'vitest';
import {
  canonicalSchedule,
  randomFrom,
  type Schedule,
  seededSchedule,
} from '../../../src/simulator/engine/schedule.ts';
import { configMap, deployment, pod } from '../../support/builders.ts';

const seeds = Array.from({ length: 100 }, (_, seed) => seed);
const schedules = seeds.map((seed) => seededSchedule(seed));

function many<T>(take: () => T, count = 60): T[] {
  return Array.from({ length: count }, take);
}

test('the canonical schedule takes a millisecond for each request and event, and keeps every order', () => {
  const list = [3, 1, 2];
  const records = [pod('b'), configMap('a')];
  const {
    canonical,
    request,
    userDelay: hesitation,
    watch,
    queue,
    retry,
    shuffle,
    listOrder,
  } = canonicalSchedule;
  expect([canonical, request(), hesitation(), watch(), queue('uid', true)]).toEqual([
    true,
    1,
    0,
    1,
    0,
  ]);
  expect([0, 1, 2, 10, 17, 18, 40].map(retry)).toEqual([
    5, 10, 20, 5120, 655_360, 1_000_000, 1_000_000,
  ]);
  expect([shuffle(list), listOrder(records)]).toEqual([list, records]);
});

test('numbers from a seed are those of mulberry32, evenly spread', () => {
  const numbers = many(randomFrom(1), 10_000);
  expect(numbers.slice(0, 3)).toEqual([
    0.6270739405881613, 0.002735721180215478, 0.5274470399599522,
  ]);
  const tenths = Array<number>(10).fill(0);
  for (const number of numbers)
    tenths[Math.floor(number * 10)] = (tenths[Math.floor(number * 10)] ?? 0) + 1;
  expect(tenths.every((count) => count > 850 && count < 1150)).toBe(true);
});

describe('a schedule of a seed', () => {
  test('is the same each time, and differs from that of another seed', () => {
    const play = (seed: number) => {
      const { request, watch, queue, shuffle } = seededSchedule(seed);
      return [request(), watch(), queue('a', false), shuffle([1, 2, 3, 4, 5, 6])];
    };
    expect(play(7)).toEqual(play(7));
    expect(new Set(seeds.map((seed) => JSON.stringify(play(seed)))).size).toBe(seeds.length);
  });

  /** Whether a schedule holds up anything, and so is one in which rare orders are common. */
  const holdsUp = ({ request }: Schedule) => Math.max(...many(request, 200)) > 2;
  const [extreme, ordinary] = [true, false].map((is) =>
    schedules.filter((one) => holdsUp(one) === is),
  ) as [Schedule[], Schedule[]];

  test('takes half a millisecond to two for a request, and delays one of twenty in a third of the schedules', () => {
    const taken = extreme.flatMap(({ request }) => many(request));
    expect([Math.min(...taken) >= 0.5, Math.max(...taken) <= 12]).toEqual([true, true]);
    expect(taken.filter((one) => one > 2).length / taken.length).toBeCloseTo(0.05, 1);
    const quick = ordinary.flatMap(({ request }) => many(request));
    expect([Math.min(...quick) >= 0.5, Math.max(...quick) <= 2]).toEqual([true, true]);
    expect(extreme.length / schedules.length).toBeCloseTo(0.3, 1);
  });

  test('lets informers lag 0.3 to 2 ms behind, six times as long where an event is delayed', () => {
    const lags = schedules.flatMap(({ watch }) => many(watch));
    expect(Math.min(...lags)).toBeGreaterThanOrEqual(0.3);
    expect(Math.max(...lags)).toBeLessThanOrEqual(12);
    expect(lags.some((lag) => lag > 6)).toBe(true);
  });

  test('lets the user wait in one case of four', () => {
    const waits = schedules.flatMap(({ userDelay: hesitation }) => many(hesitation));
    const some = waits.filter((wait) => wait > 0);
    expect(some.length / waits.length).toBeCloseTo(0.25, 1);
    expect([Math.min(...some) >= 2, Math.max(...some) <= 40]).toEqual([true, true]);
  });

  /** How slow each of twenty objects is in each of some schedules: the longest of its waits, where half a millisecond is usual. */
  const slownessIn = (some: readonly Schedule[]) =>
    some
      .slice(0, 20)
      .flatMap(({ queue }) =>
        Array.from(
          { length: 20 },
          (_, at) => Math.max(...many(() => queue(`${at}`, false), 30)) * 2,
        ),
      );
  const share = (of: readonly number[], low: number, high: number) =>
    of.filter((one) => one > low && one <= high).length / of.length;

  test('works on some objects much sooner than on others, and keeps to that', () => {
    const usual = slownessIn(ordinary);
    expect(share(usual, 0.2, 0.3)).toBeCloseTo(0.6, 1);
    expect(share(usual, 2, 3)).toBeCloseTo(0.2, 1);
    expect(share(usual, 5, 8)).toBeCloseTo(0.2, 1);
    const rare = slownessIn(extreme);
    expect([Math.min(...rare) < 0.15, Math.max(...rare) > 8.5]).toEqual([true, true]);
    expect([share(rare, 0, 1), share(rare, 0, 10)]).toEqual([expect.closeTo(0.5, 1), 1]);
  });

  test('lets queues be twenty times as long in the rush after a start', () => {
    for (const { queue } of schedules.slice(0, 5)) {
      const [usual, rush] = [false, true].map((is) =>
        Math.max(...many(() => queue('uid', is), 200)),
      );
      expect((rush ?? 0) / (usual ?? 1)).toBeCloseTo(20, -1);
    }
  });

  test('tries again after the time of client-go, or up to a second later', () => {
    const waits = schedules.flatMap(({ retry }) => many(() => retry(2)));
    expect([Math.min(...waits), Math.max(...waits) <= 1020]).toEqual([20, true]);
    expect(waits.filter((wait) => wait > 20).length / waits.length).toBeCloseTo(0.3, 1);
  });

  test('can put each of some things anywhere, and leaves the list as it was', () => {
    const list = ['a', 'b', 'c', 'd'];
    const shuffled = schedules.flatMap(({ shuffle }) => many(() => shuffle(list), 20));
    expect(list).toEqual(['a', 'b', 'c', 'd']);
    expect(new Set(shuffled.map((one) => one.join(''))).size).toBe(24);
    expect(shuffled.every((one) => [...one].sort().join('') === 'abcd')).toBe(true);
  });

  test('lists what exists mixed, or one kind after the other', () => {
    const records = Array.from(
      { length: 12 },
      (_, at) => [pod, configMap, deployment][at % 3]?.(`web-${at}`) ?? pod('none'),
    );
    const runs = schedules.map(({ listOrder }) => {
      const listed = listOrder(records);
      expect(new Set(listed)).toEqual(new Set(records));
      return listed.filter(({ type }, at) => listed[at - 1]?.type !== type).length;
    });
    const inKinds = runs.filter((count) => count === 3).length;
    expect([inKinds > 30, inKinds < 70]).toEqual([true, true]);
  });
});
