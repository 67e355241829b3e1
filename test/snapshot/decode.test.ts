import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { isGcError } from '../../src/errors.ts';
import { decodeSnapshotHeader, encodeSnapshot } from '../../src/snapshot/saved-snapshot.ts';
import { pod, snapshotOf } from '../support/builders.ts';
import { decodeSnapshot } from '../support/decode-snapshot.ts';

const saved: Record<string, unknown> = JSON.parse(
  [...encodeSnapshot(snapshotOf([pod('web')]), crc32)].join(''),
);

function refusalOf(changes: Record<string, unknown>): string {
  try {
    decodeSnapshotHeader({ ...saved, ...changes });
  } catch (error) {
    if (isGcError(error)) return `${error.code}: ${error.message}`;
  }
  return 'none';
}

describe('a saved snapshot', () => {
  test.each([
    [{ kind: 'Plan' }, 'it is kubectl-gc/v3 Plan, not kubectl-gc/v3 Snapshot'],
    [{ apiVersion: 'kubectl-gc/v2' }, 'it is kubectl-gc/v2 Snapshot, not kubectl-gc/v3 Snapshot'],
    [{ observedAt: 'yesterday' }, 'its observedAt is not a time'],
    [{ observedAt: undefined }, 'its observedAt is not a time'],
    [{ origin: {} }, 'its origin names neither a cluster nor files'],
    [{ origin: { kind: 'files' } }, 'its origin names neither a cluster nor files'],
    [{ origin: { kind: 'cluster' } }, 'its origin names neither a cluster nor files'],
    [{ coverage: { read: [] } }, 'its coverage is not one'],
    [{ coverage: { read: [{}], asked: [], problems: [] } }, 'its coverage is not one'],
    [
      { coverage: { read: [{ resource: 'pods', namespaces: [1] }], asked: [], problems: [] } },
      'its coverage is not one',
    ],
    [{ coverage: { read: [], asked: [{}], problems: [] } }, 'its coverage is not one'],
    [{ coverage: { read: [], asked: [], problems: [{}] } }, 'its coverage is not one'],
    [{ resourceTypes: [{ kind: 'Pod' }] }, 'its resourceTypes are not complete'],
    [{ failedGroupVersions: [{}] }, 'its failedGroupVersions are not complete'],
    [{ evidence: [] }, 'its evidence is not a mapping'],
    [{ evidence: { settings: 'none' } }, 'its evidence.settings cannot be read'],
    [{ evidence: { nodes: [1] } }, 'its evidence.nodes cannot be read'],
    [{ evidence: { fieldManagers: { u: {} } } }, 'its evidence.fieldManagers cannot be read'],
    [{ evidence: { answers: {} } }, 'its evidence.answers cannot be read'],
  ])('is refused with %j', (changes, why) => {
    expect(refusalOf(changes)).toBe(`invalid-snapshot: the saved snapshot cannot be used: ${why}`);
  });

  test('keeps what was read besides objects, and nothing that it does not know', () => {
    const evidence = {
      settings: { a: 1 },
      nodes: [{ node: 'a' }],
      fieldManagers: { u: [{ manager: 'kubectl' }] },
      answers: [],
    };
    const whole = snapshotOf([], { evidence });
    const json = JSON.parse([...encodeSnapshot(whole, crc32)].join(''));
    expect(decodeSnapshotHeader(json).evidence).toEqual(evidence);
    const newer = { ...json, evidence: { answers: [], dreams: [] } };
    expect(decodeSnapshotHeader(newer).evidence).toEqual({ answers: [] });
    expect('evidence' in decodeSnapshotHeader(saved)).toBe(false);
  });

  test('tells when its first list was read, and not what is no time', () => {
    const observedFrom = '2026-01-02T23:59:00Z';
    const json = JSON.parse([...encodeSnapshot(snapshotOf([], { observedFrom }), crc32)].join(''));
    expect(decodeSnapshotHeader(json).observedFrom).toBe(observedFrom);
    expect('observedFrom' in decodeSnapshotHeader({ ...json, observedFrom: 'soon' })).toBe(false);
  });

  test('is read without extras that are damaged', () => {
    const objects = [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', namespace: 'shop' },
        'kubectl-gc': { place: { path: 1 }, writers: [{ uid: 'u' }], type: {} },
      },
    ];
    expect(decodeSnapshot({ ...saved, objects }).records).toEqual([
      pod('web', { uid: '', creationTimestamp: undefined }),
    ]);
  });
});
