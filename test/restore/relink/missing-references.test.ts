import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { pendingOwners } from '../../../src/restore/plan/restoration.ts';
import { rowsOf } from '../../support/rows.ts';
import { decided, kube, ownedBy, owner, plan, saved } from '../saved.ts';

const app = 'v1 ConfigMap app';
const part = 'v1 ConfigMap part';
const again = kube(app, { uid: 'again' });
const same = 'it already exists, with the same content';
const other = 'it already exists, with other content, and is left as it is';

/** What is done about the object that is there in the place of `part`, which `app` owned. */
const found = (there: KubeObject[], changes: Parameters<typeof saved>[1] = {}) =>
  decided([saved(kube(part, ownedBy(app)), changes)], { there });

describe('the owner of a recreated object', () => {
  const made = (...references: object[]) =>
    kube(part, { uid: 'made', ownerReferences: references });
  const right = owner(app, { uid: 'again' });
  test.each<[string, object[], string]>([
    ['is there', [right], 'exists'],
    ['is missing', [], 'relink'],
    ['is named by its old uid', [owner(app)], 'relink'],
    ['is named otherwise', [{ ...right, name: 'other' }], 'relink'],
    ['has another kind', [{ ...right, kind: 'Secret' }], 'relink'],
    ['has another group', [{ ...right, apiVersion: 'apps/v1' }], 'relink'],
  ])('%s', (_, references, action) => {
    expect(found([again, made(...references)])[0]).toBe(action);
  });

  test('is said to be missing or there', () => {
    const reasons = [found([again, made()]), found([again, made(right)])];
    expect(reasons.map(([, because]) => because).join('\n')).toMatchInlineSnapshot(`
      "it is there, but not owned by ConfigMap app yet
      it already exists, with the same content"
    `);
  });

  test('is the same in every version of its kind', () => {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'w-again' };
    const objects = [saved(kube(part, { ownerReferences: [{ ...widget, uid: 'uid-w' }] }))];
    const there = [
      kube('example.com/v1 Widget w', { uid: 'w-again' }),
      made({ ...widget, apiVersion: 'example.com/v1beta1' }),
    ];
    expect(plan(objects, { there })[0]?.because).toBe(same);
  });
});

test('an object that was never deleted gets its restored owners back', () => {
  const objects = [
    saved(kube(app)),
    saved(kube('v1 Secret key')),
    saved(kube(part, ownedBy(app, 'v1 Secret key', 'v1 ConfigMap gone'))),
  ];
  const planned = plan(objects, { there: [kube(part)] });
  const [first] = planned.filter(({ saved: { name } }) => name === 'part');
  expect([first?.action, first?.because, first?.liveUid]).toEqual([
    'relink',
    'it is still there, but not owned by ConfigMap app, Secret key any more',
    'uid-part',
  ]);
});

test('an object whose reference names the deleted owner gets the restored one', () => {
  const objects = [saved(kube(part, ownedBy(app))), saved(kube(app))];
  const [planned] = plan(objects, { there: [kube(part, ownedBy(app))] }).filter(
    ({ saved: { name } }) => name === 'part',
  );
  expect(planned?.action).toBe('relink');
});

test('an existing owner is set again where a fix has removed it, and else it was removed on purpose', () => {
  const objects = [saved(kube(part, ownedBy(app, 'v1 ConfigMap gone')))];
  const there = [kube(app), kube(part)];
  expect(decided(objects, { there })).toEqual(['exists', 'it is still there']);
  expect(decided(objects, { there, isOfFix: true })).toEqual([
    'relink',
    'it is still there, but not owned by ConfigMap app any more',
  ]);
  const owners = [{ apiVersion: 'none.example/v1', kind: 'Nope', name: 'gone', uid: 'x' }];
  const fixed = [saved(kube(part, { ownerReferences: owners }))];
  const [planned] = plan(fixed, { there, isOfFix: true });
  expect(`${planned?.action}: ${planned?.because}`).toMatchInlineSnapshot(
    `"exists: it is still there; no reference to Nope gone is set again: it is not known to lead to an owner that lives"`,
  );
  expect(planned?.references.map(({ told }) => told.change)).toEqual(['dropped']);
});

