import { describe, expect, test } from 'vitest';
import { cronJobHistory } from '../../../src/controllers/jobs/cronjob-history.ts';
import type { ObjectFacts } from '../../../src/kube/object-record.ts';
import { builderOf, job, ownedBy } from '../../support/builders.ts';
import { ago, decide, decided, hour } from '../decided.ts';

const cronJob = builderOf('batch/v1', 'CronJob');
const minute = 60_000;

function jobOf(name: string, type: string, startedAgo: number | undefined, owner = cronJob('c')) {
  return job(name, {
    ownerReferences: [ownedBy(owner, { controller: true })],
    facts: {
      conditions: [{ type, status: 'True' }],
      ...(startedAgo !== undefined && { startTime: ago(startedAgo) }),
    },
  });
}

const limits = (successful: number, failed = 1): ObjectFacts => ({
  successfulJobsHistoryLimit: successful,
  failedJobsHistoryLimit: failed,
});

describe('TestControllerV2CleanupFinishedJobs', () => {
  const jobs = [jobOf('old', 'Complete', hour), jobOf('young', 'Complete', minute)];

  test("jobs are still deleted when a cronjob can't create jobs due to jobs quota being reached (avoiding a deadlock)", () => {
    expect(decided(cronJobHistory, [cronJob('c', { facts: limits(1) }), ...jobs])).toEqual(['old']);
  });

  test('jobs are not deleted if history limit not reached', () => {
    const records = [cronJob('c', { facts: limits(2) }), jobOf('one', 'Complete', hour)];
    expect(decided(cronJobHistory, records)).toEqual([]);
  });
});

test('successful ones first, each by its limit; those that did not start last, then by name (CJ-4)', () => {
  const jobs = [
    jobOf('f1', 'Failed', 2 * hour),
    jobOf('f2', 'Failed', hour),
    jobOf('s0b', 'Complete', undefined),
    jobOf('s0a', 'Complete', undefined),
    jobOf('sb', 'Complete', 3 * hour),
    jobOf('sa', 'Complete', 3 * hour),
    jobOf('running', 'Suspended', 9 * hour),
  ];
  const deleted = ['sa', 'sb', 's0a', 'f1'];
  const owner = cronJob('c', { facts: limits(1) });
  expect(decided(cronJobHistory, [owner, ...jobs])).toEqual(deleted);
  expect(decided(cronJobHistory, [owner, ...jobs.toReversed()])).toEqual(deleted);
});

test('from v1.37 on the uid of the controller counts, and not its name; no other CronJob counts (CJ-2)', () => {
  const owners = [cronJob('c'), cronJob('c', { uid: 'earlier' }), cronJob('d')];
  const jobs = owners.map((owner) => jobOf(`of-${owner.uid}`, 'Complete', hour, owner));
  const records = [cronJob('c', { facts: limits(0) }), ...jobs];
  const ends = (serverVersion: string) => decided(cronJobHistory, records, { serverVersion });
  const own = `of-${owners[0]?.uid}`;
  expect([ends('v1.36.3'), ends('v1.37.2')]).toEqual([['of-earlier', own], [own]]);
  const [decision] = decide(cronJobHistory, records);
  expect(decision?.options).toEqual({ propagationPolicy: 'Background' });
});

test('defaults are 3 and 1 (CJ-1), also when it is suspended or being deleted (CJ-6)', () => {
  const jobs = [1, 2, 3, 4].flatMap((n) => [
    jobOf(`s${n}`, 'Complete', (9 - n) * hour),
    jobOf(`f${n}`, 'Failed', (9 - n) * hour),
  ]);
  const owner = cronJob('c', { facts: { suspend: true }, deleting: 'background' });
  expect(decided(cronJobHistory, [owner, ...jobs])).toEqual(['s1', 'f1', 'f2', 'f3']);
});

test('a CronJob whose spec was not read has no limits to judge by', () => {
  const jobs = [1, 2, 3, 4].map((n) => jobOf(`s${n}`, 'Complete', n * hour));
  expect(decided(cronJobHistory, [cronJob('c'), ...jobs])).toEqual([]);
});

test('Replace takes what is active, but for its own that have finished; Forbid nothing (CJ-8, CJ-9)', () => {
  const running = job('running', { facts: {} });
  const activeJobs = ['running', 'done', 'let-go', 'gone'].map((name) => ({ name }));
  const letGo = { ...jobOf('let-go', 'Complete', hour), ownerReferences: [] };
  const records = [running, jobOf('done', 'Complete', hour), letGo];
  const of = (concurrencyPolicy: string) =>
    decide(cronJobHistory, [
      ...records,
      cronJob('c', { facts: { concurrencyPolicy, activeJobs, schedule: '@hourly' } }),
    ]).map(({ object, confidence, rule, options }) => [object.name, confidence, rule, options]);
  const options = { propagationPolicy: 'Background' };
  const taken = ['running', 'let-go'].map((name) => [name, 'likely', 'CJ-8', options]);
  expect([of('Replace'), of('Forbid')]).toEqual([taken, []]);
});
