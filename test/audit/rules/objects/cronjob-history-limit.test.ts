import { describe, expect, test } from 'vitest';
import { cronJobHistoryLimit } from '../../../../src/audit/rules/jobs.ts';
import { builderOf, job, ownedBy } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const cronJob = builderOf('batch/v1', 'CronJob');
const report = (successfulJobsHistoryLimit: number, failedJobsHistoryLimit: number) =>
  cronJob('report', { facts: { successfulJobsHistoryLimit, failedJobsHistoryLimit } });
const patch = (spec: string) =>
  `kubectl patch cronjob.batch/report -n shop --type=merge -p '${spec}'`;

describe('limits that keep too little', () => {
  test.each([
    [0, 'warning', 'nothing is kept of any run'],
    [3, undefined, 'nothing is kept of a run that fails'],
  ])('%d and 0', (successful, severity, words) => {
    expect(violationsOf(cronJobHistoryLimit, [report(successful, 0)])).toEqual([
      {
        at: 'CronJob report',
        message: `successfulJobsHistoryLimit ${successful} and failedJobsHistoryLimit 0: ${words}`,
        command: patch('{"spec":{"failedJobsHistoryLimit":1}}'),
        ...(severity && { severity }),
        consequence: 'a failed Job is deleted with its pods and their logs as soon as it has ended',
      },
    ]);
  });
});

test('limits that keep too much, with the Jobs that are there', () => {
  const many = report(90, 10);
  const jobs = ['a', 'b', 'c'].map((name, index) =>
    job(name, {
      ownerReferences: [ownedBy(index < 2 ? many : cronJob('other'), { controller: true })],
      facts: { conditions: [{ type: 'Complete', status: 'True' }] },
    }),
  );
  expect(violationsOf(cronJobHistoryLimit, [many, ...jobs])).toMatchObject([
    {
      message:
        'successfulJobsHistoryLimit 90 and failedJobsHistoryLimit 10: up to 100 finished Jobs and their pods are kept; 2 are there now',
      command: patch('{"spec":{"successfulJobsHistoryLimit":3,"failedJobsHistoryLimit":1}}'),
    },
  ]);
});

test.each([
  ['the defaults', cronJob('report', { facts: {} })],
  ['none of those that succeed', report(0, 1)],
  ['ninety-nine', report(90, 9)],
  ['of one that is being deleted', { ...report(0, 0), deletionTimestamp: '2026-01-02T00:00:00Z' }],
])('limits that are left alone: %s', (_, record) => {
  expect(violationsOf(cronJobHistoryLimit, [record])).toEqual([]);
});
