import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { fromFiles, whole } from '../../src/library/snapshots.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { collectorCluster } from '../differential/collector-cluster/index.ts';
import { generateCase } from '../differential/generate-case.ts';
import { anySnapshot } from '../support/any-snapshot.ts';
import { servedRecords, snapshotOf } from '../support/builders.ts';
import { contradictionsIn } from '../support/contradictions.ts';
import { randomCases } from '../support/random-cases.ts';

const at = '2026-02-01T00:00:00Z';

/** Some generated objects have no uid until they are created. */
function withUid(object: KubeObject, index: number): KubeObject {
  const { metadata } = object;
  return metadata.uid ? object : { ...object, metadata: { ...metadata, uid: `created-${index}` } };
}

function clusterOf(objects: readonly KubeObject[], observedAt = at): Snapshot {
  return snapshotOf(servedRecords(objects.map(withUid)), { observedAt });
}

test.each([...globSync('{examples,test/fixtures}/clusters/*'), 'test/fixtures/clusters'].sort())(
  'commands agree about %s',
  async (path) => {
    for (const complete of [true, false]) {
      const snapshot = whole(await fromFiles([path], { now: new Date(at), complete }));
      expect(contradictionsIn(snapshot, 20)).toEqual([]);
      const controllers = ['*', '-garbagecollector'];
      if (complete) expect(contradictionsIn({ ...snapshot, controllers }, 5)).toEqual([]);
    }
  },
);

test.each(globSync('test/fixtures/recorded/*.json').sort())('commands agree about %s', (path) => {
  const { cases, now } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly now?: string;
    readonly cases: readonly { readonly objects: readonly KubeObject[] }[];
  };
  const found = cases.flatMap(({ objects }) => contradictionsIn(clusterOf(objects, now), 1));
  expect(found).toEqual([]);
});

/** 500 in CI, in portions, so that none takes long. */
describe.each([0, 1, 2, 3, 4])(
  'commands agree about random clusters, portion %i of 5',
  (portion) => {
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
        const objects = collectorCluster(seed, Date.parse(at));
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
  },
);
