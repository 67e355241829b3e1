import { expect, test } from 'vitest';
import { locationKey } from '../../../src/kube/object-reference.ts';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { SavedObject } from '../../../src/restore/backup/saved-object.ts';
import { verifyBackup } from '../../../src/restore/plan/verify.ts';
import { kube, liveWith, owner, plan, saved } from '../saved.ts';

/** What becomes of each object that is compared, and the fields that differ. */
function verified(objects: readonly SavedObject[], there: readonly KubeObject[]) {
  const compared = verifyBackup(plan(objects, { there }), liveWith(objects, there));
  return objects.map((object) => {
    const { outcome = 'left out', differs = [] } = compared.get(locationKey(object)) ?? {};
    return [object.name, outcome, ...differs].join(' ');
  });
}

const web = (spec: object, metadata: object = {}) =>
  kube('apps/v1 Deployment web', metadata, { spec, status: { replicas: 1 } });
const spec = { replicas: 2, template: { spec: { containers: [{ name: 'a', image: 'a:1' }] } } };

test('an object with other uids, times and status is the same', () => {
  const now = web(spec, { uid: 'new', resourceVersion: '9', generation: 4 });
  expect(verified([saved(web(spec))], [now])).toEqual(['web same']);
});

test('the fields of an object that differ are named, whichever side has them', () => {
  const containers = [{ name: 'a', image: 'a:2', command: ['x'] }];
  const now = web(
    { replicas: 3, template: { spec: { containers } } },
    { labels: { 'example.com/a': 'b' } },
  );
  expect(verified([saved(web(spec))], [now])).toEqual([
    'web differs metadata.labels spec.replicas spec.template.spec.containers[0].image spec.template.spec.containers[0].command',
  ]);
});

test.each([
  ['an empty value and none', { emptyDir: {} }, {}, 'spec.emptyDir'],
  ['none and an empty list', {}, { ingress: [] }, 'spec.ingress'],
  ['a text and an empty one', { a: 'x' }, { a: '' }, 'spec.a'],
  ['an empty text and none', { a: '' }, {}, 'spec.a'],
  ['0 and none', { replicas: 0 }, {}, 'spec.replicas'],
  ['0 and 1', { replicas: 0 }, { replicas: 1 }, 'spec.replicas'],
  ['false and none', { paused: false }, {}, 'spec.paused'],
  ['true and false', { paused: true }, { paused: false }, 'spec.paused'],
])('%s differ', (_, before, now, field) => {
  expect(verified([saved(web(before))], [web(now)])).toEqual([`web differs ${field}`]);
});

test('a field is named as JSONPath has it', () => {
  const labelled = (value: string) =>
    web(spec, { labels: { team: value, 'example.com/a': value } });
  expect(verified([saved(labelled('x'))], [labelled('y')])).toEqual([
    "web differs metadata.labels.team metadata.labels['example.com/a']",
  ]);
});

test('no label, an empty map of labels and null are the same', () => {
  const none = web({ paused: null }, { labels: {}, annotations: {} });
  expect(verified([saved(none)], [web({})])).toEqual(['web same']);
});

test('what a controller publishes in every namespace is not compared, and what users add to it is', () => {
  const root = (labels: object, ca: string) =>
    kube('v1 ConfigMap kube-root-ca.crt', { labels }, { data: { 'ca.crt': ca } });
  const before = [saved(root({ team: 'a' }, 'old'))];
  expect(verified(before, [root({ team: 'a' }, 'new')])).toEqual(['kube-root-ca.crt same']);
  expect(verified(before, [root({}, 'new')])).toEqual([
    'kube-root-ca.crt differs metadata.labels.team',
  ]);
});

test('an owner under its uid of now is the same, and a missing one differs', () => {
  const app = kube('v1 ConfigMap app');
  const part = (uid: string) =>
    kube('v1 Secret part', { ownerReferences: [{ ...owner('v1 ConfigMap app'), uid }] });
  const objects = [saved(app), saved(part('uid-app'))];
  const now = kube('v1 ConfigMap app', { uid: 'new' });
  expect(verified(objects, [now, part('new')])).toEqual(['app same', 'part same']);
  expect(verified(objects, [now, kube('v1 Secret part')])).toEqual([
    'app same',
    'part differs metadata.ownerReferences',
  ]);
  const controlled = part('new');
  Object.assign(Object(controlled.metadata.ownerReferences)[0], { controller: true });
  expect(verified(objects, [now, controlled])).toEqual([
    'app same',
    'part differs metadata.ownerReferences',
  ]);
});

test('owners are compared in any order, and in whether they wait for the object', () => {
  const both = ['v1 ConfigMap a', 'v1 ConfigMap b'];
  const part = (owners: readonly object[]) => kube('v1 Secret part', { ownerReferences: owners });
  const apps = both.map((text) => kube(text));
  const objects = [...apps, part(both.map((text) => owner(text)))].map((one) => saved(one));
  const among = (owners: readonly object[]) => verified(objects, [...apps, part(owners)]).at(-1);
  const [a, b] = both.map((text) => owner(text)) as [object, object];
  expect(among([b, a])).toBe('part same');
  const differs = 'part differs metadata.ownerReferences';
  expect(among([a, { ...b, blockOwnerDeletion: true }])).toBe(differs);
  expect(among([a, a])).toBe(differs);
});

test('an object of which only the metadata was read is unknown', () => {
  const objects = [saved(web(spec))];
  const live = liveWith(objects, []);
  live.set(objects[0] as SavedObject, { found: 'object', manifest: web(spec), partly: true });
  const [compared] = verifyBackup(plan(objects, { there: [web(spec)] }), live).values();
  expect(compared?.outcome).toBe('unknown');
});

test('what is not there is missing, what is being deleted differs, and what is made by others is left out', () => {
  const going = kube('v1 Secret key', { deletionTimestamp: '2026-01-31T12:00:00Z' });
  const objects = [
    saved(kube('v1 ConfigMap app')),
    saved(kube('v1 Secret key')),
    saved(kube('v1 Event it')),
  ];
  expect(verified(objects, [going])).toEqual([
    'app missing',
    'key differs metadata.deletionTimestamp',
    'it left out',
  ]);
});

test('what could not be read is unknown, and no value of a Secret is named', () => {
  const key = kube('v1 Secret key', {}, { data: { password: 'b2xk' } });
  const objects = [saved(key)];
  const planned = plan(objects, { forbidden: ['v1 Secret key'] });
  const live = liveWith(objects, []);
  live.set(saved(key), { found: 'unknown', message: 'it is forbidden' });
  expect([...verifyBackup(planned, live).values()]).toEqual([
    { outcome: 'unknown', message: 'it is forbidden' },
  ]);
  const now = kube('v1 Secret key', {}, { data: { password: 'bmV3' } });
  const [told] = verifyBackup(plan(objects, { there: [now] }), liveWith(objects, [now])).values();
  expect([told?.differs, JSON.stringify(told).includes('bmV3')]).toEqual([
    ['data.password'],
    false,
  ]);
});
