import { expect, test } from 'vitest';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, job, node, pod } from '../../support/builders.ts';
import { planned } from './planned.ts';
import { by } from './told.ts';

const cronJob = builderOf('batch/v1', 'CronJob');
const pending: ObjectFacts = { nodeName: '', phase: 'Pending' };
const selector = { matchLabels: { app: 'import' } };
const finished = [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];

/** `Pod a: deleted (JOB-1)`, one line per object, when the first pod of a Job with these facts is deleted. */
function losing(
  facts: ObjectFacts,
  more: readonly ObjectRecord[] = [],
  details = {},
  ofPods = pending,
): string[] {
  const it = job('import', { facts: { selector, ...facts }, ...details });
  const pods = ['a', 'b'].map((name) => pod(name, { ...by(it), facts: ofPods }));
  const [first] = pods as [ObjectRecord];
  const records = [node('w1'), ...more, it, ...pods];
  return planned(records, first).objects.map(
    ({ kind, name, fate, rule }) => `${kind} ${name}: ${fate} (${rule})`,
  );
}

test('a Job fails by the deletion of a pod beyond its backoffLimit, and deletes its others', () => {
  expect(losing({ backoffLimit: 2, failed: 2 })).toEqual([
    'Pod a: deleted (GC-61)',
    'Pod b: deleted (JOB-1)',
  ]);
});

test('a Job that may lose one more pod replaces it', () => {
  expect(losing({ backoffLimit: 2, failed: 1 })).toEqual(['Pod a: recreated (GC-61)']);
});

test('a Job that fails goes itself where it has a time to live, now or later', () => {
  const [, ...others] = losing({ backoffLimit: 0, ttlSecondsAfterFinished: 0 });
  expect(others.sort()).toEqual(['Job import: deleted (TTL-4)', 'Pod b: deleted (JOB-1)']);
  const [, ...late] = losing({ backoffLimit: 0, ttlSecondsAfterFinished: 86_400 });
  expect(late.sort()).toEqual(['Job import: unknown (JOB-1)', 'Pod b: deleted (JOB-1)']);
});

test('a Job that fails is one too many for its CronJob', () => {
  const nightly = cronJob('nightly', { facts: { failedJobsHistoryLimit: 1 } });
  const startTime = '2026-01-01T00:00:00Z';
  const old = job('old', { ...by(nightly), facts: { conditions: finished, startTime } });
  const lines = losing(
    { backoffLimit: 0, startTime: '2026-01-02T00:00:00Z' },
    [nightly, old],
    by(nightly),
  );
  expect(lines.sort()).toEqual([
    'Job old: deleted (CJ-4)',
    'Pod a: deleted (GC-61)',
    'Pod b: deleted (JOB-1)',
  ]);
});

test.each<ObjectFacts>([
  { podFailurePolicy: true, podReplacementPolicy: 'Failed', ttlSecondsAfterFinished: 60 },
  { backoffLimitPerIndex: 1, backoffLimit: 2_147_483_647, ttlSecondsAfterFinished: 60 },
  { backoffLimit: 0, podReplacementPolicy: 'Failed', ttlSecondsAfterFinished: 60 },
])('where its own rules decide whether a deleted pod has failed, all may go: %o', (facts) => {
  expect(
    losing(facts)
      .filter((line) => !line.startsWith('Pod a:'))
      .sort(),
  ).toEqual(['Job import: unknown (JOB-1)', 'Pod b: unknown (JOB-1)']);
});

test('a pod that runs may fail or succeed when it is deleted: its Job may fail or be complete by that', () => {
  const running = { nodeName: 'w1', phase: 'Running' };
  const others = (facts: ObjectFacts) => losing(facts, [], {}, running).slice(1).sort();
  const ttl = { ttlSecondsAfterFinished: 60 };
  expect(others({ ...ttl, backoffLimit: 0, completions: 4 })).toEqual([
    'Job import: unknown (JOB-1)',
    'Pod b: unknown (JOB-1)',
  ]);
  expect(others({ ...ttl, backoffLimit: 6, completions: 2, succeeded: 1 })).toContain(
    'Job import: unknown (JOB-1)',
  );
  expect(others({ ...ttl, backoffLimit: 6, completions: 4 })).toEqual([]);
});

test('a Job of another manager, or one that has finished, does nothing about a deleted pod', () => {
  expect(losing({ backoffLimit: 0, managedBy: 'example.com/queue' })).toHaveLength(1);
  expect(losing({ backoffLimit: 0, conditions: finished })).toHaveLength(1);
});
