import fc from 'fast-check';
import { expect, test } from 'vitest';
import { day } from '../../src/kube/time.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';
import { play } from '../../src/simulator/engine/play.ts';
import { canonicalSchedule, seededSchedule } from '../../src/simulator/engine/schedule.ts';
import { silentTimeline } from '../../src/simulator/engine/timeline.ts';
import { randomCases } from '../support/random-cases.ts';
import { inputOf } from './engine/simulation-input.ts';
import { hostileCluster } from './hostile-cluster.ts';

test('every play of a hostile cluster comes to an end, in the order that is shown and in another', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const { records, requests } = hostileCluster(seed);
      const input = inputOf(records, requests, {
        isEnabled: () => true,
        kubelets: true,
        controllers: defaultControllerSettings,
        duration: day,
      });
      const ends = [canonicalSchedule, seededSchedule(seed)].map(
        (schedule) => play(input, schedule, () => silentTimeline).ended,
      );
      expect(ends).not.toContain('endless');
    }),
    { numRuns: randomCases(20_000) },
  );
});
