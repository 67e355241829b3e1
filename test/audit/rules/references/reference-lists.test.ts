import { describe, expect, test } from 'vitest';
import { duplicateUid, severalControllers } from '../../../../src/audit/rules/reference-lists.ts';
import { blocking, ownedBy, ownedByGone, replicaSet } from '../../../support/builders.ts';
import { finder, named, owned } from '../../../support/findings.ts';

describe('several-controllers', () => {
  const found = finder(severalControllers);
  const controller = { controller: true };
  const blue = replicaSet('blue');
  const green = replicaSet('green');
  const waiting = replicaSet('waiting', { deleting: 'foreground' });
  const gone = ownedByGone('apps/v1 ReplicaSet gone', controller);
  const [byBlue, byGreen, byWaiting] = [blue, green, waiting].map((one) =>
    ownedBy(one, controller),
  ) as [typeof gone, typeof gone, typeof gone];

  test('of two controllers the first one that lives stays', () => {
    expect(found(owned(byBlue, byGreen), blue, green)).toEqual([
      {
        at: 'Pod web-1',
        because:
          'ReplicaSet/blue and ReplicaSet/green are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object',
        consequences: ['none'],
        gcRule: 'GC-22.10',
        fix: 'leave ReplicaSet/blue as the only controller',
        edits: ['1: controller=false'],
      },
    ]);
  });

  test.each([
    ['a missing one yields to one that lives', [gone, byGreen], '0'],
    ['a missing one yields to one that waits', [gone, byWaiting], '0'],
    ['one that waits yields to one that lives', [byWaiting, byBlue], '0'],
    ['of two missing ones the first stays', [gone, { ...gone, uid: 'x' }], '1'],
    ['others are not touched', [ownedBy(blue), gone, byGreen], '1'],
  ])('%s', (_, references, edited) => {
    const [one] = found(owned(...references), blue, green, waiting);
    expect(one?.edits).toEqual([`${edited}: controller=false`]);
  });

  test('where only one of them lives, the reference to the other is removed', () => {
    const [one] = found(owned(byBlue, gone), blue);
    expect([one?.consequences, one?.gcRule]).toEqual([['reference removed'], 'GC-22.11']);
  });

  test('one controller among other owners is right', () => {
    const fine = owned(byBlue, ownedBy(green, { controller: false }), ownedBy(waiting));
    expect(found(fine, blue, green, waiting)).toEqual([]);
  });
});

describe('duplicate-uid', () => {
  const found = finder(duplicateUid);
  const web = replicaSet('web');
  const right = ownedBy(web);
  const wrong = ownedBy(web, { name: 'x' });
  const removing = 'removing one by uid removes them all';
  const finding = {
    at: 'Pod web-1 > ReplicaSet x',
    because: `2 references name uid uid-replicaset-shop-web; ${removing}`,
    consequences: ['reference removed'],
    gcRule: 'GC-22.11',
    fix: 'keep one of them',
    edits: ['1: removed'],
  };

  test('a right and a wrong reference with one uid go together, and the object is left without an owner', () => {
    expect(found(owned(right, wrong), web)).toEqual([finding]);
  });

  test('the one that is right is kept, wherever it stands', () => {
    const record = owned(wrong, ownedByGone('v1 Secret s'), right, ownedBy(web, { name: 'y' }));
    const because = `3 references name uid uid-replicaset-shop-web; ${removing}`;
    expect(found(record, web)).toEqual([
      { ...finding, because, edits: ['0: removed', '3: removed'] },
    ]);
  });

  test('two that differ in a flag only are harmless until one is to be removed', () => {
    expect(found(owned(right, { ...right, ...blocking }), web)).toEqual([
      { ...finding, at: 'Pod web-1 > ReplicaSet web', consequences: ['none'], gcRule: 'GC-22.10' },
    ]);
  });

  test('each uid is a case of its own', () => {
    const other = ownedByGone('apps/v1 ReplicaSet gone');
    const record = owned(right, other, wrong, { ...other, ...blocking });
    expect(found(record, web).map(({ at, edits }) => [at, edits])).toEqual([
      ['Pod web-1 > ReplicaSet gone', ['3: removed']],
      ['Pod web-1 > ReplicaSet x', ['2: removed']],
    ]);
  });

  test('different owners, and references without a uid, are no duplicates', () => {
    const draft = ownedByGone('v1 Secret s', { uid: '' });
    const fine = named('fine', right, ownedByGone('v1 Secret s'));
    expect(found(web, fine, named('draft', draft, draft))).toEqual([]);
  });
});
