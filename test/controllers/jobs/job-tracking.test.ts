import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { releaseOf } from '../../../src/controllers/jobs/job-tracking.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { snapshotOf } from '../../support/builders.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { rowsOf } from '../../support/rows.ts';
import { now } from '../decided.ts';

const tracked = 'finalizers: [batch.kubernetes.io/job-tracking, x.com/y], deleting: true';
const objects = objectsFrom(`
  job   | Job import
  cron  | CronJob import
  pod   | Pod a | {under: job, ${tracked}, deletionGracePeriodSeconds: 0, facts: {nodeName: ''}}
  runs  | Pod a | {under: job, ${tracked}, deletionGracePeriodSeconds: 30, facts: {nodeName: n}}
  stops | Pod a | {under: job, ${tracked}, deletionGracePeriodSeconds: 0, facts: {nodeName: n}}
  ended | Pod a | {under: job, ${tracked}, facts: {nodeName: '', phase: Failed}}
  lives | Pod a | {under: job, finalizers: [batch.kubernetes.io/job-tracking]}
  let-go | Pod a | {under: job, deleting: true}
  free  | Pod a | {${tracked}}
  other | Pod a | {under: cron, ${tracked}}
  alien | Pod a | {${tracked}, ownerReferences: [{apiVersion: x.com/v1, kind: Job, name: import, controller: true}]}
`);
const waits = 'facts: {podReplacementPolicy: Failed}';

describe('the finalizer of the Job controller on a pod', () => {
  const rows = rowsOf(`
    of no controller goes                           | job           | free  | no Job controls it
    of another controller stays                     | job; cron     | other |
    of a Job of another API stays                   | job           | alien |
    of a Job that is gone goes                      |               | pod   | its Job is gone
    of a Job whose place another took goes          | job {uid: another} | pod | its Job is gone
    of a Job that another program manages stays     | job {facts: {managedBy: x.com/queue}} | pod |
    of a Job that is going goes                     | job {deleting: true, ${waits}} | runs | its Job is being deleted
    of a Job that has finished goes                 | job {facts: {conditions: [{type: Complete, status: "True"}]}} | pod | its Job has finished
    of a Job that is about to finish goes           | job {facts: {conditions: [{type: FailureTarget, status: "True"}]}} | pod | its Job has finished
    of a Job goes, as the pod counts as failed      | job           | runs  | its Job has counted it
    stays where its Job waits for its end           | job {${waits}} | pod  |
    stays where its Job waits for its kubelet       | job {${waits}} | runs |
    goes where its kubelet has stopped it           | job {${waits}} | stops | its Job has counted it
    goes where the pod has ended                    | job {${waits}} | ended | its Job has counted it
    stays on a pod that is not being deleted        |               | lives |
    is none on a pod without it                     |               | let-go |
  `);
  test('stays where it was not read whether its Job is there', () => {
    const view = viewOf(snapshotOf(objects('pod'), { unread: ['jobs.batch'] }));
    expect(view.all('pods').flatMap((pod) => releaseOf(view, pod, now))).toEqual([]);
  });

  test.each(rows)('%s', (_, others = '', pod = '', why) => {
    const [own, ...rest] = objects([pod, others].filter(Boolean).join('; ')) as [ObjectRecord];
    const view = viewOf(snapshotOf([own, ...rest]));
    const [{ patch, because, rule } = {}] = releaseOf(view, own, now);
    if (!why) return expect(patch).toBeUndefined();
    expect(patch?.body).toEqual({ metadata: { finalizers: ['x.com/y'] } });
    expect([because, rule]).toEqual([
      `${why}, so batch.kubernetes.io/job-tracking is removed`,
      'JOB-3',
    ]);
  });
});
