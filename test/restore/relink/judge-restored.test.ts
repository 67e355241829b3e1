import { expect, test } from 'vitest';
import { placesToLook } from '../../../src/restore/plan/plan-restoration.ts';
import { judgeRestored } from '../../../src/restore/relink/judge-restored.ts';
import { OwnerLookup } from '../../../src/restore/relink/relink.ts';
import { servedTypes } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { kube, liveWith, ownedBy, owner, saved } from '../saved.ts';

const app = 'v1 ConfigMap app';
const goes = { deletionTimestamp: '2026-01-31T12:00:00Z' };
const inForeground = { ...goes, finalizers: ['foregroundDeletion'] };

/** What will happen to `part`, which was saved with these owners, when the cluster holds this. */
function judged(metadata: object, there: readonly ReturnType<typeof kube>[], unread?: string) {
  const objects = [saved(part(metadata)), saved(kube(app))];
  const live = liveWith(objects, there);
  if (unread) live.set(saved(kube(unread)), { found: 'unknown', message: 'it is forbidden' });
  const places = placesToLook(objects, new OwnerLookup(servedTypes, objects));
  const [judgement] = judgeRestored(objects, places, live, servedTypes).values();
  return judgement;
}

const part = (metadata: object = {}) => kube('v1 ConfigMap part', metadata);
const ofApp = ownedBy(app);
const ofBoth = ownedBy(app, 'v1 Secret key');
const things = {
  app: kube(app),
  going: part(goes),
  alone: part(),
  ofApp: part(ofApp),
  ofBoth: part(ofBoth),
};

// The owners it was saved with, what is there, and what cannot be looked up.
const rows = rowsOf(`
  that cannot be looked up |  |  | v1 ConfigMap part | unknown
  that is gone |  |  |  | lost
  that is being deleted |  | going |  | lost
  without an owner |  | alone |  | stays
  whose owner is there | ofApp | app ofApp |  | stays
  whose owner is gone | ofApp | ofApp |  | lost
  whose owner cannot be looked up | ofApp | ofApp | v1 ConfigMap app | unknown
  of which one owner is there, and one cannot be looked up | ofBoth | app ofBoth | v1 Secret key | stays
`);
const judgedRow = (owners = '', names = '', unread = '') => {
  const there = names.split(' ').flatMap((name) => things[name as keyof typeof things] ?? []);
  return judged({ ofApp, ofBoth }[owners] ?? {}, there, unread);
};
test.each(rows)('an object %s', (_, owners, names, unread, end) => {
  expect(judgedRow(owners, names, unread)).toMatchObject({ end, fixable: [] });
});

test('it is said why a restored object stays or is lost', () => {
  const reasons = rows.map(
    ([title, owners, names, unread]) => `${title}: ${judgedRow(owners, names, unread)?.because}`,
  );
  expect(reasons.join('\n')).toMatchInlineSnapshot(`
    "that cannot be looked up: it is unknown whether it is still there: it is forbidden
    that is gone: it was deleted again by another client
    that is being deleted: it is being deleted again
    without an owner: it has no owner
    whose owner is there: ConfigMap app exists in namespace shop
    whose owner is gone: the garbage collector will delete it (GC-22.13): no ConfigMap app in namespace shop
    whose owner cannot be looked up: it is unknown whether it stays: ConfigMap objects in namespace shop were not read
    of which one owner is there, and one cannot be looked up: Secret objects in namespace shop were not read; it lives on in any case, as ConfigMap app exists in namespace shop"
  `);
});

test('a reference to the owner of before is fixed, unless that owner goes or still counts', () => {
  const fixableWith = (metadata: object) =>
    judged(ofApp, [part(ofApp), kube(app, metadata)])?.fixable;
  expect([
    fixableWith({ uid: 'new' }),
    fixableWith({ uid: 'new', ...goes }),
    fixableWith(inForeground),
    fixableWith({}),
  ]).toEqual([[{ reference: owner(app, { uid: 'new' }), staleUid: 'uid-app' }], [], [], []]);
});

test('a reference is fixed in the namespace of its object, or to an owner without one', () => {
  const widget = 'example.com/v1 Widget top';
  const fixedOf = (
    text: string,
    owners: string,
    savedAs: object,
    there: ReturnType<typeof kube>[],
    version = 'v1',
  ) => {
    const part = kube(text, { ownerReferences: [owner(owners, savedAs)] });
    const before = saved(kube(owners.replace(/v1(beta1)?/, version), savedAs));
    const objects = [saved(part), before];
    const live = liveWith(objects, [part, ...there]);
    const places = placesToLook(objects, new OwnerLookup(servedTypes, objects));
    const [judgement] = judgeRestored(objects, places, live, servedTypes).values();
    return judgement?.fixable.map(({ reference, staleUid }) => [
      reference.apiVersion,
      reference.uid,
      staleUid,
    ]);
  };
  const now = { uid: 'new' };
  const gadget = 'example.com/v1 Gadget top';
  const fixed = [['example.com/v1', 'new', 'uid-top']];
  expect(fixedOf('v1 ConfigMap part', widget, {}, [kube(widget, now)])).toEqual(fixed);
  // Owners without a namespace, of an object in one and of one without.
  expect(fixedOf('v1 ConfigMap part', gadget, {}, [kube(gadget, now)])).toEqual(fixed);
  expect(fixedOf('example.com/v1 Gadget part', gadget, {}, [kube(gadget, now)])).toEqual(fixed);
  // The garbage collector tries no other version (GC-29).
  const old = 'example.com/v1beta1 Widget top';
  expect(fixedOf('v1 ConfigMap part', old, {}, [kube(widget, now)])).toEqual(fixed);
  const first = 'autoscaling/v1 HorizontalPodAutoscaler top';
  const second = kube('autoscaling/v2 HorizontalPodAutoscaler top', now);
  expect(fixedOf('v1 ConfigMap part', first, {}, [second], 'v2')).toEqual([
    ['autoscaling/v1', 'new', 'uid-top'],
  ]);
  // What was saved without a uid is no owner, not even of a reference without one.
  expect(fixedOf('v1 ConfigMap part', widget, { uid: '' }, [kube(widget, now)])).toEqual([]);
});
