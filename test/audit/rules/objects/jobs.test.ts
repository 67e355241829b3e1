import { describe, expect, test } from 'vitest';
import { finishedJobWithoutTtl } from '../../../../src/audit/rules/jobs.ts';
import { foundByRule } from '../../../support/rule-cases.ts';

describe('finished-job-without-ttl', () => {
  const condition = (type: string, status = 'True') =>
    `{type: ${type}, status: "${status}", lastTransitionTime: "2026-01-02T00:00:00Z"}`;
  const [off, failed, complete] = [
    condition('Suspended', 'False'),
    condition('Failed'),
    condition('Complete'),
  ];
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        finishedJobWithoutTtl,
        `
    job     | Job import      | {facts: {conditions: [${off}, ${complete}]}}
    nightly | CronJob nightly
    `,
        `
    one that is complete | job
    one that has failed | job {facts: {conditions: [${failed}]}}
    not with a time to live of 0 | job {facts: {conditions: [${complete}], ttlSecondsAfterFinished: 0}}
    not with an owner | job {by: nightly}
    not one that is being deleted | job {deleting: true}
    not one that runs | job {facts: {}}
    not one that has not failed | job {facts: {conditions: [${condition('Failed', 'False')}]}}
    metadata alone does not tell | job {facts: null}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "one that is complete
        Job import: completed 24h ago, has no spec.ttlSecondsAfterFinished and no owner
        $ kubectl patch job.batch/import -n shop --type=merge -p '{"spec":{"ttlSecondsAfterFinished":86400}}'
      one that has failed
        Job import: failed 24h ago, has no spec.ttlSecondsAfterFinished and no owner
        $ kubectl patch job.batch/import -n shop --type=merge -p '{"spec":{"ttlSecondsAfterFinished":86400}}'
      not with a time to live of 0
      not with an owner
      not one that is being deleted
      not one that runs
      not one that has not failed
      metadata alone does not tell
        1 not checked: only metadata of jobs.batch was read"
    `);
  });
});
