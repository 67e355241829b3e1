import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  hasOwners,
  hasUid,
  plainRecord,
  withChanges,
} from '../../../src/kube/records/stored-record.ts';
import { anyRecord } from '../../support/any-snapshot.ts';
import { configMap, node, pod } from '../../support/builders.ts';
import { stored } from '../../support/stored.ts';

/** Values as API servers write them, and values that no column can hold. */
const oddText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a b', 'a|b', 'a/b'),
);
const anyUid = fc.oneof(fc.uuid(), fc.constant(''), oddText);
const anyVersion = fc.oneof(
  fc.nat().map(String),
  fc.constantFrom(undefined, '0', '007', '99999999999999999999', '9007199254740993', 'x'),
);
const anyTime = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => `${date.toISOString().slice(0, -5)}Z`),
  fc.constantFrom(
    undefined,
    '2026-02-30T00:00:00Z',
    '2026-01-01T00:00:00.5Z',
    '2026-01-01T24:00:00Z',
  ),
);
const anyMap = fc.option(
  fc.dictionary(
    oddText.filter((key) => key !== '__proto__'),
    oddText,
  ),
  {
    nil: undefined,
  },
);
const flag = fc.constantFrom(undefined, true, false);
const anyReference = fc.record({
  apiVersion: fc.oneof(fc.constant('apps/v1'), oddText),
  kind: fc.oneof(fc.constant('Deployment'), oddText),
  name: oddText,
  uid: anyUid,
  controller: flag,
  blockOwnerDeletion: flag,
});
const anyPlace = fc.record({ path: fc.string(), line: fc.nat() });
const anyWriter = fc.record({
  uid: fc.string(),
  manager: fc.string(),
  operation: fc.constant('Update'),
  time: fc.constantFrom(undefined, '2026-01-01T00:00:00Z'),
});
const anyDetails = fc.record({
  name: fc.oneof(fc.constant('web'), oddText),
  uid: anyUid,
  resourceVersion: anyVersion,
  creationTimestamp: anyTime,
  deletionTimestamp: anyTime,
  deletionGracePeriodSeconds: fc.constantFrom(undefined, 0, 30),
  labels: anyMap,
  annotations: anyMap,
  ownerReferences: fc.array(anyReference, { maxLength: 3 }),
  finalizers: fc.array(oddText, { maxLength: 2 }),
  writers: fc.option(fc.array(anyWriter, { maxLength: 2 }), { nil: undefined }),
  place: fc.option(anyPlace, { nil: undefined }),
});
const anyOddRecord: fc.Arbitrary<ObjectRecord> = fc
  .tuple(anyRecord(), anyDetails)
  .map(([record, details]) => ({ ...record, ...details }));

describe('packed records', () => {
  test('keeps every field of every record', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyRecord(), anyOddRecord), { minLength: 1, maxLength: 20 }),
        (records) => {
          const packed = stored(records);
          expect(packed.map(plainRecord)).toEqual(records);
          expect(packed.map(hasOwners)).toEqual(records.map(hasOwners));
          expect(packed.map(hasUid)).toEqual(records.map(hasUid));
        },
      ),
    );
  });

  test('of no record are none', () => {
    expect(stored([])).toEqual([]);
  });

  test('keeps records that are packed already', () => {
    const records = stored([
      pod('web', { labels: { app: 'web' }, facts: { nodeName: 'node-a' } }),
      node('node-a', { facts: { taints: [] } }),
    ]);
    expect(stored(records).map(plainRecord)).toEqual(records.map(plainRecord));
  });

  test('keeps apart facts of two kinds that are written alike', () => {
    const records = [node('a', { facts: { taints: [] } }), pod('a', { facts: { nodeName: '' } })];
    expect(stored(records).map(({ facts }) => facts)).toEqual(records.map(({ facts }) => facts));
  });

  test('makes facts and labels once, however often somebody looks', () => {
    const [web, other] = stored([
      pod('web', { labels: { app: 'web' }, facts: { nodeName: 'node-a' } }),
      pod('other', { labels: { app: 'web' }, facts: { nodeName: 'node-a' } }),
    ]);
    expect(web?.labels).toBe(other?.labels);
    expect(web?.facts).toBe(other?.facts);
  });
});

test('withChanges copies a packed record', () => {
  const [record] = stored([configMap('settings', { finalizers: ['a'] })]);
  if (!record) throw new Error('nothing was packed');
  expect(withChanges(record, { finalizers: [] })).toEqual(configMap('settings'));
  expect(record.finalizers).toEqual(['a']);
});

test('JSON of a packed record is that of its fields', () => {
  const record = configMap('settings', { labels: { app: 'web' } });
  expect(JSON.parse(JSON.stringify(stored([record])))).toEqual(
    JSON.parse(JSON.stringify([record])),
  );
});
