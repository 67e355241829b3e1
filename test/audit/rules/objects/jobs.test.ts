import { describe } from 'vitest';
import { finishedJobWithoutTtl } from '../../../../src/audit/rules/jobs.ts';
import { casesOfRule } from '../../../support/rule-cases.ts';

describe('finished-job-without-ttl', () => {
  const condition = (type: string, status = 'True') =>
    `{type: ${type}, status: "${status}", lastTransitionTime: "2026-01-02T00:00:00Z"}`;
  const ago = '24h ago, has no spec.ttlSecondsAfterFinished and no owner';
  const fix = `$ kubectl patch job.batch/import -n shop --type=merge -p '{"spec":{"ttlSecondsAfterFinished":86400}}'`;
  const [off, failed, complete] = [
    condition('Suspended', 'False'),
    condition('Failed'),
    condition('Complete'),
  ];
  casesOfRule(
    finishedJobWithoutTtl,
    `
    job     | Job import      | {facts: {conditions: [${off}, ${complete}]}}
    nightly | CronJob nightly
    `,
    `
    one that is complete          | job                                    | | Job import: completed ${ago} | ${fix}
    one that has failed           | job {facts: {conditions: [${failed}]}} | | Job import: failed ${ago} | ${fix}
    not with a time to live of 0  | job {facts: {conditions: [${complete}], ttlSecondsAfterFinished: 0}}
    not with an owner             | job {by: nightly}
    not one that is being deleted | job {deleting: true}
    not one that runs             | job {facts: {}}
    not one that has not failed   | job {facts: {conditions: [${condition('Failed', 'False')}]}}
    metadata alone does not tell  | job {facts: null} | | 1 not checked: only metadata of jobs.batch was read
    `,
  );
});
