import { expect, test } from 'vitest';
import { locationKey } from '../../../src/kube/object-reference.ts';
import {
  notRestored,
  type RestoredObject,
  restorationReport,
} from '../../../src/restore/plan/restoration.ts';
import { kube, ownedBy, plan, saved } from '../saved.ts';

const about = {
  source: { kind: 'backup', paths: ['backup'] },
  cluster: { server: 'https://shop.example.com', uid: 'uid-kube-system' },
  state: 'performed',
} as const;

test('the report names each object with what was planned and what became of it', () => {
  const app = saved(kube('v1 ConfigMap app'));
  const part = saved(kube('v1 ConfigMap part', ownedBy('v1 ConfigMap app')));
  const key = saved(kube('v1 Secret key'));
  const [first, second, third] = plan([app, part, key], { there: [kube('v1 Secret key')] });
  if (!first || !second || !third) throw new Error('all are planned');
  const asSaved = { action: 'delete', because: 'another uid', rule: 'GC-22.13' };
  const planned = [first, { ...second, asSaved: asSaved as never }, third];
  const results = new Map([[locationKey(app), { outcome: 'created' as const, newUid: 'new' }]]);
  const problem = { reason: 'unreadable', message: 'a file is missing' } as const;
  const report = restorationReport(planned, about, [problem], results);
  expect(report).toMatchObject({
    apiVersion: 'kubectl-gc/v1',
    kind: 'Restoration',
    ...about,
    coverage: { complete: false, kinds: 2, objects: 3, problems: [problem] },
    objects: [
      { name: 'app', action: 'create', outcome: 'created', newUid: 'new', references: [] },
      { name: 'part', action: 'create', asSaved, references: [{ name: 'app', change: 'to-come' }] },
      { name: 'key', action: 'exists' },
    ],
  });
  expect(report.objects.map((object) => ['outcome' in object, 'asSaved' in object])).toEqual([
    [true, false],
    [false, true],
    [false, false],
  ]);
  expect(restorationReport([], about, []).coverage.complete).toBe(true);
});

test.each<[RestoredObject['action'], RestoredObject['outcome'], boolean]>([
  ['cannot', undefined, true],
  ['create', 'faulty', true],
  ['create', 'refused', true],
  ['relink', 'not-tried', true],
  ['create', 'created', false],
  ['relink', 'relinked', false],
  ['patch', 'patched', false],
  ['create', 'not-checked', false],
  ['exists', 'exists', false],
  ['skip', undefined, false],
])('an object planned as "%s" and ended as %s is not restored: %s', (action, outcome, expected) => {
  const [planned] = plan([saved(kube('v1 ConfigMap app'))]);
  if (!planned) throw new Error('it is planned');
  const { objects } = restorationReport([{ ...planned, action }], about, []);
  const ended = objects.map((object) => (outcome ? { ...object, outcome } : object));
  expect(notRestored({ objects: ended })).toEqual(expected ? ended : []);
});
