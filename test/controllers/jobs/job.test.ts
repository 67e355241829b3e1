import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { afterLosses, siblingsOf, stopsWhileDeleted } from '../../../src/controllers/jobs/job.ts';
import { jobController } from '../../../src/controllers/jobs/job-controller.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { snapshotOf } from '../../support/builders.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { rowsOf } from '../../support/rows.ts';
import { ago, decide, hour, inWords, now } from '../decided.ts';

const target = (type: string) => `conditions: [{type: ${type}, status: "True"}]`;
const tracked = 'finalizers: [batch.kubernetes.io/job-tracking]';
const failed = target('Failed');
const disrupted = target('DisruptionTarget');
const objects = objectsFrom(`
  nightly  | CronJob nightly
  weekly   | CronJob weekly
  job      | Job import
  rival    | Job rival
  runs     | Pod runs     | {under: job, ${tracked}, facts: {phase: Running}}
  waits    | Pod waits    | {under: job, ${tracked}, facts: {phase: Pending}}
  unread   | Pod unread   | {under: job, ${tracked}}
  marked   | Pod marked   | {under: job, ${tracked}, facts: {phase: Failed}}
  moved    | Pod moved    | {under: job, ${tracked}, facts: {phase: Failed, ${disrupted}}}
  evicts   | Pod evicts   | {under: job, ${tracked}, facts: {phase: Running, ${disrupted}}}
  exit-42  | Pod exit-42  | {under: job, ${tracked}, facts: {phase: Failed, containerStatuses: [{name: web, exitCode: 42}]}}
  done     | Pod done     | {under: job, ${tracked}, facts: {phase: Succeeded}}
  let-go   | Pod let-go   | {under: job, facts: {phase: Running}}
  ended    | Pod ended    | {under: job, facts: {phase: Succeeded}}
  going    | Pod going    | {under: job, facts: {phase: Running}, deleting: true}
  rivals   | Pod rivals   | {under: rival, facts: {phase: Running}}
  free     | Pod free     | {facts: {phase: Running}}
  mine     | Job mine     | {under: nightly, facts: {backoffLimit: 0}}
  old      | Job old      | {under: nightly, facts: {${failed}}}
  old-runs | Job old-runs | {under: nightly, facts: {}}
  ending   | Job ending   | {under: nightly, facts: {${failed}}, deleting: true}
  of-other | Job of-other | {under: weekly, facts: {${failed}}}
  of-none  | Job of-none  | {facts: {${failed}}}
`);

