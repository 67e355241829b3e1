import { expect, test } from 'vitest';
import { severalControllers } from '../../../../src/audit/rules/reference-lists.ts';
import { ownedBy, ownedByGone, pod, replicaSet } from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const controller = { controller: true };
const blue = replicaSet('blue');
const green = replicaSet('green');
const waiting = replicaSet('waiting', { deleting: 'foreground' });
const gone = ownedByGone('apps/v1 ReplicaSet gone', controller);
const finding = {
  at: 'Pod web-1',
  because:
    'ReplicaSet/blue and ReplicaSet/green are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object',
  consequences: ['none'],
  gcRule: 'GC-22.10',
  fix: 'leave ReplicaSet/blue as the only controller',
  edits: ['1: controller=false'],
};

test('of two controllers the first one that lives stays', () => {
  const record = pod('web-1', {
    ownerReferences: [ownedBy(blue, controller), ownedBy(green, controller)],
  });
  expect(findingsOf(severalControllers, [record, blue, green])).toEqual([finding]);
});

test.each([
  ['a missing one yields to one that lives', [gone, ownedBy(green, controller)], ['0']],
  ['a missing one yields to one that waits', [gone, ownedBy(waiting, controller)], ['0']],
  [
    'one that waits yields to one that lives',
    [ownedBy(waiting, controller), ownedBy(blue, controller)],
    ['0'],
  ],
  ['of two missing ones the first stays', [gone, { ...gone, uid: 'x' }], ['1']],
  ['others are not touched', [ownedBy(blue), gone, ownedBy(green, controller)], ['1']],
])('%s', (_, ownerReferences, edited) => {
  const record = pod('web-1', { ownerReferences });
  const [found] = findingsOf(severalControllers, [record, blue, green, waiting]);
  expect(found?.edits).toEqual(edited.map((index) => `${index}: controller=false`));
});

test('where only one of them lives, the reference to the other is removed', () => {
  const record = pod('web-1', { ownerReferences: [ownedBy(blue, controller), gone] });
  const [found] = findingsOf(severalControllers, [record, blue]);
  expect([found?.consequences, found?.gcRule]).toEqual([['reference removed'], 'GC-22.11']);
});

test('one controller among other owners is right', () => {
  const ownerReferences = [
    ownedBy(blue, controller),
    ownedBy(green, { controller: false }),
    ownedBy(waiting),
  ];
  const records = [pod('fine', { ownerReferences }), blue, green, waiting];
  expect(findingsOf(severalControllers, records)).toEqual([]);
});
