import { expect, test } from 'vitest';
import type { Plan } from '../../../src/deletion/plan/plan.ts';
import { planDifference } from '../../../src/deletion/plan/plan-difference.ts';
import { deployment, ownedBy, pod, replicaSet } from '../../support/builders.ts';
import { planned } from './planned.ts';

const web = deployment('web', { resourceVersion: '7' });
const current = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const before = planned([web, current], web);
const kindsOf = (...plans: Parameters<typeof planDifference>) =>
  planDifference(...plans).map(({ kind }) => kind);
const wordsOf = (...plans: readonly (readonly [Plan, Plan])[]) =>
  plans.flatMap(([one, other]) => planDifference(one, other).map(({ words }) => words)).join('\n');

test('a plan made later from the same cluster does not differ', () => {
  const later = { ...before, createdAt: '2026-02-01T00:00:00Z' };
  expect(planDifference(before, later)).toEqual([]);
});

test('changes are listed object by object', () => {
  const boss = deployment('boss');
  const target = { ...web, ownerReferences: [ownedBy(boss)] };
  const replaced = { ...current, uid: 'uid-new' };
  const added = pod('web-1-a', { ownerReferences: [ownedBy(replaced)], finalizers: ['a.com/b'] });
  const after = planned([boss, target, replaced, added], target, { policy: 'Background' });
  expect(kindsOf(before, after)).toEqual(['changed', 'appeared', 'replaced']);
  expect(wordsOf([before, after])).toMatchInlineSnapshot(`
    "deployment.apps/web in namespace shop was changed: its owner references: ["uid-deployment-shop-boss"] (was: [])
    pod/web-1-a in namespace shop is new: terminating
    replicaset.apps/web-1 in namespace shop was replaced: its uid is uid-new (was: uid-replicaset-shop-web-1)"
  `);
});

test('a target that was only written to is no change, except where its resourceVersion is all that is known', () => {
  const written = { ...web, resourceVersion: '8', labels: { tier: 'x', app: 'web' } };
  expect(kindsOf(before, planned([written, current], written))).toEqual([]);
  const selected = (by: 'labels' | 'fields', target: typeof web) =>
    planned([target, current], target, { selectedBy: by });
  const plans = (['labels', 'fields'] as const).map(
    (by) => [selected(by, web), selected(by, written)] as const,
  );
  expect(plans.map((pair) => kindsOf(...pair))).toEqual([['changed'], ['changed']]);
  expect(wordsOf(...plans)).toMatchInlineSnapshot(`
    "deployment.apps/web in namespace shop was changed: its labels: {"app":"web","tier":"x"} (was: {})
    deployment.apps/web in namespace shop was changed: its resourceVersion: 8 (was: 7)"
  `);
});

test('an object that is not deleted any more, ends otherwise or has another request is a difference', () => {
  const held = { ...current, finalizers: ['shop.example.com/drain'] };
  const then = 'kept' as const;
  const later = [
    planned([web], web),
    planned([web, held], web),
    { ...before, objects: before.objects.map((one) => ({ ...one, then })) },
    planned([web, current], web, { gracePeriodSeconds: 1 }),
  ];
  expect(later.map((plan) => kindsOf(before, plan))).toEqual([
    ['vanished'],
    ['other-fate'],
    ['other-fate', 'other-fate'],
    ['other-request'],
  ]);
  expect(wordsOf(...later.map((plan) => [before, plan] as const))).toMatchInlineSnapshot(`
    "replicaset.apps/web-1 in namespace shop is not touched any more (was: deleted)
    replicaset.apps/web-1 in namespace shop would now be terminating (was: deleted)
    deployment.apps/web in namespace shop would now be kept (was: deleted)
    replicaset.apps/web-1 in namespace shop would now be kept (was: deleted)
    deployment.apps/web in namespace shop is requested with other options"
  `);
});

test('a plan recognizes another cluster by its uid, and by its address if a uid is missing', () => {
  const elsewhere = (server: string, uid: string) => ({ ...before, cluster: { server, uid } });
  const other = elsewhere('https://other.example.com', '');
  expect(
    [
      elsewhere('https://other.example.com', 'uid-of-kube-system'),
      elsewhere('https://shop.example.com', ''),
      elsewhere('https://shop.example.com', 'another'),
      other,
    ].map((plan) => kindsOf(before, plan)),
  ).toEqual([[], [], ['other-cluster'], ['other-cluster']]);
  expect(wordsOf([before, other])).toMatchInlineSnapshot(
    `"the plan is for https://shop.example.com, and this is https://other.example.com"`,
  );
});