test('an object of other content is not re-linked, whatever its annotation says', () => {
  const pending = kube(part, { uid: 'made', annotations: { [pendingOwners]: 'ConfigMap/app' } });
  const waits = { ...pending, data: { of: 'another' } };
  const saidOf = (there: KubeObject) => {
    const objects = [saved(kube(part, ownedBy(app), { data: { of: 'mine' } }))];
    const [planned] = plan(objects, { there: [again, there] });
    return [planned?.action, planned?.liveUid];
  };
  expect(saidOf(waits)).toEqual(['cannot', undefined]);
  expect(saidOf({ ...pending, data: { of: 'mine' } })).toEqual(['relink', 'made']);
});

test('owners that do not exist are not missed', () => {
  expect(found([kube(part)])).toEqual(['exists', 'it is still there']);
  expect(found([kube(part, { uid: 'made' })])).toEqual(['exists', same]);
  const waits = kube(part, { uid: 'made', annotations: { [pendingOwners]: 'ConfigMap/app' } });
  expect(found([{ ...waits, data: { of: 'another' } }], { manifest: undefined })).toEqual([
    'exists',
    other,
  ]);
});

test('a custom resource with another status has the same content: controllers write it', () => {
  const widget = 'example.com/v1 Widget w';
  const status = (phase: string) => ({ spec: { size: 1 }, status: { phase } });
  const objects = [saved(kube(widget, {}, status('Ready')))];
  const there = [kube(widget, { uid: 'made' }, status('Pending'))];
  expect(decided(objects, { there })).toEqual(['exists', same]);
});

test('what has no uid in a dump is never the object itself', () => {
  const bare = {
    metadata: { name: 'part', namespace: 'shop' },
    apiVersion: 'v1',
    kind: 'ConfigMap',
  };
  expect(found([again, bare], { uid: '' })[0]).toBe('relink');
});

test('without its manifest no object is known to have the same content', () => {
  expect(found([again, kube(part, { uid: 'made' })], { manifest: undefined })).toEqual([
    'exists',
    other,
  ]);
  const pending = { uid: 'made', annotations: { [pendingOwners]: 'x' } };
  expect(
    found([again, kube(part, pending)], { manifest: undefined }).join('\n'),
  ).toMatchInlineSnapshot(`
    "cannot
    it is there with other content and is left as it is, though its annotation kubectl-gc.io/pending-owners says that it waits for its owner: ConfigMap app"
  `);
});

const contents = rowsOf(`
  v1 Service web         | clusterIP: 10.0.0.1                  | clusterIP: 10.0.0.2                  | same
  v1 Service web         | ports: [{port: 80, nodePort: 30001}] | ports: [{port: 80, nodePort: 30002}] | same
  v1 Service web         | ports: [{port: 80}]                  | ports: [{port: 81}]                  | other
  v1 Service web         | clusterIP: None                      | clusterIP: 10.0.0.2                  | other
  apps/v1 Deployment web | clusterIP: 10.0.0.1                  | clusterIP: 10.0.0.2                  | other
  example.com/v1 Widget w | volumeName: a                       | volumeName: b                        | other
  apps/v1 ReplicaSet web | replicas: 3                          | replicas: 0                          | same
  apps/v1 ReplicaSet web | template: {a: 1}                     | template: {a: 2}                     | other
  apps/v1 Deployment web | replicas: 3                          | replicas: 0                          | other
`);
test.each(contents)(
  '%s with %s and with %s has %s content',
  (text = '', was = '', is = '', content) => {
    const [before, now] = [parse(was), parse(is)];
    const objects = [saved(kube(text, {}, { spec: before }))];
    const [, because] = decided(objects, { there: [kube(text, { uid: 'made' }, { spec: now })] });
    expect(because === same).toBe(content === 'same');
  },
);
