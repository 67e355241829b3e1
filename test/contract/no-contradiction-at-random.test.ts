import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { collectorCluster } from '../differential/collector-cluster/index.ts';
import { generateCase } from '../differential/generate-case.ts';
import { clusterOf } from '../support/answers.ts';
import { anySnapshot } from '../support/any-snapshot.ts';
import { contradictionsIn } from '../support/contradictions.ts';
import { randomCases } from '../support/random-cases.ts';

/** 500 in CI, in portions, so that none takes long. */
describe.each([0, 1, 2, 3, 4])('commands agree about random clusters (%i of 5)', (portion) => {
  const seedsOf = (all: number) =>
    Array.from({ length: randomCases(all) }, (_, at) => at * 5 + portion);

  test('of owners and finalizers', () => {
    for (const seed of seedsOf(56)) {
      const { objects } = generateCase(seed, { namespaces: seed % 2 === 0 });
      expect([seed, ...contradictionsIn(clusterOf(objects as KubeObject[]), 1)]).toEqual([seed]);
    }
  });

  test('of all controllers', () => {
    for (const seed of seedsOf(4)) {
      const objects = collectorCluster(seed, Date.parse('2026-02-01T00:00:00Z'));
      expect([seed, ...contradictionsIn(clusterOf(objects), 1)]).toEqual([seed]);
    }
  });

  test('that are partly read', () => {
    fc.assert(
      fc.property(anySnapshot(), (snapshot) => {
        expect(contradictionsIn(snapshot, 1)).toEqual([]);
      }),
      { numRuns: randomCases(40) },
    );
  });
});
