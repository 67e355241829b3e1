import { expect, test } from 'vitest';
import { planDifference } from '../../../src/deletion/plan/plan-difference.ts';
import { deployment, ownedBy, pod, replicaSet } from '../../support/builders.ts';
import { planned } from './planned.ts';

const web = deployment('web', { resourceVersion: '7' });
const current = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const before = planned([web, current], web);
const wordsOf = (...plans: Parameters<typeof planDifference>) =>
  planDifference(...plans).map(({ words }) => words);

test('a plan made later from the same cluster does not differ', () => {
  const later = { ...before, createdAt: '2026-02-01T00:00:00Z' };
  expect(planDifference(before, later)).toEqual([]);
});

test('what changed is told object by object', () => {
  const boss = deployment('boss');
  const target = { ...web, ownerReferences: [ownedBy(boss)] };
  const replaced = { ...current, uid: 'uid-new' };
  const added = pod('web-1-a', { ownerReferences: [ownedBy(replaced)], finalizers: ['a.com/b'] });
  const after = planned([boss, target, replaced, added], target, { policy: 'Background' });
  expect(wordsOf(before, after)).toEqual([
    'deployment.apps/web in namespace shop was changed: its owner references: ["uid-deployment-shop-boss"] (was: [])',
    'pod/web-1-a in namespace shop is new: terminating',
    'replicaset.apps/web-1 in namespace shop was replaced: its uid is uid-new (was: uid-replicaset-shop-web-1)',
  ]);
});

test('a target that was only written to is no change, except where its resourceVersion is all that is known', () => {
  const written = { ...web, resourceVersion: '8', labels: { tier: 'x', app: 'web' } };
  expect(wordsOf(before, planned([written, current], written))).toEqual([]);
  const selected = (by: 'labels' | 'fields', target: typeof web) =>
    planned([target, current], target, { selectedBy: by });
  const words = (by: 'labels' | 'fields') => wordsOf(selected(by, web), selected(by, written));
  expect(words('labels')).toEqual([
    'deployment.apps/web in namespace shop was changed: its labels: {"app":"web","tier":"x"} (was: {})',
  ]);
  expect(words('fields')).toEqual([
    'deployment.apps/web in namespace shop was changed: its resourceVersion: 8 (was: 7)',
  ]);
});

test('what goes away, ends otherwise or is asked otherwise is a difference', () => {
  const held = { ...current, finalizers: ['shop.example.com/drain'] };
  expect(wordsOf(before, planned([web], web))).toEqual([
    'replicaset.apps/web-1 in namespace shop is not touched any more (was: deleted)',
  ]);
  expect(wordsOf(before, planned([web, held], web))).toEqual([
    'replicaset.apps/web-1 in namespace shop would now be terminating (was: deleted)',
  ]);
  const then = 'kept' as const;
  const later = { ...before, objects: before.objects.map((one) => ({ ...one, then })) };
  expect(wordsOf(before, later)[0]).toMatch(/would now be kept \(was: deleted\)$/);
  const other = planned([web, current], web, { gracePeriodSeconds: 1 });
  expect(planDifference(before, other)).toEqual([
    {
      kind: 'other-request',
      words: 'deployment.apps/web in namespace shop is requested with other options',
    },
  ]);
});

test('another cluster is told by its uid, and by its address where a uid is missing', () => {
  const elsewhere = (server: string, uid: string) =>
    wordsOf(before, { ...before, cluster: { server, uid } });
  expect(elsewhere('https://other.example.com', 'uid-of-kube-system')).toEqual([]);
  expect(elsewhere('https://shop.example.com', '')).toEqual([]);
  expect(elsewhere('https://other.example.com', '')).toEqual([
    'the plan is for https://shop.example.com, and this is https://other.example.com',
  ]);
  expect(elsewhere('https://shop.example.com', 'another')).toHaveLength(1);
});
