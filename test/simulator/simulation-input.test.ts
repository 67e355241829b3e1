import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import {
  deletesPodsFirst,
  type ReadCoverage,
  readCoverageOf,
} from '../../src/simulator/simulation-input.ts';
import type { ProblemReason } from '../../src/snapshot/coverage.ts';
import { configMap, node, type SnapshotOptions, snapshotOf } from '../support/builders.ts';

const files = { kind: 'files', paths: ['x'] } as const;
const configMaps = configMap('a').type;
/** What files show that have a Node and nothing else. */
const knownOf = (options: SnapshotOptions, records = [node('a')]): ReadCoverage =>
  readCoverageOf(snapshotOf(records, { origin: files, coverage: { read: [] }, ...options }));

describe('where files show that an object does not exist', () => {
  test.each<[ProblemReason, boolean]>([
    ['forbidden', false],
    ['unavailable', false],
    ['unlistable', false],
    ['discovery-failed', false],
    ['timed-out', false],
    ['truncated', false],
    ['duplicate-uid', true],
    ['unreadable', true],
  ])('of a kind that has the problem "%s": %s', (reason, isCovered) => {
    const problems = [{ reason, message: '', resource: 'configmaps' }];
    const known = knownOf({ coverage: { read: [], problems } });
    expect(known.covers(configMaps, 'shop', 'a')).toBe(isCovered);
  });

  test.each<[string, object, readonly ReturnType<typeof node>[], boolean]>([
    ['none is shown, as nobody looked', { read: [] }, [], false],
    ['another is shown, which may be all that was read', { read: [] }, [node('a')], false],
    ['all were read', { read: [{ resource: 'nodes' }] }, [node('a')], true],
    [
      'they were asked for and read',
      { read: [{ resource: 'nodes' }], asked: [{ resource: 'nodes' }] },
      [],
      true,
    ],
  ])('of Nodes where %s', (_, coverage, records, isCovered) => {
    expect(knownOf({ coverage }, [...records]).coversNode('b')).toBe(isCovered);
  });
});

test('a kind is known to be served or not unless the discovery of its group failed', () => {
  const failed = [{ group: 'apps', version: 'v1', message: 'no answer' }];
  const known = (exhaustive: boolean, more: SnapshotOptions = {}) => {
    const types = new ResourceTypes(builtInTypes, { exhaustive, failed });
    const { hasKind } = readCoverageOf(snapshotOf([], { types, ...more }));
    return ['v1', 'apps/v1'].map((apiVersion) => hasKind(apiVersion));
  };
  expect(known(true)).toEqual([true, false]);
  expect(known(false)).toEqual([false, false]);
  expect(known(false, { origin: files })).toEqual([true, false]);
});

test('the namespace controller deletes Pods first since v1.33', () => {
  expect([32, 33, 36].map(deletesPodsFirst)).toEqual([false, true, true]);
});
