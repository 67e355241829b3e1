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
test('whether an object is there, whose owner lives', () => {
  const [known, partial, taken] = [
    plan([web]),
    plan([web], { ...everything, read: uncovered }),
    plan([web, other]),
  ];
  expect([known.action, partial.action, taken.action]).toEqual(['create', 'cannot', 'exists']);
  expect([known.problems.length, partial.problems.length, taken.problems.length]).toEqual([
    0, 1, 0,
  ]);
  expect([known, partial, taken].map(({ because }) => because).join('\n')).toMatchInlineSnapshot(`
    "it is not there
    it is unknown whether it is there: ConfigMap app is not in the snapshot, which does not hold all of its kind
    it already exists; the snapshot does not show whether its content is the same"
  `);
});

test('an object whose owner does not exist is not created', () => {
  expect(plan([]).action).toBe('cannot');
});

test('a volume of which a snapshot contains metadata alone is unknown', () => {
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
  expect(live.problems().join('\n')).toMatchInlineSnapshot(
    `"the snapshot contains only the metadata of PersistentVolume disk"`,
  );
});