describe('a Job', () => {
  const pods = 'waits; ended; going; rivals; free';
  const fails = 'Pod waits: deleted (JOB-1), Job import: patched (JOB-1)';
  const rows = rowsOf(`
    that may run leaves its pods alone                | {}                                |
    that is suspended deletes those that are active   | {suspend: true}                   | Pod waits: deleted (JOB-2)
    whose manager is named, and is the usual one      | {suspend: true, managedBy: kubernetes.io/job-controller} | Pod waits: deleted (JOB-2)
    of another manager does nothing                   | {suspend: true, managedBy: example.com/queue} |
    that has finished does nothing                    | {suspend: true, ${failed}}        |
    within its backoffLimit goes on                   | {backoffLimit: 1, failed: 1}      |
    beyond it fails, and deletes those                | {backoffLimit: 1, failed: 2}      | ${fails}
    within the default of 6 goes on                   | {failed: 6}                       |
    beyond the default of 6 fails                     | {failed: 7}                       | ${fails}
    that replaces pods which have failed fails        | {backoffLimit: 0, failed: 1, podReplacementPolicy: Failed} | ${fails}
    that is suspended beyond it fails                 | {backoffLimit: 0, failed: 1, suspend: true} | ${fails}
    that is to be complete deletes those first        | {${target('SuccessCriteriaMet')}} | Pod waits: deleted (JOB-1)
    with rules of its own, and no losses, goes on     | {podFailurePolicy: true}          |
    with rules of its own fails beyond its limit      | {backoffLimit: 0, failed: 1, podFailurePolicy: true} | ${fails}
    with an index limit may fail beyond its limit     | {backoffLimit: 0, failed: 1, backoffLimitPerIndex: 0} | Pod waits: may be deleted (JOB-1)
    fails at its deadline, and deletes those          | {activeDeadlineSeconds: 60, startTime: "${ago(60_000)}"} | Job import: patched (JOB-4), Pod waits: deleted (JOB-4)
    may fail at its deadline before it                | {activeDeadlineSeconds: 60, startTime: "${ago(59_000)}"} | Pod waits: may be deleted (JOB-4)
    that is suspended has no deadline                 | {activeDeadlineSeconds: 60, startTime: "${ago(60_000)}", suspend: true} | Pod waits: deleted (JOB-2)
    that has not started may fail at its deadline     | {activeDeadlineSeconds: 60}       | Pod waits: may be deleted (JOB-4)
  `);
  test.each(rows)('%s', (_, facts, ends) => {
    const decisions = decide(jobController, objects(`job {facts: ${facts}}; ${pods}`));
    expect(inWords(decisions).join(', ')).toBe(ends);
  });

  test('without pods fails at its deadline, too', () => {
    const facts = `{activeDeadlineSeconds: 60, startTime: "${ago(59_000)}"}`;
    const decisions = decide(jobController, objects(`job {facts: ${facts}}`));
    expect(inWords(decisions)).toEqual(['Job import: may be patched (JOB-4)']);
  });

  test.each([
    ['at its deadline', 60, 5_000],
    ['some seconds after it', 63, 2_000],
    ['long after it', 600, 24 * hour],
  ])(
    'handles the deadline %s within what its timer takes, else at an unknown time',
    (_, after, latest) => {
      const facts = `{activeDeadlineSeconds: 60, startTime: "${ago(after * 1_000)}"}`;
      const decisions = decide(jobController, objects(`job {facts: ${facts}}; runs`));
      const ranges = decisions.map(({ notBefore, notAfter = 0 }) => [
        notBefore - now,
        notAfter - now,
      ]);
      expect(ranges).toEqual([
        [0, latest],
        [0, latest],
      ]);
    },
  );

  const both = ['Pod runs: may be deleted (JOB-6)', 'Pod waits: may be deleted (JOB-6)'];
  const ends = ['Pod runs: may be deleted (JOB-6)', 'Job import: may be deleted (JOB-6)'];
  const expires = 'ttlSecondsAfterFinished: 1';
  test.each<[string, string, string, readonly string[]]>([
    ['has more pods than its parallelism', '{parallelism: 1}', 'runs; waits', both],
    ['has as many as its parallelism', '{parallelism: 2}', 'runs; waits', []],
    ['needs one more', '{parallelism: 2, completions: 2, succeeded: 1}', 'runs; waits', both],
    ['may be complete by a pod that has ended', `{completions: 1, ${expires}}`, 'done; runs', ends],
    ['may fail by one', `{backoffLimit: 0, completions: 2, ${expires}}`, 'marked; runs', ends],
    ['has counted the pod that has ended', `{completions: 1, ${expires}}`, 'ended; runs', []],
    ['does not have enough by one', `{completions: 2, ${expires}}`, 'done; runs', []],
  ])('that %s decides by its own pods', (_, facts, there, decisions) => {
    const records = objects(`job {facts: ${facts}}; ${there}`);
    expect(inWords(decide(jobController, records))).toEqual(decisions);
  });

  test('that is being deleted, or of which only metadata was read, deletes nothing', () => {
    const jobs = ['job {facts: {suspend: true}, deleting: true}', 'job'];
    expect(jobs.flatMap((job) => decide(jobController, objects(`${job}; ${pods}`)))).toEqual([]);
  });

  test.each([
    ['{backoffLimit: 0, failed: 1}', 'Failed'],
    [`{${target('FailureTarget')}}`, 'Failed'],
    [`{${target('SuccessCriteriaMet')}}`, 'Complete'],
  ])('with %s gets the condition %s within a day', (facts, type) => {
    const [status] = decide(jobController, objects(`job {facts: ${facts}}; ended`));
    const condition = { type, status: 'True', lastTransitionTime: ago(0) };
    expect(status).toMatchObject({
      patch: { subresource: 'status', body: { status: { conditions: [condition] } } },
      notBefore: now,
      notAfter: now + 24 * hour,
    });
  });
});

function afterLossOf(lost: string, there: string): string {
  const records = objects(there);
  const view = viewOf(snapshotOf(records));
  const [job] = records.filter(({ name }) => ['import', 'mine'].includes(name)) as [ObjectRecord];
  const state = { job, pods: view.all('pods'), lost: objects(lost) };
  return inWords(afterLosses({ ...state, siblings: siblingsOf(view, job) }, now)).join(', ');
}

