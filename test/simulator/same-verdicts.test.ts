import { expect, test } from 'vitest';
import { judge } from '../../src/controllers/garbage-collector/judge.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { generateCase } from '../differential/generate-case.ts';
import { servedRecords, snapshotOf } from '../support/builders.ts';
import { collectorSteps } from './play-out.ts';

/** The random case of a seed, as the simulation and the judge read it. */
function recordsOf(seed: number): ObjectRecord[] {
  return servedRecords(generateCase(seed, { namespaces: false }).objects);
}

/** What the judge says first is what a collector does that starts on the same picture. */
test('orphans and simulate agree on an object whose owners do not change', () => {
  const compared = { delete: 0, patch: 0, others: 0 };
  const different: string[] = [];
  for (let seed = 1; seed <= 150; seed++) {
    const records = recordsOf(seed);
    const graph = buildGraph(snapshotOf(records));
    const steps = collectorSteps(records);
    const touched = new Set(steps.map(({ object }) => object.uid));
    for (const record of records) {
      const { action, policy } = judge(graph, record);
      if (action === 'terminating' || action === 'unowned') continue;
      if (record.ownerReferences.some(({ uid }) => touched.has(uid))) continue;
      const first = steps.find(({ object }) => object.uid === record.uid);
      const done = first ? `${first.verb} ${first.policy ?? ''}` : '';
      const decides = action === 'delete' || action === 'patch';
      const expected = decides ? `${action} ${policy ?? ''}` : '';
      if (done !== expected) different.push(`${seed} ${record.name}: ${action}, but ${done}`);
      compared[decides ? action : 'others']++;
    }
  }
  expect(different).toEqual([]);
  expect(Math.min(...Object.values(compared))).toBeGreaterThan(20);
});
