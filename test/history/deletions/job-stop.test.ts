import { expect, test } from 'vitest';
import { jobStopAt } from '../../../src/history/deletions/job-stop.ts';
import { builderOf } from '../../support/builders.ts';

const noon = Date.parse('2026-01-31T12:00:00Z');
const job = builderOf('batch/v1', 'Job');
const past = (seconds: number) => new Date(noon - seconds * 1000).toISOString();

function ruleOf(facts: object, at = noon) {
  return jobStopAt(job('report', { namespace: 'shop', facts }), at)?.rule;
}

const condition = (type: string, reason: string, seconds = 0) => ({
  conditions: [{ type, status: 'True', reason, lastTransitionTime: past(seconds) }],
});

test.each([
  ['is past its deadline', condition('FailureTarget', 'DeadlineExceeded'), 'JOB-4'],
  ['has failed too often', condition('FailureTarget', 'BackoffLimitExceeded'), 'JOB-1'],
  ['fails by its policy', condition('FailureTarget', 'PodFailurePolicy'), 'JOB-5'],
  ['is suspended', condition('Suspended', 'JobSuspended'), 'JOB-2'],
  ['meets its success policy', condition('SuccessCriteriaMet', 'SuccessPolicy'), 'JOB-1'],
  ['failed later', condition('FailureTarget', 'DeadlineExceeded', -60), undefined],
  ['was suspended earlier', condition('Suspended', 'JobSuspended', 60), undefined],
  ['reaches its deadline now', { activeDeadlineSeconds: 60, startTime: past(61) }, 'JOB-4'],
  ['reaches its deadline later', { activeDeadlineSeconds: 90, startTime: past(61) }, undefined],
  ['has not started', { activeDeadlineSeconds: 60 }, undefined],
  ['says nothing', {}, undefined],
])('the rule by which a Job deletes a Pod, where it %s', (_, facts, rule) => {
  expect(ruleOf(facts)).toBe(rule);
});
