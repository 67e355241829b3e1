import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { viewOf } from '../../src/controllers/cluster-view.ts';
import type { Decision } from '../../src/controllers/controller.ts';
import { decideAll } from '../../src/controllers/decision.ts';
import { allControllers } from '../../src/controllers/registry.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';
import { writtenBefore } from '../../src/simulator/engine/causes.ts';
import { beginSimulation } from '../../src/simulator/simulate.ts';
import { collectorCluster } from '../differential/collector-cluster/index.ts';
import { servedRecords, snapshotOf } from '../support/builders.ts';

const folder = 'src/simulator/controllers';

test('the simulator runs controllers and makes no decision itself', () => {
  const deciding = readdirSync(folder).filter((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return /\b(deletion|patching|removingFinalizer)\(|'[A-Z]+-\d+'/.test(text);
  });
  expect(deciding).toEqual([]);
});

const now = Date.parse('2026-02-01T00:00:00Z');
/** All that simulations run, as the ones that are off by default. */
const settings = { ...defaultControllerSettings, controllers: ['*', 'token-cleaner-controller'] };
const seeds = Array.from({ length: 24 }, (_, at) => at + 1);
const synced = allControllers.flatMap((one) => ('syncers' in one ? [one] : []));

/**
 * What a controller that ran before has done by then is not decided again; volumes are reclaimed step by step, and Jobs
 * are judged by the Pods that they lose.
 */
const isOpen = ({ collector, rule, object, action }: Decision) =>
  collector === 'job' ||
  rule === 'OTH-4' ||
  (rule === 'STS-2' && action === 'delete') ||
  (object.type.kind === 'PersistentVolume' && rule !== 'PV-11');

describe('what is decided about an object is what simulate does', () => {
  const judged = seeds.map((seed) => {
    const snapshot = snapshotOf(servedRecords(collectorCluster(seed, now), 'uid-'));
    const view = viewOf(snapshot);
    const objects = synced.flatMap(({ syncers }) =>
      syncers.flatMap(({ syncs }) => view.all(syncs)),
    );
    const decided = synced.flatMap((one) => decideAll(one, view, settings, now));
    const clock = { now, duration: 1, forecast: true };
    // Other orders have no decisions of their own, and playing them takes ten times as long.
    const { decisions } = beginSimulation(snapshot, [], settings, clock).inOneOrder();
    return {
      seed,
      count: objects.length,
      decided,
      done: decisions.flatMap(({ due, decision }) => (writtenBefore(decision) ? [] : due.decision)),
    };
  });

  test.each(judged)('in random cluster $seed', ({ decided, done }) => {
    const ids = new Set(synced.map(({ id }) => id));
    const keyOf = ({ collector, object, action, rule, confidence, because }: Decision) =>
      [collector, object.type.kind, object.name, action, rule, confidence, because].join(' ');
    const keys = (all: readonly Decision[]) =>
      all
        .filter((one) => ids.has(one.collector) && !isOpen(one))
        .map(keyOf)
        .sort();
    expect(keys(done)).toEqual(keys(decided));
  });

  test('10,000 times', () => {
    const count = judged.reduce((sum, one) => sum + one.count, 0);
    expect(count).toBeGreaterThan(10_000);
  });
});
