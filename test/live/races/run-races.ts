import { expect } from 'vitest';
import type { ClusterAccess } from '../../support/cluster.ts';
import type { Run } from '../../support/command-line.ts';
import { startProxy, type TestProxy } from '../proxy.ts';
import { type Random, randomFrom } from '../seeded-random.ts';

/** What one race came to. */
export interface Race {
  readonly id: string;
  /** What went wrong. */
  readonly faults: readonly string[];
  readonly code: number;
  /** Did the other one act before the command ended? */
  readonly isDisturbed: boolean;
  readonly run: Run;
}

export interface Races {
  readonly seed: number;
  readonly count: number;
  /** How many run at the same time. */
  readonly lanes?: number;
}

/** Which seeds are run, and how many: `RACE_SEED` and `RACE_CASES` choose others. */
export function racesFor(count: number): Races {
  return {
    seed: Number(process.env.RACE_SEED ?? 1),
    count: Number(process.env.RACE_CASES ?? count),
  };
}

/** Runs a race for each seed behind proxies of its own, prints how they ended, and fails when one went wrong. */
export async function runRaces(
  name: string,
  access: ClusterAccess,
  { seed, count, lanes = 1 }: Races,
  race: (seed: number, random: Random, proxy: TestProxy) => Promise<Race>,
): Promise<void> {
  const seeds = Array.from({ length: count }, (_, index) => seed + index);
  const races: Race[] = [];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const proxy = await startProxy(access);
      try {
        for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) {
          const random = randomFrom(next);
          // The first numbers of neighbouring seeds are alike.
          for (let skip = 0; skip < 5; skip++) random(2);
          races.push(await race(next, random, proxy));
        }
      } finally {
        await proxy.close();
      }
    }),
  );
  const disturbed = races.filter(({ isDisturbed }) => isDisturbed).length;
  const codes = Object.groupBy(races, ({ code }) => code);
  const counts = Object.entries(codes).map(([code, list]) => `${list?.length} × exit ${code}`);
  const which = `seeds ${seed} to ${seed + count - 1}`;
  console.log(`races: ${name}, ${which}, ${disturbed} disturbed; ${counts.join(', ')}`);
  const wrong = races.filter(({ faults }) => faults.length > 0);
  for (const race of wrong) console.log(JSON.stringify(race, null, 1));
  expect(wrong.map(({ id, faults }) => [id, faults])).toEqual([]);
  expect(disturbed).toBeGreaterThan(count / 2);
}

/** When the other one acts: before this request, or before or after the first that changes something. */
export function momentFrom(random: Random, isChange: (method: string) => boolean, most = 40) {
  const nth = random(3) > 0 ? random(most) : undefined;
  const isAfter = random(2) === 0;
  let requests = 0;
  let changes = 0;
  return {
    /** Does this request end the wait, and had a change been sent before it? */
    isNow: (method: string) => {
      const wasSent = changes > 0;
      const isNth = requests === nth;
      if (isChange(method)) changes += 1;
      requests += 1;
      const isNow = nth !== undefined ? isNth : isAfter ? wasSent : isChange(method);
      return { isNow, wasSent };
    },
  };
}
