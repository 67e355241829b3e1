import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { restoredObject } from '../../../src/restore/plan/planned-restoration.ts';
import { rowsOf } from '../../support/rows.ts';
import { decided, kube, ownedBy, owner, plan, saved, told } from '../saved.ts';

const app = 'v1 ConfigMap app';
const part = 'v1 ConfigMap part';

describe('order and references', () => {
  test('owners come first, whatever the order of the input', () => {
    const objects = [
      saved(kube('v1 Secret leaf', ownedBy(part, app))),
      saved(kube(part, ownedBy(app))),
      saved(kube(app)),
      saved(kube('example.com/v1 Widget below', ownedBy('example.com/v1 Gadget top', app))),
      saved(kube('example.com/v1 Gadget top')),
    ];
    expect(told(plan(objects))).toEqual([
      '0 configmaps/app create',
      '1 configmaps/part create app:to-come',
      '2 secrets/leaf create part:to-come app:to-come',
      '3 gadgets.example.com/top create',
      '4 widgets.example.com/below create top:to-come app:to-come',
    ]);
  });

  test('what others use comes before everything else, even before its owner', () => {
    const set = 'apps/v1 StatefulSet web';
    const spec = { volumeName: 'disk' };
    const token = {
      type: 'kubernetes.io/service-account-token',
    };
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    const planned = plan([
      saved(kube(set)),
      saved(kube('apps/v1 ControllerRevision web-1', ownedBy(set))),
      saved(kube('v1 PersistentVolumeClaim data', ownedBy(set), { spec })),
      saved(kube('v1 PersistentVolume disk')),
      saved(kube('v1 Secret token', { annotations }, token)),
      saved(kube('v1 ServiceAccount robot', ownedBy('batch/v1 CronJob nightly'))),
      saved(kube('batch/v1 CronJob nightly')),
      saved(kube('batch/v1 Job tonight', ownedBy('batch/v1 CronJob nightly'))),
      saved(kube('v1 ConfigMap settings', ownedBy('v1 Pod alone', 'v1 Namespace shop'))),
      saved(kube('v1 Pod alone')),
    ]);
    expect(told(planned)).toEqual([
      '0 configmaps/settings create alone:later shop:kept=uid-shop',
      '0 controllerrevisions.apps/web-1 create web:later',
      '0 persistentvolumes/disk create',
      '0 serviceaccounts/robot create nightly:later',
      '1 persistentvolumeclaims/data create web:later',
      '1 secrets/token create',
      '2 cronjobs.batch/nightly create',
      '2 pods/alone create',
      '2 statefulsets.apps/web create',
      '3 jobs.batch/tonight create nightly:to-come',
    ]);
    const claim = planned.find(({ volume }) => volume !== undefined);
    expect(claim && restoredObject(claim).references).toEqual([
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        name: 'web',
        from: 'uid-web',
        to: '',
        change: 'later',
        because: 'it is created without this reference, and gets it when StatefulSet web is there',
      },
    ]);
  });

  test('owners that live get their uid of now, those that are gone are dropped', () => {
    const objects = [
      saved(
        kube('v1 Secret leaf', {
          ownerReferences: [owner(app), owner(part), owner('v1 ConfigMap gone')],
        }),
      ),
    ];
    const there = [kube(app, { uid: 'new' }), kube(part)];
    expect(told(plan(objects, { there }))).toEqual([
      '0 secrets/leaf create app:relinked=new part:kept=uid-part gone:dropped',
    ]);
  });

  test('an owner that is being deleted is dropped', () => {
    const objects = [saved(kube('v1 Secret leaf', ownedBy(app, part)))];
    const there = [kube(app, { deletionTimestamp: '2026-01-31T12:00:00Z' }), kube(part)];
    expect(told(plan(objects, { there }))).toEqual([
      '0 secrets/leaf create app:dropped part:kept=uid-part',
    ]);
  });

  test('what would be collected at once is not created, nor what hangs on it', () => {
    const objects = [
      saved(kube(part, ownedBy('v1 ConfigMap gone'))),
      saved(kube('v1 Secret leaf', ownedBy(part))),
    ];
    const [first, second] = plan(objects);
    expect([first?.action, first?.because]).toEqual([
      'cannot',
      'the garbage collector would delete it at once (GC-22.13): there is no ConfigMap gone in namespace shop; --without-owners creates it without an owner',
    ]);
    expect(second?.because).toContain('there is no ConfigMap part in namespace shop');
    expect(told(plan(objects, { withoutOwners: true }))).toEqual([
      '0 configmaps/part create gone:dropped',
      '1 secrets/leaf create part:to-come',
    ]);
  });

  test('a circle is created without the reference that closes it', () => {
    const objects = [saved(kube(app, ownedBy(part))), saved(kube(part, ownedBy(app)))];
    expect(told(plan(objects))).toEqual([
      '0 configmaps/app create part:later',
      '1 configmaps/part create app:to-come',
    ]);
  });

  test('a reference that was broken before is not mended by chance', () => {
    const objects = [
      saved(kube(app)),
      saved(kube(part, { ownerReferences: [owner(app, { uid: 'an older one' })] })),
    ];
    expect(told(plan(objects))).toEqual([
      '0 configmaps/app create',
      '1 configmaps/part cannot app:dropped',
    ]);
    expect(told(plan(objects, { sameCluster: false }))[1]).toBe(
      '1 configmaps/part create app:to-come',
    );
  });

  test('what the collector never decides about is kept as it is', () => {
    const objects = [saved(kube(part, ownedBy('nobody.example.com/v1 Thing x')))];
    const planned = plan(objects);
    expect(told(planned)).toEqual(['0 configmaps/part create x:kept=uid-x']);
    expect(planned[0]?.references[0]?.told.because).toBe(
      'no API serves nobody.example.com/v1 Thing, so the garbage collector never decides',
    );
  });

  test('what could not be looked up is not guessed', () => {
    expect(decided([saved(kube(part, ownedBy(app)))], { forbidden: [app] })).toEqual([
      'cannot',
      'it is unknown whether it would stay: ConfigMap app in namespace shop could not be looked up: it is forbidden',
    ]);
  });
});

