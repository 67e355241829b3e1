import { expect, test } from 'vitest';
import { comparePolicies } from '../../../src/deletion/plan/compare-policies.ts';
import type { Plan, PlanRemark } from '../../../src/deletion/plan/plan.ts';
import { planDeletion } from '../../../src/deletion/plan/plan-deletion.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { configMap, deployment, ownedBy, pod, secret, snapshotOf } from '../../support/builders.ts';
import { context } from './planned.ts';

const web = deployment('web');
const held = pod('held', { ownerReferences: [ownedBy(web)], finalizers: ['x.com/drain'] });
const below = secret('below', { ownerReferences: [ownedBy(held)] });
const beside = configMap('beside', { ownerReferences: [ownedBy(web)] });
const records = [below, held, web, beside, secret('unrelated')];

const compared = (targets = [web], gracePeriodSeconds?: number) =>
  comparePolicies(
    snapshotOf(records, { unread: ['jobs.batch'] }),
    { targets, ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) },
    context,
  );

test('every object has what each policy makes of it, the targets first, then wave by wave', () => {
  const { objects } = compared([held, web]);
  expect(
    objects.map(({ object, background, foreground, orphan }) => [
      object.name,
      ...[background, foreground, orphan].map(({ fate, then }) => `${fate} ${then ?? ''}`.trim()),
    ]),
  ).toEqual([
    ['held', 'terminating deleted', 'terminating deleted', 'terminating deleted'],
    ['web', 'deleted', 'deleted', 'deleted'],
    ['beside', 'deleted', 'deleted', 'orphaned'],
    // In the foreground it is a race whether it is judged before its owner has the finalizer removed.
    ['below', 'kept deleted', 'unknown deleted', 'orphaned'],
  ]);
  expect(objects.map(({ object }) => object)).toEqual([held, web, beside, below].map(referenceTo));
});

test('an object that a policy does not affect is untouched', () => {
  const { objects } = compared();
  expect(objects.find(({ object }) => object.name === 'below')).toMatchObject({
    orphan: { fate: 'untouched', because: 'nothing happens to it' },
  });
  expect(objects.some(({ object }) => object.name === 'unrelated')).toBe(false);
});

test('counts are of what becomes of objects in the end', () => {
  const none = { deleted: 0, recreated: 0, orphaned: 0, kept: 0, terminating: 0, unknown: 0 };
  expect(compared().policies).toEqual({
    background: { ...none, deleted: 4 },
    foreground: { ...none, deleted: 4 },
    orphan: { ...none, deleted: 1, orphaned: 2 },
  });
});

test('a remark that several policies share is said once, of all of them', () => {
  const { remarks } = compared();
  expect(remarks.map(({ code, policies }) => [code, policies])).toEqual([
    ['data', ['background', 'foreground']],
    ['not-waited-for', ['foreground']],
    ['adopted', ['orphan']],
  ]);
});

test('says of which cluster and of what time it is, and what was not read', () => {
  const { apiVersion, kind, cluster, createdAt, coverage } = compared();
  expect({ apiVersion, kind, cluster, createdAt }).toEqual({
    apiVersion: 'kubectl-gc/v1',
    kind: 'DeletionComparison',
    cluster: context.cluster,
    createdAt: '2026-01-03T00:00:00Z',
  });
  expect(coverage).toMatchObject({ objects: 5 });
});

test('what admission says to a plan is asked of each policy, and the plan that exists is kept', () => {
  const snapshot = snapshotOf(records);
  const targets = [web];
  const remark = (name: string): PlanRemark => {
    return { code: 'may-be-refused', severity: 'warning', message: name, objects: [] };
  };
  const plan = planDeletion(snapshot, { targets, policy: 'Foreground' }, context);
  const known = {
    policy: 'Foreground' as const,
    plan: { ...plan, remarks: [...plan.remarks, remark('of all'), remark('of the known one')] },
    remarksOn: ({ objects }: Plan) => [
      remark('of all'),
      ...(objects.some(({ fate }) => fate === 'orphaned') ? [remark('of what is orphaned')] : []),
    ],
  };
  const { remarks } = comparePolicies(snapshot, { targets }, context, known);
  const said = remarks.filter(({ code }) => code === 'may-be-refused');
  expect(said.map(({ message, policies }) => [message, ...policies].join(' '))).toEqual([
    'of all background foreground orphan',
    'of the known one foreground',
    'of what is orphaned orphan',
  ]);
});