describe('a Job whose active pods were deleted', () => {
  const mayFail = 'Pod waits: may be deleted (JOB-1), Job import: may be deleted (JOB-1)';
  const mayGo = 'Job import: may be deleted (JOB-1)';
  const fails = 'Pod waits: deleted (JOB-1), Job import: patched (JOB-1)';
  const failsByRule = 'Job import: patched (JOB-5), Pod waits: deleted (JOB-5)';
  const rules = (action: string, status = 'True') =>
    `podFailurePolicy: true, podFailureRules: [{action: ${action}, onPodConditions: [{type: DisruptionTarget, status: "${status}"}]}]`;
  const codes = (operator: string, containerName = 'web') =>
    `podFailurePolicy: true, podFailureRules: [{action: FailJob, onExitCodes: {containerName: ${containerName}, operator: ${operator}, values: [42]}}]`;
  // The Job, what it lost, what it has still, and what it does.
  const rows = rowsOf(`
    replaces one that it may lose                  | backoffLimit: 1                     | waits        | waits |
    fails by one that had not run yet              | backoffLimit: 0                     | waits        | waits | ${fails}
    loses none that it does not track              | backoffLimit: 0, completions: 1     | let-go       | waits |
    fails by two, and one that had failed before   | backoffLimit: 2, failed: 1          | waits; waits | waits | ${fails}
    may fail by one that ran, as it may succeed    | backoffLimit: 0                     | runs         | waits | ${mayFail}
    may fail by two of which one ran               | backoffLimit: 1                     | waits; runs  | waits | ${mayFail}
    may fail by one of which nothing was read      | backoffLimit: 0                     | unread       | waits | ${mayFail}
    may fail later where it waits for their end    | backoffLimit: 0, podReplacementPolicy: Failed   | waits | waits | ${mayFail}
    fails by one that was marked Failed            | backoffLimit: 0                     | marked       | waits | ${fails}
    fails by that also where it waits for their end| backoffLimit: 0, podReplacementPolicy: Failed   | marked | waits | ${fails}
    may fail by that one and one that ran          | backoffLimit: 1                     | marked; runs | waits | ${mayFail}
    is not complete by one that was marked Failed  | completions: 1                      | marked       | waits |
    may be complete by one that has succeeded      | completions: 1, backoffLimit: 0     | done         | waits | ${mayGo}
    may meet its successPolicy by one that ran     | successPolicy: true, completions: 3 | runs         | waits | ${mayFail}
    does not meet it by one that had not run       | successPolicy: true, completions: 3 | waits        | waits |
    does not meet it by one that was marked Failed | successPolicy: true, completions: 3 | marked       | waits |
    may fail by its podFailurePolicy also by one that it does not track | podFailurePolicy: true | let-go | waits | ${mayFail}
    may fail by rules of its own                   | podFailurePolicy: true              | waits        | waits | ${mayFail}
    by its rule fails by a disrupted one           | ${rules('FailJob')}                 | moved        | waits | ${failsByRule}
    by its rule may fail by one that is disrupted  | ${rules('FailJob')}                 | evicts       | waits | ${mayFail}
    by its rule does not fail by another one       | ${rules('FailJob')}                 | marked       | waits |
    by its rule does not fail by another status    | ${rules('FailJob', 'False')}        | moved        | waits |
    does not count one that its rule ignores       | ${rules('Ignore')}, backoffLimit: 0 | moved        | waits |
    may ignore one that ran and is disrupted       | ${rules('Ignore')}, backoffLimit: 0 | evicts       | waits |
    counts one that no rule matches                | ${rules('Ignore')}, backoffLimit: 0 | marked       | waits | ${fails}
    counts one that its rule counts                | ${rules('Count')}, backoffLimit: 0  | moved        | waits | ${fails}
    by its exit code fails                         | ${codes('In')}                      | exit-42      | waits | ${failsByRule}
    by another exit code does not fail             | ${codes('NotIn')}                   | exit-42      | waits |
    by an exit code of another container does not  | ${codes('In', 'db')}                | exit-42      | waits |
    may fail by the exit code of one that ran      | ${codes('In')}                      | runs         | waits | ${mayFail}
    that is suspended may fail by one deleted before| backoffLimit: 0, suspend: true     | waits        | waits | Pod waits: deleted (JOB-2), Job import: may be deleted (JOB-1)
    may fail by a limit for each index             | backoffLimitPerIndex: 1             | waits        | waits | ${mayFail}
    may be complete by one that ran                | completions: 2, succeeded: 1        | runs         | waits | ${mayGo}
    is not complete by one that had not run        | completions: 1, succeeded: 1        | waits        | waits |
    is not complete by two that had not run        | completions: 2, succeeded: 1        | waits; waits | waits |
    may be complete by two that ran                | completions: 2                      | runs; runs   | waits | ${mayGo}
    is not complete by one of the two that it needs| completions: 2                      | runs; waits  | waits |
    may be complete by one that ran, of two        | completions: 1                      | runs; waits  | waits | ${mayGo}
    without completions goes on beside active ones |                                     | runs         | waits |
    without completions may be complete by the last|                                     | runs         | ended; going | ${mayGo}
    without completions needs a loss               | succeeded: 1                        |              |       |
    without completions needs one that ran         |                                     | waits        |       |
    without completions needs none if one succeeded| succeeded: 1                        | waits        |       | ${mayGo}
  `);
  test.each(rows)('%s: %s', (_, facts = '', lost = '', left = '', ends) => {
    const job = `job {facts: {ttlSecondsAfterFinished: 60, ${facts}}}`;
    expect(afterLossOf(lost, [job, left].filter(Boolean).join('; '))).toBe(ends);
  });

  const reasons = rowsOf(`
    backoffLimit: 0         | Job import may fail: 1 of its pods have failed or were deleted, and its backoffLimit is 0
    podFailurePolicy: true  | Job import may fail by its podFailurePolicy
    backoffLimitPerIndex: 1 | Job import may fail by its backoffLimitPerIndex
    backoffLimit: 0, podFailurePolicy: true | Job import may fail: 1 of its pods have failed or were deleted, and its backoffLimit is 0
  `);
  test.each(reasons)('may fail, and says why: %s', (facts, because) => {
    const [job] = objects(`job {facts: {${facts}}}`) as [ObjectRecord];
    const siblings = { cronJob: undefined, jobs: [] };
    const state = { job, pods: objects('waits'), lost: objects('runs'), siblings };
    expect(afterLosses(state, now).map((decision) => decision.because)).toEqual([because]);
  });

  test('has finished already, and deletes nothing', () => {
    expect(
      afterLossOf('waits', `job {facts: {${failed}, ttlSecondsAfterFinished: 0}}; waits`),
    ).toBe('');
  });

  test('of which only metadata was read, may fail by them', () => {
    expect(afterLossOf('waits', 'job; waits')).toBe(mayFail);
  });
});

