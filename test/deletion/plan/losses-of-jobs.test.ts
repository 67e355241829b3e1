import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, job, pod } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { endsOf, planned } from './planned.ts';
import { by, casesOfPlans } from './told.ts';

const cronJob = builderOf('batch/v1', 'CronJob');
const pending: ObjectFacts = { nodeName: '', phase: 'Pending' };
const selector = { matchLabels: { app: 'import' } };
const finished = [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];

/** `Pod a: deleted (JOB-1)`, one line per object, when the first pod of a Job with these facts is deleted. */
function losing(facts: ObjectFacts, more: readonly ObjectRecord[] = [], details = {}): string[] {
  const it = job('import', { facts: { selector, ...facts }, ...details });
  const pods = ['a', 'b'].map((name) =>
    pod(name, { ...by(it), finalizers: ['batch.kubernetes.io/job-tracking'], facts: pending }),
  );
  const [first] = pods as [ObjectRecord];
  const records = [...more, it, ...pods];
  return planned(records, first).objects.map(
    ({ kind, name, fate, rule }) => `${kind} ${name}: ${fate} (${rule})`,
  );
}

const rows = rowsOf(`
  that fails beyond its backoffLimit, and deletes its others | {backoffLimit: 2, failed: 2}
      | Pod a: deleted (GC-61), Pod b: deleted (JOB-1)
  that may lose one more, and replaces it | {backoffLimit: 2, failed: 1} | Pod a: recreated (GC-61)
  that fails, and goes itself by its time to live | {backoffLimit: 0, ttlSecondsAfterFinished: 0}
      | Job import: deleted (TTL-4), Pod a: deleted (GC-61), Pod b: deleted (JOB-1)
  that fails, and may go later by its time to live | {backoffLimit: 0, ttlSecondsAfterFinished: 86400}
      | Job import: unknown (TTL-4), Pod a: deleted (GC-61), Pod b: deleted (JOB-1)
  that is suspended deletes it besides, and may count it | {suspend: true, backoffLimit: 0, ttlSecondsAfterFinished: 0}
      | Job import: unknown (JOB-1), Pod a: deleted (JOB-2)
  that decides by its own rules whether a pod has failed
      | {podFailurePolicy: true, podReplacementPolicy: Failed, ttlSecondsAfterFinished: 60}
      | Job import: unknown (JOB-1), Pod a: recreated (GC-61), Pod b: unknown (JOB-1)
`);
test.each(rows)('a Job %s', (_, facts = '', ends) => {
  expect(losing(parse(facts)).sort().join(', ')).toBe(ends);
});

test('a Job that fails is one too many for its CronJob', () => {
  const nightly = cronJob('nightly', { facts: { failedJobsHistoryLimit: 1 } });
  const startTime = '2026-01-01T00:00:00Z';
  const old = job('old', { ...by(nightly), facts: { conditions: finished, startTime } });
  const lines = losing(
    { backoffLimit: 0, startTime: '2026-01-02T00:00:00Z' },
    [nightly, old],
    by(nightly),
  );
  expect(lines.sort()).toEqual([
    'Job old: deleted (CJ-4)',
    'Pod a: deleted (GC-61)',
    'Pod b: deleted (JOB-1)',
  ]);
});

const tracked = 'finalizers: [batch.kubernetes.io/job-tracking]';
const onNode = (node: string, more = '') =>
  `{under: import, ${tracked}, facts: {nodeName: ${node}, phase: Running}${more}}`;
