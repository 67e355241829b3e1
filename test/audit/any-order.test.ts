import fc from 'fast-check';
import { expect, test } from 'vitest';
import { audit } from '../../src/audit/audit.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { auditReport } from '../../src/questions/audit/document.ts';
import { randomFrom } from '../../src/simulator/engine/schedule.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { generateCase } from '../differential/generate-case.ts';
import { allRules } from '../support/audit-options.ts';
import { servedRecords, snapshotOf } from '../support/builders.ts';

const options = allRules('2026-02-01T00:00:00Z');

function reportOf(records: readonly ObjectRecord[]) {
  const graph = buildGraph(snapshotOf(records));
  return auditReport(graph, audit(graph, options), options);
}

/** Several cases in one cluster; references are shuffled with their objects, but stay as they are. */
function recordsOf(seeds: readonly number[]): ObjectRecord[] {
  return servedRecords(seeds.flatMap((seed) => generateCase(seed, { namespaces: true }).objects));
}

function shuffled(records: readonly ObjectRecord[], seed: number): ObjectRecord[] {
  const random = randomFrom(seed);
  return records
    .map((record) => ({ record, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ record }) => record);
}

test('the order in which the API answers does not matter', () => {
  const seeds = fc.uniqueArray(fc.nat(10_000), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(seeds, fc.nat(), (cases, order) => {
      const records = recordsOf(cases);
      expect(reportOf(shuffled(records, order))).toEqual(reportOf(records));
    }),
    { numRuns: 200 },
  );
});
