import { describe, expect, test } from 'vitest';
import { orphanedJobPods } from '../../../../src/audit/rules/jobs.ts';
import { foundByReferences } from '../../../support/findings.ts';

describe('orphaned-job-pods', () => {
  const labels =
    '{batch.kubernetes.io/controller-uid: uid-job-shop-import, batch.kubernetes.io/job-name: import}';
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        orphanedJobPods,
        `
    pod   | Pod import-x7       | {labels: ${labels}}
    map   | ConfigMap import-x7 | {labels: ${labels}}
    job   | Job import
    other | Job import          | {uid: uid-2}
    `,
        'job | job',
        `
    a pod that a Job left behind | pod
    one with the labels of old | pod {labels: {controller-uid: u, job-name: import}}
    although a Job of that name was created again | pod; other
    although it is being deleted already | pod {deleting: true}
    not where it has other labels | pod {labels: {app: web}}
    not where it has no labels | pod {labels: null}
    not where it names no Job | pod {labels: {controller-uid: u}}
    not where it has an owner | pod <- job
    not where its Job lives | pod; job
    not where it is no pod | map
    not where Jobs were not read | pod | unread: [jobs.batch]
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a pod that a Job left behind
        Pod import-x7: its Job import was deleted and left it behind (the default of batch/v1 when no propagationPolicy is given)
        never-collected (GC-55)
        delete the pod: kubectl delete pod/import-x7 -n shop
      one with the labels of old
        Pod import-x7: its Job import was deleted and left it behind (the default of batch/v1 when no propagationPolicy is given)
        never-collected (GC-55)
        delete the pod: kubectl delete pod/import-x7 -n shop
      although a Job of that name was created again
        Pod import-x7: its Job import was deleted and left it behind (the default of batch/v1 when no propagationPolicy is given)
        never-collected (GC-55)
        delete the pod: kubectl delete pod/import-x7 -n shop
      although it is being deleted already
        Pod import-x7: its Job import was deleted and left it behind (the default of batch/v1 when no propagationPolicy is given)
        being-deleted (GC-55)
        delete the pod: kubectl delete pod/import-x7 -n shop
      not where it has other labels
      not where it has no labels
      not where it names no Job
      not where it has an owner
      not where its Job lives
      not where it is no pod
      not where Jobs were not read"
    `);
  });
});