test('owners of which one is gone and one cannot be looked up leave it open whether the object would stay', () => {
  const objects = [saved(kube(part, ownedBy(app, 'v1 ConfigMap gone')))];
  const [planned] = plan(objects, { forbidden: [app] });
  expect(planned?.because).toBe(
    'it is unknown whether it would stay: ConfigMap app in namespace shop could not be looked up: it is forbidden; there is no ConfigMap gone in namespace shop',
  );
  expect(planned?.manifest).toBeUndefined();
});

test('an owner of a dump, which has no uid, is the one that a reference names', () => {
  const objects = [saved(kube(app, { uid: '' })), saved(kube(part, ownedBy(app)))];
  expect(told(plan(objects))).toEqual([
    '0 configmaps/app create',
    '1 configmaps/part create app:to-come',
  ]);
});

test('what cannot come back is told last, what others use before the rest', () => {
  const gone = ownedBy('v1 ConfigMap gone');
  const objects = [
    saved(kube('apps/v1 Deployment web', gone)),
    saved(kube('v1 Secret key', gone)),
    saved(kube(app)),
  ];
  expect(told(plan(objects))).toEqual([
    '0 configmaps/app create',
    '1 secrets/key cannot gone:dropped',
    '1 deployments.apps/web cannot gone:dropped',
  ]);
});

describe('what is there', () => {
  const others = rowsOf(`
    the same object                   | {}         | {}           | exists | it is still there
    another one with the same content | {uid: new, resourceVersion: "9", annotations: {added: by a controller}}
        | data: {a: b} | exists | it already exists, with the same content
    another one with other content | uid: new | data: {a: c} | exists
        | it already exists, with other content, and is left as it is
    one that is going | deletionTimestamp: 2026-01-31T12:00:00Z | {} | cannot
        | it is still being deleted: restore it when it is gone
  `);
  test.each(others)('%s', (_, metadata = '', fields = '', ...decision) => {
    const objects = [saved(kube(app, {}, { data: { a: 'b' } }))];
    const there = [kube(app, parse(metadata), parse(fields))];
    expect(decided(objects, { there })).toEqual(decision);
  });

  test.each<[string, object, object, boolean]>([
    ['a longer list', { items: ['a'] }, { items: ['a', 'b'] }, false],
    ['a shorter list', { items: ['a', 'b'] }, { items: ['a'] }, false],
    ['a list with another entry', { items: ['a', 'b'] }, { items: ['a', 'c'] }, false],
    ['the same list', { items: ['a', 'b'] }, { items: ['a', 'b'] }, true],
    ['a text in place of a list', { items: ['a'] }, { items: 'a' }, false],
    ['no text in place of an empty one', { data: { a: '' } }, { data: {} }, true],
    ['a text in place of an empty one', { data: { a: '' } }, { data: { a: 'b' } }, false],
    ['more than was saved', { data: { a: 'b' } }, { data: { a: 'b', c: 'd' } }, true],
  ])('%s is other content or not', (_, before, now, same) => {
    const objects = [saved(kube(app, {}, before))];
    const [, because] = decided(objects, { there: [kube(app, { uid: 'new' }, now)] });
    expect(because === 'it already exists, with the same content').toBe(same);
  });
});

test('finalizers come back, what they did does not', () => {
  const [planned] = plan([
    saved(kube(app, { finalizers: ['foregroundDeletion', 'example.com/disk'] })),
  ]);
  expect(planned?.manifest?.metadata.finalizers).toEqual(['example.com/disk']);
  expect(planned?.notes).toEqual([
    'when it was deleted, example.com/disk ran: what was cleaned up outside the cluster does not come back',
  ]);
});
