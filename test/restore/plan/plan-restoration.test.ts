import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { restoredObject } from '../../../src/restore/plan/restoration.ts';
import { rowsOf } from '../../support/rows.ts';
import {
  casesOfRestorations,
  decided,
  decisionsOf,
  kube,
  outcomesOf,
  ownedBy,
  plan,
  saved,
  told,
} from '../saved.ts';

const app = 'v1 ConfigMap app';
const part = 'v1 ConfigMap part';

describe('order and references', () => {
  const leaf = 'v1 Secret leaf';
  const top = 'example.com/v1 Gadget top';
  const set = 'apps/v1 StatefulSet web';
  const nightly = 'batch/v1 CronJob nightly';
  const gone = 'v1 ConfigMap gone';
  const going = '{metadata: {deletionTimestamp: 2026-01-31T12:00:00Z}}';
  const token =
    'v1 Secret token {metadata: {annotations: {kubernetes.io/service-account.name: robot}}, type: kubernetes.io/service-account-token}';
  const used = [
    set,
    `apps/v1 ControllerRevision web-1 <- ${set}`,
    `v1 PersistentVolumeClaim data {spec: {volumeName: disk}} <- ${set}`,
    'v1 PersistentVolume disk',
    token,
    `v1 ServiceAccount robot <- ${nightly}`,
    nightly,
    `batch/v1 Job tonight <- ${nightly}`,
    'v1 ConfigMap settings <- v1 Pod alone, v1 Namespace shop',
    'v1 Pod alone',
  ];
  const older =
    '{metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: app, uid: an older one}]}}';
  casesOfRestorations(
    told,
    `
    owners come first, whatever the order of the input
        | ${leaf} <- ${part}, ${app}; ${part} <- ${app}; ${app}; example.com/v1 Widget below <- ${top}, ${app}; ${top} | |
        | 0 configmaps/app create | 1 configmaps/part create app:to-come
        | 2 secrets/leaf create part:to-come app:to-come | 3 gadgets.example.com/top create
        | 4 widgets.example.com/below create top:to-come app:to-come
    what others use comes before everything else, even before its owner
        | ${used.join('; ')} | |
        | 0 serviceaccounts/robot create nightly:later | 1 persistentvolumes/disk create
        | 2 persistentvolumeclaims/data create web:later | 3 configmaps/settings create alone:later shop:kept=uid-shop
        | 3 controllerrevisions.apps/web-1 create web:later | 3 secrets/token create | 4 cronjobs.batch/nightly create
        | 4 pods/alone create | 4 statefulsets.apps/web create | 5 jobs.batch/tonight create nightly:to-come
    owners that live get their uid of now, those that are gone are dropped
        | ${leaf} <- ${app}, ${part}, ${gone} | ${app} {metadata: {uid: new}}; ${part} |
        | 0 secrets/leaf create app:relinked=new part:kept=uid-part gone:dropped
    an owner that is being deleted is dropped | ${leaf} <- ${app}, ${part} | ${app} ${going}; ${part} |
        | 0 secrets/leaf create app:dropped part:kept=uid-part
    what would be collected at once is created without its owner where that is asked for
        | ${part} <- ${gone}; ${leaf} <- ${part} | | {withoutOwners: true}
        | 0 configmaps/part create gone:dropped | 1 secrets/leaf create part:to-come
    a circle is created without the reference that closes it | ${app} <- ${part}; ${part} <- ${app} | |
        | 0 configmaps/app create part:later | 1 configmaps/part create app:to-come
    a reference that was broken before is not mended by chance | ${app}; ${part} ${older} | |
        | 0 configmaps/app create | 1 configmaps/part cannot app:dropped
    unless on another cluster | ${app}; ${part} ${older} | | {sameCluster: false}
        | 0 configmaps/app create | 1 configmaps/part create app:to-come
    what the garbage collector never decides about is kept | ${part} <- nobody.example.com/v1 Thing x | |
        | 0 configmaps/part create x:kept=uid-x
    whose uid is never right in another cluster
        | ${part} <- nobody.example.com/v1 Thing x, ${app} | ${app} {metadata: {uid: new}} | {sameCluster: false}
        | 0 configmaps/part create x:dropped app:relinked=new
    a cluster-scoped object with a namespaced owner is never decided about, in another cluster either
        | v1 PersistentVolume disk <- ${app} | | {sameCluster: false}
        | 0 persistentvolumes/disk create app:kept=uid-app
    an owner of a dump, which has no uid, is the one that a reference names
        | ${app} {metadata: {uid: ""}}; ${part} <- ${app} | |
        | 0 configmaps/app create | 1 configmaps/part create app:to-come
    what cannot come back is told last, what others use before the rest
        | apps/v1 Deployment web <- ${gone}; v1 Secret key <- ${gone}; ${app} | |
        | 0 configmaps/app create | 1 secrets/key cannot gone:dropped | 1 deployments.apps/web cannot gone:dropped
    `,
  );
  test('decide whether an object would stay', () => {
    expect(
      outcomesOf(
        decisionsOf,
        `
    what would be collected at once is not created, nor what hangs on it | ${part} <- ${gone}; ${leaf} <- ${part}
    what could not be looked up is not guessed | ${part} <- ${app} |  | {forbidden: [${app}]}
    an owner whose kind is not served yet is not looked up yet | ${part} <- nobody.example.com/v1 Thing x | | {sameCluster: false}
    nor is it where another owner is gone | ${part} <- ${app}, ${gone} |  | {forbidden: [${app}]}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "what would be collected at once is not created, nor what hangs on it
        cannot: the garbage collector would delete it immediately (GC-22.13): there is no ConfigMap gone in namespace shop; --without-owners creates it without an owner
        cannot: the garbage collector would delete it immediately (GC-22.13): there is no ConfigMap part in namespace shop; --without-owners creates it without an owner
      what could not be looked up is not guessed
        cannot: it is unknown whether it would stay: ConfigMap app in namespace shop could not be looked up: it is forbidden
      an owner whose kind is not served yet is not looked up yet
        cannot: the garbage collector would delete it once the kind of its owner is served: no API serves nobody.example.com/v1 Thing, and once it is served, no owner has its uid; --without-owners creates it without an owner
      nor is it where another owner is gone
        cannot: it is unknown whether it would stay: ConfigMap app in namespace shop could not be looked up: it is forbidden; there is no ConfigMap gone in namespace shop"
    `);
  });

  test('is reported of a reference', () => {
    const claim = plan([
      saved(kube(set)),
      saved(kube('v1 PersistentVolumeClaim data', ownedBy(set), { spec: { volumeName: 'disk' } })),
    ]).find(({ saved: { name } }) => name === 'data');
    expect(claim && restoredObject(claim).references).toEqual([
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        name: 'web',
        from: 'uid-web',
        to: '',
        change: 'later',
        because: expect.any(String),
      },
    ]);
    expect(claim && restoredObject(claim).references[0]?.because).toMatchInlineSnapshot(
      `"it is created without this reference, and gets it when StatefulSet web is there"`,
    );
    const [kept] = plan([saved(kube(part, ownedBy('nobody.example.com/v1 Thing x')))]);
    expect(kept?.references[0]?.told.because).toMatchInlineSnapshot(
      `"no API serves nobody.example.com/v1 Thing, so the garbage collector never decides"`,
    );
  });
});