const silent = '{facts: {conditions: [{type: Ready, status: Unknown}]}}';
const ending = ', deletionTimestamp: "2026-01-02T00:00:00Z", deletionGracePeriodSeconds: 30';
const pods = 'a; b; made; well';
casesOfPlans(
  endsOf,
  `
  node   | Node lost
  silent | Node lost    | ${silent}
  well   | Node well    | ${silent.replace('Unknown', '"True"')}
  nightly| CronJob nightly | {facts: {failedJobsHistoryLimit: 0}}
  old    | Job old      | {facts: {ttlSecondsAfterFinished: 86400, conditions: [{type: Complete, status: "True", lastTransitionTime: "2026-01-02T12:00:00Z"}]}}
  import | Job import   | {facts: {selector: {matchLabels: {app: import}}}}
  a      | Pod a        | ${onNode('lost')}
  stays  | Pod a        | ${onNode('lost').replace('Running', 'Running, tolerations: [{operator: Exists, tolerationSeconds: 300}]')}
  ends   | Pod a        | ${onNode('lost', ending)}
  held   | Pod a        | ${onNode('lost').replace('[', '[ex.com/hold, ')}
  b      | Pod b        | ${onNode('well')}
  held-b | Pod b        | ${onNode('well').replace('[', '[ex.com/hold, ')}
  note   | ConfigMap note | {by: b, finalizers: [ex.com/hold]}
  line   | ConfigMap line | {by: note}
  c      | Pod c        | ${onNode('well')}
  made   | ConfigMap made | {by: import}
`,
  `
  the deletion of a Node leads to that of a Job's other pods and, by its time to live, of the Job and what it owns
      | node; import {facts: {backoffLimit: 0, ttlSecondsAfterFinished: 5}}; ${pods} |
      | Node lost: deleted | ConfigMap made: deleted | Job import: deleted | Pod a: deleted | Pod b: deleted
  a Job whose time to live ends after the hour that is played may be deleted with what it owns
      | node; import {facts: {backoffLimit: 0, ttlSecondsAfterFinished: 7200}}; ${pods} |
      | Node lost: deleted | ConfigMap made: unknown | Job import: unknown | Pod a: deleted | Pod b: deleted
  a Job that its time to live deletes later anyway is only orphaned
      | nightly; old {under: nightly} | nightly {policy: Orphan} | CronJob nightly: deleted | Job old: orphaned
  a Job that counts pods only when they have ended fails by one that pod garbage collection marks as Failed
      | node; import {facts: {backoffLimit: 0, podReplacementPolicy: Failed}}; ${pods} |
      | Node lost: deleted | Pod a: deleted | Pod b: deleted
  a Job fails by a pod that was being deleted before, when the Node of its silent kubelet is deleted
      | silent; import {facts: {backoffLimit: 0, podReplacementPolicy: Failed}}; ends; b; well |
      | Node lost: deleted | Pod a: deleted | Pod b: deleted
  a Job within its backoffLimit recreates the pod of a Node that is deleted
      | node; import {facts: {backoffLimit: 1, ttlSecondsAfterFinished: 5}}; ${pods} | | Node lost: deleted | Pod a: recreated
  a Job may fail by its podFailurePolicy when the Node of a pod is deleted
      | node; import {facts: {podFailurePolicy: true, ttlSecondsAfterFinished: 5}}; ${pods} |
      | Node lost: deleted | ConfigMap made: unknown | Job import: unknown | Pod a: recreated | Pod b: unknown
  what is owned by a pod that may be deleted may be, too, whatever finalizers they have
      | node; import {facts: {podFailurePolicy: true}}; a; held-b; note; line; well |
      | Node lost: deleted | ConfigMap line: unknown | ConfigMap note: unknown | Pod a: recreated | Pod b: unknown
  a Job may fail by its limit for each index when the Node of a pod is deleted
      | node; import {facts: {backoffLimitPerIndex: 0}}; ${pods} | | Node lost: deleted | Pod a: recreated | Pod b: unknown
  a Job that fails with a Node is one too many for its CronJob
      | node; import {facts: {backoffLimit: 0}, under: nightly}; nightly; ${pods} |
      | Node lost: deleted | ConfigMap made: deleted | Job import: deleted | Pod a: deleted | Pod b: deleted
  a Job fails although a finalizer blocks the deletion of the pod that it has lost
      | node; import {facts: {backoffLimit: 0}}; held; b; well |
      | Node lost: deleted | Pod a: terminating, then deleted (ex.com/hold of Pod a) | Pod b: deleted
  what follows from the loss of a pod follows from the deletion of its silent Node, also where the pod is evicted later
      | silent; import {facts: {backoffLimit: 0, ttlSecondsAfterFinished: 5}}; stays; b; made; well |
      | Node lost: deleted | ConfigMap made: deleted | Job import: deleted | Pod a: deleted | Pod b: deleted
  a Job that is deleted with one of its pods may fail before the others are orphaned
      | a; import {facts: {backoffLimit: 0}}; b; c; well | a, import {policy: Orphan}
      | Pod a: deleted | Job import: deleted | Pod b: unknown | Pod c: unknown
  a Job that is deleted with one of its pods and may lose more orphans the others
      | a; import {facts: {backoffLimit: 1}}; b; c; well | a, import {policy: Orphan}
      | Pod a: deleted | Job import: deleted | Pod b: orphaned | Pod c: orphaned
  a pod that may have succeeded may be all that a successPolicy requires
      | a; import {facts: {successPolicy: true, completions: 3, ttlSecondsAfterFinished: 5}}; b; made; well |
      | Pod a: recreated | Job import: unknown | ConfigMap made: unknown | Pod b: unknown
`,
);
