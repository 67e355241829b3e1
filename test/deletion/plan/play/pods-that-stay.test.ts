import { expect, test } from 'vitest';
import { mayDeleteMore } from '../../../../src/deletion/plan/plan-totals.ts';
import type { ObjectRecord } from '../../../../src/kube/object-record.ts';
import type { SeenSettings } from '../../../../src/settings/controller-settings.ts';
import { configMap, job, node, ownedBy, pod } from '../../../support/builders.ts';
import { fatesOfPlan, planned } from '../planned.ts';

const ready = { facts: { conditions: [{ type: 'Ready', status: 'True' }], taints: [] } };
const worker = node('worker', ready);
const held = { finalizers: ['acme.io/report'] };

function runs(name: string, more: Partial<ObjectRecord> = {}): ObjectRecord {
  return pod(name, { ...more, facts: { nodeName: 'worker', phase: 'Running', ...more.facts } });
}

function ended(name: string, hour: number, more: Partial<ObjectRecord> = {}): ObjectRecord {
  return pod(name, {
    namespace: 'jobs',
    creationTimestamp: `2026-01-02T0${hour}:00:00Z`,
    facts: { nodeName: 'other', phase: 'Succeeded' },
    ...more,
  });
}

const [oldest, second, third] = [ended('oldest', 1), ended('second', 2), ended('third', 3)];
const log = configMap('log', { namespace: 'jobs', ownerReferences: [ownedBy(oldest)] });
const others = [worker, node('other', ready), oldest, second, third, log];

function fatesOf(target: ObjectRecord, settings: SeenSettings, more: readonly ObjectRecord[] = []) {
  return fatesOfPlan(planned([target, ...others, ...more], target, {}, {}, { settings }));
}

test('the oldest ended Pod, and what it owns, may be deleted with a Pod that a finalizer blocks', () => {
  expect(fatesOf(runs('web', held), {})).toEqual([
    'web: terminating',
    'log: unknown',
    'oldest: unknown',
  ]);
});

test('no ended Pod is deleted with a Pod that no finalizer blocks', () => {
  expect(fatesOf(runs('web'), {})).toEqual(['web: deleted']);
});

test('a finalizer that the Job controller removes keeps no Pod that ends', () => {
  const owner = job('batch');
  const tracked = runs('web', {
    finalizers: ['batch.kubernetes.io/job-tracking'],
    ownerReferences: [ownedBy(owner, { controller: true })],
  });
  expect(fatesOf(tracked, {}, [owner])).not.toContain('oldest: unknown');
});

test('no ended Pod is deleted below a threshold that was read', () => {
  expect(fatesOf(runs('web', held), { terminatedPodGCThreshold: 4 })).toEqual(['web: terminating']);
});

test('ended Pods may be deleted at a threshold that was read', () => {
  expect(fatesOf(runs('web', held), { terminatedPodGCThreshold: 3 })).toEqual([
    'web: terminating',
    'log: unknown',
    'oldest: unknown',
  ]);
});

test('no ended Pod is deleted without a threshold, or without pod garbage collection', () => {
  for (const settings of [
    { terminatedPodGCThreshold: 0 },
    { controllers: ['*', '-pod-garbage-collector-controller'] },
  ]) {
    expect(fatesOf(runs('web', held), settings)).toEqual(['web: terminating']);
  }
});

test('as many ended Pods may be deleted as end and stay with their Node, after those that are being deleted', () => {
  const stuck = ended('stuck', 0, { ...held, deletionTimestamp: '2026-01-02T12:00:00Z' });
  const pods = [runs('web', held), runs('db', held), stuck];
  const plan = planned([...others, ...pods], worker);
  const open = plan.objects.filter(({ fate }) => fate === 'unknown').map(({ name }) => name);
  expect(open).toEqual(expect.arrayContaining(['oldest', 'second', 'log']));
  expect(plan.objects.map(({ name }) => name)).not.toContain('third');
});

test('ended Pods of other namespaces that could not be listed make a plan a lower bound', () => {
  const around = { endedPodsUnread: true } as const;
  const web = runs('web', held);
  const plan = planned([web, worker], web, {}, {}, around);
  expect(plan.remarks.map(({ code }) => code)).toContain('ended-pods');
  expect(mayDeleteMore(plan)).toBe(true);
  const plain = runs('web');
  expect(mayDeleteMore(planned([plain, worker], plain, {}, {}, around))).toBe(false);
});
