import { beforeAll, describe, expect, test } from 'vitest';
import { viewOf } from '../../src/controllers/cluster-view.ts';
import type { ControllerId } from '../../src/controllers/controller.ts';
import { decideAll } from '../../src/controllers/decision.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import type { PodGcPreview } from '../../src/questions/podgc-preview/document.ts';
import { validDocument } from '../contract/valid-document.ts';
import { collectorOf } from '../differential/collector-agents.ts';
import { type Comparison, compareCollectors } from '../differential/collector-compare.ts';
import { running, settingsOf } from '../differential/collector-forecasts.ts';
import { type PlayedCluster, playCollectors } from '../differential/collector-play.ts';
import { keyOf } from '../differential/collector-replay.ts';
import { askingOf } from '../support/asking.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { hasUsefulFirstPass } from '../support/played-minor.ts';
import { detachVolumes } from './attachdetach.ts';
import { simulateCollectors } from './simulate-collectors.ts';

/**
 * Random clusters are cleaned up by the real controllers; what they send, in which order and when is compared.
 * `SEEDS=1,2,3` plays others, at most so many at a time as the machine bears; `WATCHED` is in seconds.
 */
const seeds = (process.env.SEEDS ?? '7,8').split(',').map(Number);
const watched = Number(process.env.WATCHED ?? 62) * 1000;

interface Asked {
  readonly played: PlayedCluster;
  readonly report: ForecastReport;
  readonly preview: PodGcPreview;
  readonly comparison: Comparison;
}

const clusters = new Map<number, Asked>();

/** Commands in this process run one after another. */
let turn: Promise<unknown> = Promise.resolve();

function ask<T>(command: 'forecast' | 'podgc-preview', plane: ControlPlane): Promise<T> {
  const mine = turn.then(async () => {
    const { stdout, stderr, code } = await askingOf(plane).run(`${command} -o json`);
    expect(code, stderr).toBe(0);
    return validDocument(command, stdout) as T;
  });
  turn = mine.catch(() => undefined);
  return mine;
}

async function play(seed: number): Promise<void> {
  const asked: Partial<Asked> = {};
  const played = await playCollectors(seed, {
    watched,
    // Before the first pass, so that its quarantine is over in time.
    nodeGoesAfter: 2500,
    look: async (plane) => {
      const report = await ask<ForecastReport>('forecast', plane);
      const preview = await ask<PodGcPreview>('podgc-preview', plane);
      Object.assign(asked, { report, preview });
    },
  });
  clusters.set(seed, { ...(asked as Asked), played, comparison: compareCollectors(played) });
}

/** What is detached by force is so after six minutes: meanwhile the others are asked. */
const volumes = detachVolumes(await ownControlPlane({ controllers: 'none' }));

describe('random clusters', () => {
  beforeAll(async () => {
    for (let next = 0; next < seeds.length; next += 2) {
      await Promise.all(seeds.slice(next, next + 2).map(play));
    }
  }, 120_000 * seeds.length);

  const cluster = (seed: number): Asked => {
    const found = clusters.get(seed);
    if (!found) throw new Error(`seed ${seed} was not played`);
    return found;
  };

  test.each(seeds)('cluster %i: the controllers did the forecast, nothing else', (seed) => {
    expect(cluster(seed).comparison.mismatches).toEqual([]);
  });

  test('every collector had something to do', () => {
    const all = [...clusters.values()];
    const acted = new Set(all.flatMap(({ comparison }) => Object.keys(comparison.acted)));
    const ran = new Set<string>(all.flatMap(({ played }) => running(played).map(({ id }) => id)));
    // Nothing here loses its controller: `delete-upper-bound.test.ts` plays what is adopted then.
    ran.delete('adoption');
    // Nor has one Pods that it does not need: `own-deletions.test.ts` plays those.
    ran.delete('workload-pods');
    expect([...acted].sort()).toEqual([...ran].sort());
  });

  test.each(seeds)(
    'cluster %i: podgc-preview reads the threshold, and agrees with its collector',
    (seed) => {
      const { preview, played } = cluster(seed);
      expect(preview.settings).toEqual({
        enabled: true,
        terminatedPodGCThreshold: played.threshold,
        source: 'cluster',
      });
      expect(preview.items.map(({ object }) => object.uid).sort()).toEqual(
        decidedUids(played, 'pod-garbage-collector'),
      );
    },
  );

  test.each(seeds)('cluster %i: what goes was in the forecast', (seed) => {
    const { report, played, comparison } = cluster(seed);
    const foretold = new Set(report.items.map(({ object }) => object.uid));
    const untold = (['ttl-after-finished', 'cronjob-history', 'csr-cleaner'] as const).flatMap(
      (id) => deletedBy(played, id).filter(({ uid }) => !foretold.has(uid)),
    );
    expect(untold.map(({ name }) => name)).toEqual([]);
    const cleaner = hasUsefulFirstPass ? 'csr-cleaner' : 'cronjob-history';
    expect(Object.keys(comparison.acted)).toContain(cleaner);
  });
});

describe('requests of users', simulateCollectors);

test('a volume of a missing Node is detached by force, after six minutes', async () => {
  expect((await volumes.forced()) / 60_000).toBeGreaterThan(6);
}, 600_000);

function deletedBy({ requests, before }: PlayedCluster, id: ControllerId): readonly ObjectRecord[] {
  const keys = new Set(
    requests
      .filter((request) => collectorOf(request) === id)
      .map(({ resource, namespace, name }) => `${resource} ${namespace} ${name}`),
  );
  return before.records.filter((record) => keys.has(keyOf(record)));
}

function decidedUids(played: PlayedCluster, id: ControllerId): string[] {
  const { before, startedAt } = played;
  const collector = running(played).find((one) => one.id === id);
  const decisions = collector
    ? decideAll(collector, viewOf(before), settingsOf(played), startedAt)
    : [];
  return decisions.map(({ object }) => object.uid).sort();
}
