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
    of no controller goes | job | free
    of another controller stays | job; cron | other
    of a Job of another API stays | job | alien
    of a Job that is gone goes |  | pod
    of a Job whose place another took goes | job {uid: another} | pod
    of a Job that another program manages stays | job {facts: {managedBy: x.com/queue}} | pod
    of a Job that is going goes | job {deleting: true, ${waits}} | runs
    of a Job that has finished goes | job {facts: {conditions: [{type: Complete, status: "True"}]}} | pod
    of a Job that is about to finish goes | job {facts: {conditions: [{type: FailureTarget, status: "True"}]}} | pod
    of a Job goes, as the pod counts as failed | job | runs
    stays where its Job waits for its end | job {${waits}} | pod
    stays where its Job waits for its kubelet | job {${waits}} | runs
    goes where its kubelet has stopped it | job {${waits}} | stops
    goes where the pod has ended | job {${waits}} | ended
    stays on a pod that is not being deleted |  | lives
    is none on a pod without it |  | let-go
  `);
  test('stays where it was not read whether its Job is there', () => {
    const view = viewOf(snapshotOf(objects('pod'), { unread: ['jobs.batch'] }));
    expect(view.all('pods').flatMap((pod) => releaseOf(view, pod, now))).toEqual([]);
  });

  test('is removed where no Job waits for it', () => {
    const told = rows.map(([title, others = '', pod = '']) => {
      const [own, ...rest] = objects([pod, others].filter(Boolean).join('; ')) as [ObjectRecord];
      const [release] = releaseOf(viewOf(snapshotOf([own, ...rest])), own, now);
      if (!release) return `${title}: -`;
      expect(release.patch?.body, title).toEqual({ metadata: { finalizers: ['x.com/y'] } });
      return `${title}: ${release.rule} ${release.because}`;
    });
    expect(told.join('\n')).toMatchInlineSnapshot(`
      "of no controller goes: JOB-3 no Job controls it, so batch.kubernetes.io/job-tracking is removed
      of another controller stays: -
      of a Job of another API stays: -
      of a Job that is gone goes: JOB-3 its Job was deleted, so batch.kubernetes.io/job-tracking is removed
      of a Job whose place another took goes: JOB-3 its Job was deleted, so batch.kubernetes.io/job-tracking is removed
      of a Job that another program manages stays: -
      of a Job that is going goes: JOB-3 its Job is being deleted, so batch.kubernetes.io/job-tracking is removed
      of a Job that has finished goes: JOB-3 its Job has finished, so batch.kubernetes.io/job-tracking is removed
      of a Job that is about to finish goes: JOB-3 its Job has finished, so batch.kubernetes.io/job-tracking is removed
      of a Job goes, as the pod counts as failed: JOB-3 its Job has counted it, so batch.kubernetes.io/job-tracking is removed
      stays where its Job waits for its end: -
      stays where its Job waits for its kubelet: -
      goes where its kubelet has stopped it: JOB-3 its Job has counted it, so batch.kubernetes.io/job-tracking is removed
      goes where the pod has ended: JOB-3 its Job has counted it, so batch.kubernetes.io/job-tracking is removed
      stays on a pod that is not being deleted: -
      is none on a pod without it: -"
    `);
  });
});
