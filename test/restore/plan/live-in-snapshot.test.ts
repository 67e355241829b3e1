import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { liveInSnapshot } from '../../../src/restore/plan/live-objects.ts';
import { placesToLook, planRestoration } from '../../../src/restore/plan/plan-restoration.ts';
import { OwnerLookup } from '../../../src/restore/relink/relink.ts';
import type { Coverage } from '../../../src/snapshot/coverage.ts';
import { servedRecords, servedTypes } from '../../support/builders.ts';
import { kube, ownedBy, saved } from '../saved.ts';

const everything = {
  read: servedTypes.all.map(({ resource, group }) => ({
    resource: group === '' ? resource : `${resource}.${group}`,
  })),
  asked: [],
  problems: [],
};
const config = saved(kube('v1 ConfigMap app', ownedBy('apps/v1 Deployment web'), { data: {} }));

const snapshotWith = (records: readonly ObjectRecord[], coverage: Coverage = everything) => ({
  records,
  types: servedTypes,
  coverage,
  observedAt: '2026-01-01T00:00:00Z',
  serverVersion: undefined,
  origin: { kind: 'files', paths: [] } as const,
});

function plan(there: readonly KubeObject[], coverage?: Coverage) {
  const snapshot = snapshotWith(servedRecords([kube('v1 Namespace shop'), ...there]), coverage);
  const places = placesToLook([config], new OwnerLookup(servedTypes, [config]));
  const live = liveInSnapshot(snapshot, places);
  const options = { deleted: true, sameCluster: true };
  const [planned] = planRestoration([config], live, servedTypes, options);
  return { action: planned?.action, because: planned?.because, problems: live.problems() };
}

const web = kube('apps/v1 Deployment web');
const other = kube('v1 ConfigMap app', { uid: 'uid-other' });
const uncovered = everything.read.filter(({ resource }) => resource !== 'configmaps');
const missing = 'ConfigMap app is not in the snapshot, which does not hold all of its kind';
test.each([
  ['create', 'it is not there', [], [web], everything],
  [
    'cannot',
    `it is unknown whether it is there: ${missing}`,
    [missing],
    [web],
    { ...everything, read: uncovered },
  ],
  [
    'exists',
    'it already exists; the snapshot does not show whether its content is the same',
    [],
    [web, other],
    everything,
  ],
])('an object whose owner lives: %s, as %s', (action, because, problems, there, coverage) => {
  expect(plan(there, coverage)).toEqual({ action, because, problems });
});

test('an object whose owner is gone is not created', () => {
  expect(plan([]).action).toBe('cannot');
});

test('a volume of which a snapshot holds metadata alone is not known', () => {
  const bare = ['v1 PersistentVolume disk', 'v1 ConfigMap app'].map((text) => kube(text));
  const known = kube('v1 PersistentVolume known', {}, { spec: {}, status: { phase: 'Bound' } });
  const records = servedRecords(bare).map((record) => ({ ...record, facts: undefined }));
  const snapshot = snapshotWith([...records, ...servedRecords([known])]);
  const unserved = saved(kube('v1 ConfigMap x'));
  const type = { ...unserved.type, group: 'gone.example.com', kind: 'Gone', resource: 'gones' };
  const places = [...[...bare, known].map((object) => saved(object)), { ...unserved, type }];
  const live = liveInSnapshot(snapshot, places);
  expect(places.map((place) => live.at(place).found)).toEqual([
    'unknown',
    'object',
    'object',
    'nothing',
  ]);
  expect(live.problems()).toEqual([
    'the snapshot holds only the metadata of PersistentVolume disk',
  ]);
});
