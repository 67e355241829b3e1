import { expect, test } from 'vitest';
import type { SimulationReport } from '../../../src/questions/simulate/document.ts';
import { simulationAnswer } from '../../../src/questions/simulate/text.ts';
import type { Step } from '../../../src/simulator/engine/timeline.ts';

const now = Date.parse('2026-01-03T00:00:00Z');

test('steps share a row of a screen in the same second alone', () => {
  const steps = Array.from({ length: 60 }, (_, index): Step => {
    const at = new Date(now + Math.floor(index / 20) * 60_000 + (index % 20)).toISOString();
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'shop',
      name: `p${index}`,
      uid: `${index}`,
    };
    const actor = 'pod-garbage-collector-controller';
    return { at, actor, verb: 'delete', object, result: 'removed', because: 'old', rule: 'PG-5' };
  });
  const report = { replies: [], steps, stuck: [], undetermined: [], unknown: [], events: [] };
  const table = simulationAnswer.tableOf(report as unknown as SimulationReport, {
    ...{ colour: false, width: 80, height: 24, now },
  });
  expect(table.match(/^\S+ +shop +20 Pods/gm)?.map((row) => row.split(' ')[0])).toEqual([
    '0ms',
    '1m0s',
    '2m0s',
  ]);
});