describe('a Job that is being deleted', () => {
  const deletes = 'Pod waits: may be deleted (JOB-1)';
  const rows = rowsOf(`
    may fail before its pods are orphaned    | finalizers: [orphan], facts: {backoffLimit: 0}      | waits  | ${deletes}
    may not where it may lose one more       | finalizers: [orphan], facts: {backoffLimit: 1}      | waits  |
    does not delete them as it is suspended  | finalizers: [orphan], facts: {suspend: true}        | waits  |
    may fail by a podFailurePolicy, while something holds it | finalizers: [ex.com/hold], facts: {podFailurePolicy: true} | let-go | ${deletes}
  `);
  test.each(rows)('%s', (_, details = '', lost = '', ends) => {
    expect(afterLossOf(lost, `job {deleting: true, ${details}}; waits`)).toBe(ends);
  });

  test.each([
    ['[orphan]', '{}', true],
    ['[ex.com/hold]', '{podFailurePolicy: true}', true],
    ['[foregroundDeletion]', '{}', false],
  ])('with %s and %s may delete pods: %s', (finalizers, facts, may) => {
    const [job] = objects(`job {finalizers: ${finalizers}, facts: ${facts}}`) as [ObjectRecord];
    expect(stopsWhileDeleted(job)).toBe(may);
  });
});

describe('a Job that may finish', () => {
  test("counts for the CronJob of its controller's name, whatever its kind: up to v1.36 no other is compared", () => {
    const [mine, nightly, old] = objects('mine; nightly; old') as [ObjectRecord, ...ObjectRecord[]];
    const [reference] = mine.ownerReferences as [OwnerReference];
    const job = { ...mine, ownerReferences: [{ ...reference, kind: 'Task', uid: 'other' }] };
    const view = viewOf(snapshotOf(objects('nightly; old').concat(job)));
    expect(siblingsOf(view, job)).toEqual({ cronJob: nightly, jobs: [old] });
  });

  const limits = (successful: number, ofFailed: number) =>
    `nightly {facts: {successfulJobsHistoryLimit: ${successful}, failedJobsHistoryLimit: ${ofFailed}}}`;
  const both = 'Job old: may be deleted (JOB-1), Job mine: may be deleted (JOB-1)';
  const rows = rowsOf(`
    is one too many where its CronJob keeps fewer that fail    | ${limits(3, 1)}; old             | ${both}
    is one too many where its CronJob keeps fewer that succeed | ${limits(1, 3)}; old             | ${both}
    is one too many for the limits that a CronJob has else     | nightly {facts: {}}; old         | ${both}
    is as many as its CronJob keeps                            | ${limits(2, 2)}; old             |
    is the only one, which its CronJob keeps                   | ${limits(1, 1)}; old-runs; of-other; of-none |
    is itself one too many                                     | ${limits(0, 0)}                  | Job mine: may be deleted (JOB-1)
    is one too many beside one that is going                   | ${limits(1, 1)}; ending          | Job mine: may be deleted (JOB-1)
    stays where its CronJob is gone                            | old                              |
  `);
  test.each(rows)('%s', (_, others, ends) => {
    expect(afterLossOf('runs', `mine; ${others}`)).toBe(ends);
  });
});
