import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isGcError } from '../../src/errors.ts';
import { decodeSnapshotHeader, encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import { pod, snapshotOf } from '../support/builders.ts';
import { decodeSnapshot } from '../support/decode-snapshot.ts';
import { rowsOf } from '../support/rows.ts';

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

/** What is changed in a saved snapshot, and what is said of it. */
const refused = rowsOf(`
  {kind: Plan}                  | it is kubectl-gc/v3 Plan, not kubectl-gc/v3 Snapshot
  {apiVersion: kubectl-gc/v2}   | it is kubectl-gc/v2 Snapshot, not kubectl-gc/v3 Snapshot
  {observedAt: yesterday}       | its observedAt is "yesterday", not a time
  {origin: {}}                  | its origin.kind is missing
  {origin: {kind: files}}       | its origin.paths is missing
  {origin: {kind: cluster}}     | its origin.server is missing
  {coverage: {read: []}}        | its coverage.asked is missing
  {coverage: {read: [{}], asked: [], problems: []}} | its coverage.read[0].resource is missing
  {coverage: {read: [{resource: pods, namespaces: [1]}], asked: [], problems: []}}
      | its coverage.read[0].namespaces[0] is 1, not a string
  {coverage: {read: [], asked: [{}], problems: []}} | its coverage.asked[0].resource is missing
  {coverage: {read: [], asked: [], problems: [{}]}} | its coverage.problems[0].reason is missing
  {resourceTypes: [{kind: Pod}]}          | its resourceTypes[0].group is missing
  {failedGroupVersions: [{}]}             | its failedGroupVersions[0].group is missing
  {evidence: []}                          | its evidence is a list, not a mapping
  {evidence: {settings: none}}            | its evidence.settings is "none", not a mapping
  {evidence: {nodes: [1]}}                | its evidence.nodes[0] is 1, not a mapping
  {evidence: {fieldManagers: {u: {}}}}    | its evidence.fieldManagers.u is a mapping, not a list
  {evidence: {answers: {}}}               | its evidence.answers is a mapping, not a list
`);

describe('a saved snapshot', () => {
  test.each(refused)('is refused with %s', (change = '', why) => {
    const refusal = refusalOf(parse(change));
    expect([refusal.split(':')[0], refusal.endsWith(`: ${why}`)]).toEqual([
      'invalid-snapshot',
      true,
    ]);
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

  test('says when its first list was read', () => {
    const observedFrom = '2026-01-02T23:59:00Z';
    const json = JSON.parse([...encodeSnapshot(snapshotOf([], { observedFrom }), crc32)].join(''));
    expect(decodeSnapshotHeader(json).observedFrom).toBe(observedFrom);
    expect(() => decodeSnapshotHeader({ ...json, observedFrom: 'soon' })).toThrow(
      'its observedFrom is "soon", not a time',
    );
  });

  test.each([
    [{ place: { path: 1 } }, 'place.path is 1, not a string'],
    [{ writers: [{ uid: 'u' }] }, 'writers[0].manager is missing'],
    [{ type: {} }, 'type.group is missing'],
  ])('is refused with unknown fields %j', (extras, fault) => {
    const metadata = { name: 'web', namespace: 'shop' };
    const objects = [{ apiVersion: 'v1', kind: 'Pod', metadata, 'kubectl-gc': extras }];
    expect(() => decodeSnapshot({ ...saved, objects })).toThrow(`its kubectl-gc.${fault}`);
  });
});