describe('what is there', () => {
  const others = rowsOf(`
    the same object                   | {}         | {}           | exists | it is still there
    another one with the same content | {uid: new, resourceVersion: "9", annotations: {added: by a controller}}
        | data: {a: b} | exists | it already exists, with the same content
    another one with other content | uid: new | data: {a: c} | exists
        | it already exists, with other content, and is left as it is
    one that is going | deletionTimestamp: 2026-01-31T12:00:00Z | {} | cannot
        | it is still being deleted; restore it afterwards
  `);
  test.each(others)('%s', (_, metadata = '', fields = '', ...decision) => {
    const objects = [saved(kube(app, {}, { data: { a: 'b' } }))];
    const there = [kube(app, parse(metadata), parse(fields))];
    expect(decided(objects, { there })).toEqual(decision);
  });

  test.each<[string, object, object, boolean]>([
    ['a longer list', { items: ['a'] }, { items: ['a', 'b'] }, false],
    ['a shorter list', { items: ['a', 'b'] }, { items: ['a'] }, false],
    ['a changed list', { items: ['a', 'b'] }, { items: ['a', 'c'] }, false],
    ['the same list', { items: ['a', 'b'] }, { items: ['a', 'b'] }, true],
    ['a string for a list', { items: ['a'] }, { items: 'a' }, false],
    ['a missing empty string', { data: { a: '' } }, { data: {} }, true],
    ['a filled empty string', { data: { a: '' } }, { data: { a: 'b' } }, false],
    ['more than was saved', { data: { a: 'b' } }, { data: { a: 'b', c: 'd' } }, true],
  ])('compares the content of %s', (_, before, now, same) => {
    const objects = [saved(kube(app, {}, before))];
    const [, because] = decided(objects, { there: [kube(app, { uid: 'new' }, now)] });
    expect(because === 'it already exists, with the same content').toBe(same);
  });
});

test('finalizers are restored, their clean-up is not undone', () => {
  const [planned] = plan([
    saved(kube(app, { finalizers: ['foregroundDeletion', 'example.com/disk'] })),
  ]);
  expect(planned?.manifest?.metadata.finalizers).toEqual(['example.com/disk']);
  expect(planned?.notes.join('\n')).toMatchInlineSnapshot(
    `"when it was deleted, example.com/disk ran: resources that they cleaned up outside the cluster are not restored"`,
  );
});
