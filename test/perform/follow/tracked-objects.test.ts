import { expect, test } from 'vitest';
import { configMap, deployment, ownedBy, replicaSet } from '../../support/builders.ts';
import { planned } from '../send/plans.ts';
import { following } from './tracked.ts';

const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const deletionTimestamp = '2026-01-03T00:00:00Z';
const going = (...finalizers: string[]) => ({ ...set, deletionTimestamp, finalizers });

test('an object without a uid is not tracked, and one that is planned twice is tracked once', () => {
  const { tracked } = following(
    planned(web, 'deleted'),
    planned(set, 'orphaned', { uid: '' }),
    planned(web, 'kept'),
  );
  expect([...tracked.all].map(({ planned: { name, fate } }) => [name, fate])).toEqual([
    ['web', 'deleted'],
  ]);
});

test('objects of served kinds are waited for, and others cannot be read', () => {
  const { the } = following(
    planned(web, 'deleted'),
    planned(set, 'deleted', { apiVersion: 'gone.example.com/v1', kind: 'Gone' }),
  );
  expect([the(web.uid).unobservable, the(set.uid).unobservable]).toEqual([
    undefined,
    expect.stringMatching(/^Gone /),
  ]);
});

test('a terminating object is reported again when it has fewer finalizers', () => {
  const { tracked, told } = following(planned(set, 'deleted'));
  for (const record of [set, going('a/b', 'c/d'), going('a/b', 'c/d'), going('c/d'), going()]) {
    tracked.see(record);
  }
  tracked.gone(set.uid);
  expect(told).toEqual([
    'web-1 terminating [a/b,c/d]',
    'web-1 terminating [c/d]',
    'web-1 terminating []',
    'web-1 gone',
  ]);
});

test('finalizers of an object that is not terminating are no news', () => {
  const { tracked, told } = following(planned(set, 'deleted'));
  tracked.see(set);
  tracked.see({ ...set, finalizers: ['a/b'] });
  expect(told).toEqual([]);
});

test('a deleted object stays deleted, whatever a watch sends later', () => {
  const { tracked, told, the } = following(planned(set, 'deleted'));
  tracked.see(going('a/b'));
  tracked.gone(set.uid);
  tracked.see(set);
  tracked.gone(set.uid);
  tracked.lose(the(set.uid), 'it is forbidden');
  expect(told).toEqual(['web-1 terminating [a/b]', 'web-1 gone']);
  expect(the(set.uid)).toMatchObject({
    present: false,
    terminating: false,
    unobservable: undefined,
  });
});

test('an unobservable object is reported once, until it is seen again', () => {
  const { tracked, told, the } = following(planned(set, 'deleted'));
  tracked.lose(the(set.uid), 'it is forbidden');
  tracked.lose(the(set.uid), 'it is forbidden again');
  expect(the(set.uid).unobservable).toBe('it is forbidden');
  tracked.see(going());
  expect(the(set.uid).unobservable).toBeUndefined();
  expect(told).toEqual(['web-1 unknown', 'web-1 terminating []']);
});

test('how an object was at first is kept', () => {
  const { tracked, the } = following(planned(set, 'deleted'), planned(web, 'deleted'));
  tracked.see(going('a/b'));
  tracked.see({ ...set, ownerReferences: [] });
  tracked.see(web);
  tracked.see({ ...web, deletionTimestamp });
  const first = ({ wasTerminating, firstOwners }: ReturnType<typeof the>) => [
    wasTerminating,
    firstOwners,
  ];
  expect([first(the(set.uid)), first(the(web.uid))]).toEqual([
    [true, [web.uid]],
    [false, []],
  ]);
});

test('only a blocking reference blocks its owner', () => {
  const owners = [true, false, undefined].map((blockOwnerDeletion, index) =>
    ownedBy(configMap(`owner-${index}`), { blockOwnerDeletion }),
  );
  const { tracked, the } = following(planned(set, 'deleted'));
  tracked.see({ ...set, ownerReferences: owners });
  expect(the(set.uid).owners.map((owner) => owner.blockOwnerDeletion === true)).toEqual([
    true,
    false,
    false,
  ]);
});

test('an orphan has lost every owner that goes, and no other', () => {
  const [stays, goesLater] = [configMap('stays'), configMap('later')];
  const then = 'deleted' as const;
  const { tracked, the } = following(
    planned(web, 'deleted'),
    planned(stays, 'kept'),
    planned(goesLater, 'kept', { then }),
    planned(set, 'orphaned'),
  );
  const lostWith = (...owners: (typeof web)[]) => {
    tracked.see({ ...set, ownerReferences: owners.map((owner) => ownedBy(owner)) });
    return tracked.hasLostOwners(the(set.uid));
  };
  expect([lostWith(web), lostWith(stays), lostWith(stays, goesLater), lostWith()]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

test('a recreated object is reported once, and the old one is deleted', () => {
  const { tracked, told } = following(planned(set, 'recreated'));
  tracked.see(set);
  const again = { ...set, uid: 'another', ownerReferences: [] };
  tracked.see(again);
  tracked.see({ ...again, uid: 'a third' });
  expect(told).toEqual(['web-1 gone', 'web-1 recreated']);
  expect([tracked.isGone(set.uid), tracked.isGone('another')]).toEqual([true, false]);
});

test('a new dependent counts until it loses its owner, and stays gone once it is', () => {
  const late = replicaSet('late', { ownerReferences: [ownedBy(web)] });
  const { tracked } = following(planned(web, 'deleted'));
  const unplanned = () => [...tracked.unplanned.values()].map(({ gone }) => gone);
  tracked.see(late);
  expect(unplanned()).toEqual([false]);
  tracked.see({ ...late, ownerReferences: [] });
  expect(unplanned()).toEqual([]);
  tracked.see(late);
  tracked.gone(late.uid);
  tracked.see({ ...late, ownerReferences: [] });
  expect(unplanned()).toEqual([true]);
});

test('a dependent of what stays is no news', () => {
  const { tracked } = following(planned(web, 'kept'), planned(configMap('x'), 'orphaned'));
  tracked.see(replicaSet('late', { ownerReferences: [ownedBy(web)] }));
  tracked.see(replicaSet('later', { ownerReferences: [ownedBy(configMap('x'))] }));
  expect(tracked.unplanned.size).toBe(0);
});

test('every observation wakes the waiting run', async () => {
  const { tracked, the } = following(planned(web, 'deleted'), planned(set, 'deleted'));
  const late = replicaSet('late', { ownerReferences: [ownedBy(web)] });
  tracked.see(late);
  const steps = [
    () => tracked.see(set),
    () => tracked.gone(late.uid),
    () => tracked.lose(the(set.uid), 'it is forbidden'),
    () => tracked.gone(web.uid),
  ];
  for (const step of steps) {
    const waits = tracked.bell.wait(60_000, AbortSignal.timeout(5_000));
    const began = performance.now();
    step();
    await waits;
    expect(performance.now() - began).toBeLessThan(4_000);
  }
});
