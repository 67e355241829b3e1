import { describe } from 'vitest';
import { orphanedJobPods } from '../../../../src/audit/rules/jobs.ts';
import { casesOfReferences } from '../../../support/findings.ts';

describe('orphaned-job-pods', () => {
  const why = 'the default of batch/v1 deletes that name no policy';
  const finding = `Pod import-x7: its Job import was deleted and left it behind (${why})`;
  const never = 'never collected (GC-55)';
  const fix = 'delete the pod: kubectl delete pod/import-x7 -n shop';
  const labels =
    '{batch.kubernetes.io/controller-uid: uid-job-shop-import, batch.kubernetes.io/job-name: import}';
  casesOfReferences(
    orphanedJobPods,
    `
    pod   | Pod import-x7       | {labels: ${labels}}
    map   | ConfigMap import-x7 | {labels: ${labels}}
    job   | Job import
    other | Job import          | {uid: uid-2}
    `,
    'job | job',
    `
    a pod that a Job left behind  | pod | | ${finding} | ${never} | ${fix}
    one with the labels of old    | pod {labels: {controller-uid: u, job-name: import}} | | ${finding} | ${never} | ${fix}
    although a Job of that name was created again | pod; other | | ${finding} | ${never} | ${fix}
    although it is being deleted already | pod {deleting: true} | | ${finding} | already being deleted (GC-55) | ${fix}
    not where it has other labels | pod {labels: {app: web}}
    not where it has no labels    | pod {labels: null}
    not where it names no Job     | pod {labels: {controller-uid: u}}
    not where it has an owner     | pod <- job
    not where its Job lives       | pod; job
    not where it is no pod        | map
    not where Jobs were not read  | pod | unread: [jobs.batch]
    `,
  );
});
