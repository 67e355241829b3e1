import { describe, expect, test } from 'vitest';
import { finishedJobWithoutTtl } from '../../../../src/audit/rules/jobs.ts';
import type { ObjectFacts } from '../../../../src/kube/object-record.ts';
import { builderOf, type Details, job, ownedBy } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const condition = (type: string, status = 'True') => ({
  type,
  status,
  lastTransitionTime: '2026-01-02T00:00:00Z',
});
const completed: ObjectFacts = { conditions: [condition('Complete')] };
const finished = (details: Details = {}) => job('import', { facts: completed, ...details });
const cronJob = builderOf('batch/v1', 'CronJob');

describe('a finished Job without a time to live', () => {
  test.each([
    ['Complete', 'completed'],
    ['Failed', 'failed'],
  ])('that is %s', (type, word) => {
    const facts = { conditions: [condition('Suspended', 'False'), condition(type)] };
    expect(violationsOf(finishedJobWithoutTtl, [finished({ facts })])).toEqual([
      {
        at: 'Job import',
        message: `${word} 24h ago, has no spec.ttlSecondsAfterFinished and no owner`,
        command: `kubectl patch job.batch/import -n shop --type=merge -p '{"spec":{"ttlSecondsAfterFinished":86400}}'`,
      },
    ]);
  });
});

describe('a Job that is left alone', () => {
  test.each<[string, Details]>([
    ['has a time to live of nothing', { facts: { ...completed, ttlSecondsAfterFinished: 0 } }],
    ['has an owner', { ownerReferences: [ownedBy(cronJob('nightly'))] }],
    ['is being deleted', { deleting: 'background' }],
    ['runs', { facts: {} }],
    ['has not failed', { facts: { conditions: [condition('Failed', 'False')] } }],
  ])('%s', (_, details) => {
    expect(violationsOf(finishedJobWithoutTtl, [finished(details)])).toEqual([]);
  });
});

test('a Job of which only metadata was read is not checked', () => {
  expect(violationsOf(finishedJobWithoutTtl, [job('import')])).toEqual([
    { notChecked: 1, because: 'only metadata of jobs.batch was read' },
  ]);
});
