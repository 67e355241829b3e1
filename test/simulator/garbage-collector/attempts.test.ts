import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { Written } from '../../../src/simulator/api-server/api-server.ts';
import type { Outcome } from '../../../src/simulator/engine/work-queue.ts';
import type { Lookup } from '../../../src/simulator/garbage-collector/owner-lookup.ts';
import { AbsentOwnerCache } from '../../../src/simulator/garbage-collector/ownership-graph.ts';
import {
  blocking,
  configMap,
  gadget,
  ownedBy,
  ownedByGone,
  pod,
  secret,
} from '../../support/builders.ts';
import {
  type Answers,
  absent,
  attempt,
  changed,
  failing,
  found,
  refused,
  unchanged,
} from './attempt.ts';

const gone = ownedByGone('v1 ConfigMap gone');
const orphaned = secret('child', { ownerReferences: [gone] });
const codes: [number, Outcome][] = [
  [0, 'retry'],
  [403, 'requeue'],
  [409, 'retry'],
  [422, 'requeue'],
  [429, 'retry'],
  [499, 'requeue'],
  [500, 'retry'],
  [503, 'retry'],
];

/** What a GET may find instead of an object, and what follows. */
const lookups: [string, Lookup, Outcome][] = [
  ['the API server does not answer', failing('no-answer'), 'retry'],
  ['has an unserved kind', failing('unresolvable'), 'requeue'],
  ['is not read', failing('unknown'), 'requeue'],
  ['is namespaced', failing('namespaced-owner-of-cluster-object'), 'forget'],
];

describe('what the object itself is', () => {
  const child = secret('child', { ownerReferences: [gone] });
  const dependent = configMap('dependent', { ownerReferences: [ownedBy(child)] });

  test.each(lookups)('leads to nothing where %s', (_, lookup, outcome) => {
    const got = attempt([child, dependent], child, { self: [lookup] });
    expect([got.outcome, got.asked, got.isKnown]).toEqual([outcome, ['get child'], true]);
  });

  test('is not asked for where it is being deleted and waits for no dependents', () => {
    const going = secret('child', { ownerReferences: [gone], deleting: 'background' });
    expect(attempt([going], going)).toMatchObject({ outcome: 'forget', asked: [] });
  });
});

