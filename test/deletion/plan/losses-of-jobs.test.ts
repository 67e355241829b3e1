import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, job, pod } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { planned } from './planned.ts';
import { by } from './told.ts';

const cronJob = builderOf('batch/v1', 'CronJob');
const pending: ObjectFacts = { nodeName: '', phase: 'Pending' };
const selector = { matchLabels: { app: 'import' } };
const finished = [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];

/** `Pod a: deleted (JOB-1)`, one line per object, when the first pod of a Job with these facts is deleted. */
function losing(facts: ObjectFacts, more: readonly ObjectRecord[] = [], details = {}): string[] {
  const it = job('import', { facts: { selector, ...facts }, ...details });
  const pods = ['a', 'b'].map((name) =>
    pod(name, { ...by(it), finalizers: ['batch.kubernetes.io/job-tracking'], facts: pending }),
  );
  const [first] = pods as [ObjectRecord];
  const records = [...more, it, ...pods];
  return planned(records, first).objects.map(
    ({ kind, name, fate, rule }) => `${kind} ${name}: ${fate} (${rule})`,
  );
}

const rows = rowsOf(`
  that fails beyond its backoffLimit, and deletes its others | {backoffLimit: 2, failed: 2}
      | Pod a: deleted (GC-61), Pod b: deleted (JOB-1)
  that may lose one more, and replaces it | {backoffLimit: 2, failed: 1} | Pod a: recreated (GC-61)
  that fails, and goes itself by its time to live | {backoffLimit: 0, ttlSecondsAfterFinished: 0}
      | Job import: deleted (TTL-4), Pod a: deleted (GC-61), Pod b: deleted (JOB-1)
  that fails, and may go later by its time to live | {backoffLimit: 0, ttlSecondsAfterFinished: 86400}
      | Job import: unknown (JOB-1), Pod a: deleted (GC-61), Pod b: deleted (JOB-1)
  that is suspended deletes it besides, and may count it | {suspend: true, backoffLimit: 0, ttlSecondsAfterFinished: 0}
      | Job import: unknown (JOB-1), Pod a: deleted (JOB-2)
  that decides by its own rules whether a pod has failed
      | {podFailurePolicy: true, podReplacementPolicy: Failed, ttlSecondsAfterFinished: 60}
      | Job import: unknown (JOB-1), Pod a: recreated (GC-61), Pod b: unknown (JOB-1)
`);
test.each(rows)('a Job %s', (_, facts = '', ends) => {
  expect(losing(parse(facts)).sort().join(', ')).toBe(ends);
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
