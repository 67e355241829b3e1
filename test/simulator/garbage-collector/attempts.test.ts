import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { Written } from '../../../src/simulator/api-server/api-server.ts';
import type { Outcome } from '../../../src/simulator/garbage-collector/attempts.ts';
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

describe('what the object itself is', () => {
  const child = secret('child', { ownerReferences: [gone] });
  const dependent = configMap('dependent', { ownerReferences: [ownedBy(child)] });

  test.each<[string, Lookup, Outcome]>([
    ['the API server does not answer', failing('no-answer'), 'retry'],
    ['its kind is not served', failing('unresolvable'), 'requeue'],
    ['the input says nothing of it', failing('unknown'), 'requeue'],
    [
      'it is looked for in a namespace it cannot have',
      failing('namespaced-owner-of-cluster-object'),
      'forget',
    ],
  ])('leads to nothing where %s', (_, lookup, outcome) => {
    const got = attempt([child, dependent], child, { self: [lookup] });
    expect([got.outcome, got.asked, got.isKnown]).toEqual([outcome, ['get child'], true]);
  });

  test('makes its dependents unknown where the input says nothing of it', () => {
    const got = attempt([child, dependent], child, { self: [failing('unknown')] });
    expect(got.unknown).toEqual([[dependent.uid, 'it is unknown']]);
    expect(attempt([child, dependent], child, { self: [failing('no-answer')] }).unknown).toEqual(
      [],
    );
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
    const deleted = (finalizers: string[]) =>
      lines(secret('child', { ownerReferences: [gone], finalizers })).told;
    expect(deleted([])).toEqual(['delete child removed Background (GC-22.13): it is not there']);
    expect(deleted(['orphan'])).toEqual([
      'delete child removed Orphan (GC-22.13): it is not there',
    ]);
    expect(deleted(['foregroundDeletion'])).toEqual([
      'delete child removed Foreground (GC-22.13): it is not there',
    ]);
  });

  test.each(codes)('are absent, and the deletion is answered with %i: %s', (code, outcome) => {
    const got = lines(orphaned, { deletion: refused(code) });
    expect(got.outcome).toBe(outcome);
    expect(got.told).toHaveLength(code === 409 ? 0 : 1);
  });

  test('are absent, and the object is gone when it is to be deleted', () => {
    const got = lines(orphaned, { deletion: refused(404) });
    expect([got.outcome, got.told, got.forgotten.length]).toEqual(['forget', [], 1]);
  });

  test('are absent where the object of their name has another uid', () => {
    const cache = new AbsentOwnerCache();
    const reborn = { owners: { gone: found(configMap('gone')) } };
    expect(attempt([orphaned], orphaned, reborn, cache).told).toEqual([
      'delete child removed Background (GC-22.13): the ConfigMap gone in namespace shop has another uid',
    ]);
    expect(attempt([orphaned], orphaned, {}, cache).told).toEqual([
      'delete child removed Background (GC-22.13): the ConfigMap gone in namespace shop has another uid',
    ]);
    const byCluster = secret('child', {
      ownerReferences: [ownedByGone('example.com/v1 Gadget g')],
    });
    const clusterCache = new AbsentOwnerCache();
    attempt([byCluster], byCluster, { owners: { g: found(gadget('g')) } }, clusterCache);
    const elsewhere = secret('other', {
      namespace: 'elsewhere',
      ownerReferences: byCluster.ownerReferences,
    });
    expect(attempt([elsewhere], elsewhere, {}, clusterCache).asked).not.toContain(
      'owner elsewhere/g',
    );
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
    expect(got.told).toEqual([
      'patch child changed (GC-22.11): it is not there; ConfigMap alive exists; ConfigMap waiting is being deleted in the foreground: only references to living owners stay',
    ]);
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

  test.each(codes)(
    'live and are absent, and the patch is answered with %i: %s',
    (code, outcome) => {
      const child = secret('child', { ownerReferences: [gone, ownedBy(alive)] });
      const got = lines(child, { patch: refused(code) });
      expect([got.outcome, got.told]).toEqual([outcome, []]);
    },
  );

  test('live, until their finalizers or their grace period let them go', () => {
    const held = configMap('held', { deleting: 'background', finalizers: ['a.com/x', 'b.com/y'] });
    const slow = pod('slow', { deleting: 'background', deletionGracePeriodSeconds: 30 });
    const child = secret('child', { ownerReferences: [gone, ownedBy(held), ownedBy(slow)] });
    expect(attempt([held, slow, child], child).told).toEqual([
      'patch child changed (GC-22.11): it is not there; ConfigMap held exists until a.com/x, b.com/y lets it go; Pod slow exists until its grace period lets it go: only references to living owners stay',
    ]);
  });

  test.each<[string, Lookup, Outcome, boolean]>([
    ['the API server does not answer', failing('no-answer'), 'retry', false],
    ['its kind is not served', failing('unresolvable'), 'requeue', false],
    ['the input says nothing of it', failing('unknown'), 'requeue', true],
    [
      'it is looked for in a namespace it cannot have',
      failing('namespaced-owner-of-cluster-object'),
      'forget',
      false,
    ],
  ])('lead to nothing where of one of them %s', (_, lookup, outcome, isUnknown) => {
    const child = secret('child', { ownerReferences: [gone, ownedBy(alive)] });
    const got = lines(child, { owners: { alive: lookup } });
    expect([got.outcome, got.told]).toEqual([outcome, []]);
    expect(got.unknown).toEqual(isUnknown ? [[child.uid, 'it is unknown']] : []);
  });

  test('wait, and nothing depends on it: it is deleted as any other', () => {
    const child = secret('child', { ownerReferences: [ownedBy(waiting)] });
    expect(lines(child).told).toEqual([
      'delete child removed Background (GC-22.13): ConfigMap waiting is being deleted in the foreground',
    ]);
  });
});

describe('its owner waits, and it has dependents', () => {
  const waiting = configMap('waiting', { deleting: 'foreground' });
  const child = secret('child', {
    ownerReferences: [ownedBy(waiting, blocking), ownedBy(configMap('other'))],
  });
  const below = configMap('below', { ownerReferences: [ownedBy(child)] });
  const owners = { other: absent() };
  const deleted =
    'delete child removed Foreground (GC-22.12): ConfigMap waiting is being deleted in the foreground; it is not there';

  test('it is deleted in the foreground', () => {
    expect(attempt([waiting, child, below], child, { owners }).told).toEqual([deleted]);
  });

  test('in a circle its references stop blocking before', () => {
    const ending = configMap('below', {
      ownerReferences: [ownedBy(child)],
      deleting: 'foreground',
    });
    const got = attempt([waiting, child, ending], child, { owners });
    expect(got.told).toEqual([
      'patch child changed (GC-32): one of its dependents is itself being deleted in the foreground, so its own references stop blocking',
      deleted,
    ]);
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

  test('nothing is written where the finalizer or the object is gone', () => {
    expect(release([found(configMap('owner', { deleting: 'background' }))])).toEqual([
      'forget',
      'get owner',
      0,
    ]);
    expect(release([absent()])).toEqual(['forget', 'get owner', 0]);
  });

  test('another try follows where the object cannot be read', () => {
    expect(release([failing('no-answer')])).toEqual(['retry', 'get owner', 0]);
    expect(release([failing('unknown')])).toEqual(['requeue', 'get owner', 0]);
    expect(release([failing('unresolvable')])).toEqual(['requeue', 'get owner', 0]);
  });

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

  test('a refusal is tried later, and at once where the object is gone by then', () => {
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

  test('a dependent that is gone is orphaned', () => {
    const got = orphan({ patch: refused(404) });
    expect([got.outcome, got.told]).toEqual([
      'forget',
      ['patch owner changed (GC-37): all its dependents have been orphaned'],
    ]);
  });

  test.each<[string, Answers, Outcome]>([
    ['is not allowed', { finalizers: [refused(403)] }, 'requeue'],
    ['meets another write each time', { finalizers: [refused(409)] }, 'retry'],
    ['finds the owner gone', { self: [absent()] }, 'forget'],
    ['gets no answer', { self: [failing('no-answer')] }, 'retry'],
  ])('to let the owner go %s', (_, answers, outcome) => {
    const got = orphan(answers);
    expect([got.outcome, got.told.length]).toEqual([outcome, 2]);
  });
});