describe('its owners', () => {
  const alive = configMap('alive');
  const waiting = configMap('waiting', { deleting: 'foreground' });
  const lines = (record: ObjectRecord, answers: Answers = {}) =>
    attempt([alive, waiting, record], record, answers);

  test('are all absent: it is deleted, by the policy that its finalizers ask for', () => {
    const deleted = (...finalizers: string[]) =>
      lines(secret('child', { ownerReferences: [gone], finalizers })).told;
    const by = (policy: string) => [`delete child removed ${policy} (GC-22.13): it is not there`];
    expect([deleted(), deleted('orphan'), deleted('foregroundDeletion')]).toEqual([
      by('Background'),
      by('Orphan'),
      by('Foreground'),
    ]);
  });

  test.each(codes)('are absent, and the deletion is answered with %i: %s', (code, outcome) => {
    const got = lines(orphaned, { deletion: refused(code) });
    expect(got.outcome).toBe(outcome);
    expect(got.told).toHaveLength(code === 409 ? 0 : 1);
  });

  test('are absent where the object of their name has another uid', () => {
    const cache = new AbsentOwnerCache();
    const told = (answers: Answers = {}) => attempt([orphaned], orphaned, answers, cache).told;
    const because = expect.stringMatching(
      /^delete child removed Background \(GC-22\.13\): .* another uid$/,
    );
    expect([told({ owners: { gone: found(configMap('gone')) } }), told()]).toEqual([
      [because],
      [because],
    ]);
    const ownerReferences = [ownedByGone('example.com/v1 Gadget g')];
    const [byCluster, elsewhere] = ['shop', 'elsewhere'].map((namespace) =>
      secret('child', { namespace, ownerReferences }),
    ) as [ObjectRecord, ObjectRecord];
    const ofCluster = new AbsentOwnerCache();
    attempt([byCluster], byCluster, { owners: { g: found(gadget('g')) } }, ofCluster);
    expect(attempt([elsewhere], elsewhere, {}, ofCluster).asked).not.toContain('owner elsewhere/g');
  });

  test('live: nothing happens', () => {
    const got = lines(secret('child', { ownerReferences: [ownedBy(alive)] }));
    expect([got.outcome, got.asked, got.told]).toEqual([
      'forget',
      ['get child', 'owner shop/alive'],
      [],
    ]);
  });

  test('live and are absent: only the references to the absent ones go', () => {
    const child = secret('child', { ownerReferences: [gone, ownedBy(alive), ownedBy(waiting)] });
    const got = lines(child);
    expect(got.told).toEqual([expect.stringMatching(/^patch child changed \(GC-22\.11\): /)]);
    expect(got.outcome).toBe('forget');
    const [patch] = got.patches;
    expect(patch?.merge(child.ownerReferences)).toEqual([ownedBy(alive)]);
    expect(patch?.replace(child)).toEqual([ownedBy(alive)]);
    expect(patch?.strategic).toEqual([
      { $patch: 'delete', uid: gone.uid },
      { $patch: 'delete', uid: waiting.uid },
    ]);
    const onlyWaiting = secret('child', { ownerReferences: [ownedBy(alive), ownedBy(waiting)] });
    expect(lines(onlyWaiting).asked.at(-1)).toBe('patch child');
  });

  test.each(codes)('partly absent, and the patch fails with %i: %s', (code, outcome) => {
    const child = secret('child', { ownerReferences: [gone, ownedBy(alive)] });
    const got = lines(child, { patch: refused(code) });
    expect([got.outcome, got.told]).toEqual([outcome, []]);
  });

  test('live, until their finalizers or their grace period release them', () => {
    const held = configMap('held', { deleting: 'background', finalizers: ['a.com/x', 'b.com/y'] });
    const slow = pod('slow', { deleting: 'background', deletionGracePeriodSeconds: 30 });
    const child = secret('child', { ownerReferences: [gone, ownedBy(held), ownedBy(slow)] });
    const some = secret('child', { ownerReferences: [gone, ownedBy(alive), ownedBy(waiting)] });
    const reasons = [...lines(some).told, ...attempt([held, slow, child], child).told];
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "patch child changed (GC-22.11): it is not there; ConfigMap alive exists; ConfigMap waiting is being deleted in the foreground: references to owners that do not exist are removed
      patch child changed (GC-22.11): it is not there; ConfigMap held exists, being deleted until a.com/x, b.com/y is removed; Pod slow exists, being deleted until its grace period ends: references to owners that do not exist are removed"
    `);
  });

  test.each(lookups)('lead to nothing where of one of them %s', (_, lookup, outcome) => {
    const child = secret('child', { ownerReferences: [gone, ownedBy(alive)] });
    const got = lines(child, { owners: { alive: lookup } });
    expect([got.outcome, got.told]).toEqual([outcome, []]);
    expect(got.unknown).toEqual(lookup.kind === 'unknown' ? [[child.uid, 'it is unknown']] : []);
  });
});

describe('its owner waits, and it has dependents', () => {
  const waiting = configMap('waiting', { deleting: 'foreground' });
  const child = secret('child', {
    ownerReferences: [ownedBy(waiting, blocking), ownedBy(configMap('other'))],
  });
  const owners = { other: absent() };
  const deleted = expect.stringMatching(/^delete child removed Foreground \(GC-22\.12\): /);

  test('in a circle its references stop blocking before', () => {
    const ending = configMap('below', {
      ownerReferences: [ownedBy(child)],
      deleting: 'foreground',
    });
    const got = attempt([waiting, child, ending], child, { owners });
    expect(got.told).toEqual([expect.stringMatching(/^patch child changed \(GC-32\): /), deleted]);
    const [patch] = got.patches;
    const [blocked, other] = child.ownerReferences;
    if (!blocked || !other) throw new Error('two owners');
    const released = { ...blocked, blockOwnerDeletion: false };
    expect(patch?.strategic).toEqual([released]);
    expect(patch?.merge([other, blocked])).toEqual([other, released]);
    // What is not stored any more comes back, as with a strategic merge.
    expect(patch?.merge([other])).toEqual([other, released]);
    expect(patch?.replace(child)).toEqual([released, { ...other, blockOwnerDeletion: false }]);
    const silent = attempt([waiting, child, ending], child, { owners, patch: unchanged });
    expect(silent.told).toEqual([deleted]);
  });

  test.each(codes)('in a circle, and the patch is answered with %i: %s', (code, outcome) => {
    const ending = configMap('below', {
      ownerReferences: [ownedBy(child)],
      deleting: 'foreground',
    });
    const got = attempt([waiting, child, ending], child, { owners, patch: refused(code) });
    expect([got.outcome, got.told]).toEqual([outcome, []]);
    expect(got.asked.at(-1)).toBe('patch child');
  });
});

describe('it waits for its own dependents', () => {
  const owner = configMap('owner', { deleting: 'foreground', finalizers: ['a.com/x'] });
  const loose = secret('loose', { ownerReferences: [ownedBy(owner)] });

  /** The first GET is that of the attempt. */
  const release = (self: readonly Lookup[], finalizers: readonly Written[] = [changed]) => {
    const { outcome, asked, told } = attempt([owner, loose], owner, {
      self: [found(owner), ...self],
      finalizers,
    });
    return [outcome, asked.slice(1).join(', '), told.length];
  };
  const write = 'get owner, finalizers owner [a.com/x]';

  test.each<[string, Lookup]>([
    ['forget', found(configMap('owner', { deleting: 'background' }))],
    ['forget', absent()],
    ['retry', failing('no-answer')],
    ['requeue', failing('unknown')],
    ['requeue', failing('unresolvable')],
  ])(
    'nothing is written without its finalizer or the object, or if it cannot be read: %s',
    (outcome, lookup) => {
      expect(release([lookup])).toEqual([outcome, 'get owner', 0]);
    },
  );

  test('a conflict is tried four times, with pauses that grow', () => {
    const self = [found(owner)];
    expect(release(self, [refused(409), changed])).toEqual([
      'forget',
      `${write}, pause 10, ${write}`,
      1,
    ]);
    expect(release(self, [refused(409)])).toEqual([
      'retry',
      `${write}, pause 10, ${write}, pause 50, ${write}, pause 250, ${write}`,
      0,
    ]);
  });

  test('a refusal is tried later, and immediately if the object was deleted by then', () => {
    expect(release([found(owner)], [refused(403)])).toEqual(['requeue', write, 0]);
    expect(release([found(owner)], [refused(404)])).toEqual(['retry', write, 0]);
  });
});

describe('orphaning', () => {
  const owner = configMap('owner', { deleting: 'orphan' });
  const [one, two] = [secret('one'), secret('two')].map((record) => ({
    ...record,
    ownerReferences: [gone, ownedBy(owner)],
  }));
  if (!one || !two) throw new Error('two dependents');
  const orphan = (answers: Answers = {}, records = [owner, one, two]) =>
    attempt(records, owner, answers, new AbsentOwnerCache(), 'orphan');

  test.each(codes)('a patch that is answered with %i keeps the owner: %s', (code, outcome) => {
    const got = orphan({ patch: refused(code) });
    expect([got.outcome, got.asked, got.told]).toEqual([outcome, ['patch one', 'patch two'], []]);
  });

  test('a deleted dependent is orphaned', () => {
    const got = orphan({ patch: refused(404) });
    expect([got.outcome, got.told]).toEqual([
      'forget',
      [expect.stringMatching(/^patch owner changed \(GC-37\): /)],
    ]);
  });

  test.each<[string, Answers, Outcome]>([
    ['is not allowed', { finalizers: [refused(403)] }, 'requeue'],
    ['meets endless conflicts', { finalizers: [refused(409)] }, 'retry'],
    ['finds the owner gone', { self: [absent()] }, 'forget'],
    ['gets no answer', { self: [failing('no-answer')] }, 'retry'],
  ])('to release the owner %s', (_, answers, outcome) => {
    const got = orphan(answers);
    expect([got.outcome, got.told.length]).toEqual([outcome, 2]);
  });
});
