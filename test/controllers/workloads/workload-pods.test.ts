import { describe, expect, test } from 'vitest';
import { workloadPods } from '../../../src/controllers/workloads/workload-pods.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { rowsOf } from '../../support/rows.ts';
import { ago, decide, hour, inWords, timed } from '../decided.ts';

const selects = 'selector: {matchLabels: {app: web}}';
const ready = `conditions: [{type: Ready, status: "True", lastTransitionTime: "${ago(hour)}"}]`;
const labels = 'labels: {app: web}';

const objects = objectsFrom(`
  n1      | Node n1
  db      | StatefulSet db        | {facts: {replicas: 3, ${selects}}}
  agent   | DaemonSet agent       | {facts: {${selects}}}
  web     | ReplicaSet web        | {facts: {replicas: 1, ${selects}}}
  old     | ReplicationController old | {facts: {replicas: 0, ${selects}}}
  db-0    | Pod db-0    | {under: db, ${labels}, facts: {phase: Running, ${ready}}}
  db-0-f  | Pod db-0    | {under: db, ${labels}, facts: {phase: Failed}}
  db-1    | Pod db-1    | {under: db, ${labels}, facts: {phase: Succeeded}}
  db-01   | Pod db-01   | {under: db, ${labels}, facts: {phase: Succeeded}}
  db-2    | Pod db-2    | {under: db, ${labels}, facts: {phase: Failed}}
  db-7    | Pod db-7    | {under: db, ${labels}, facts: {phase: Failed}}
  failed  | Pod failed  | {under: agent, ${labels}, facts: {phase: Failed, nodeName: n1}}
  done    | Pod done    | {under: agent, ${labels}, facts: {phase: Succeeded, nodeName: n1}}
  first   | Pod first   | {under: agent, ${labels}, facts: {phase: Running, nodeName: n1}}
  second  | Pod second  | {under: agent, ${labels}, facts: {phase: Running, nodeName: n1}}
  away    | Pod away    | {under: agent, ${labels}, facts: {phase: Failed, nodeName: n2}}
  waits   | Pod waits   | {under: agent, ${labels}, facts: {phase: Failed, nodeName: ""}}
  a       | Pod a       | {under: web, ${labels}, facts: {phase: Running}}
  b       | Pod b       | {under: web, ${labels}, facts: {phase: Pending}}
  ended   | Pod ended   | {under: web, ${labels}, facts: {phase: Failed}}
  x       | Pod x       | {under: old, ${labels}, facts: {phase: Running}}
`);

/** Tests what is decided, by rows: the case, the objects, and the decisions. */
function casesOf(table: string): void {
  test.each(rowsOf(table))('%s', (_, there = '', ends) =>
    expect(inWords(decide(workloadPods, objects(there))).join(', ')).toBe(ends),
  );
}

describe('a StatefulSet', () => {
  casesOf(`
    deletes a Pod that has ended                     | db; db-0; db-1         | Pod db-1: deleted (WPOD-1)
    deletes the first of them, and may delete others | db; db-0; db-1; db-2   | Pod db-1: deleted (WPOD-1), Pod db-2: may be deleted (WPOD-1)
    may delete one behind a Pod that is missing      | db; db-1               | Pod db-1: may be deleted (WPOD-1)
    may delete one behind a Pod that is not ready    | db; db-0 {facts: {phase: Running}}; db-1 | Pod db-1: may be deleted (WPOD-1)
    in parallel deletes all that have ended          | db {facts: {podManagementPolicy: Parallel, replicas: 3}}; db-0-f; db-1; db-2 | Pod db-0: deleted (WPOD-1), Pod db-1: deleted (WPOD-1), Pod db-2: deleted (WPOD-1)
    in parallel may fail to create one before it     | db {facts: {podManagementPolicy: Parallel, replicas: 3}}; db-1 | Pod db-1: may be deleted (WPOD-1)
    leaves Pods that are being deleted               | db; db-0; db-1 {deleting: true} |
    leaves Pods beyond its replicas                  | db; db-7               |
    leaves Pods that its selector does not match     | db; db-0; db-1 {labels: {app: api}} |
    that is being deleted leaves all of them         | db {deleting: true}; db-0; db-1 |
    of which only metadata was read leaves them      | db {facts: null}; db-0; db-1 |
    leaves Pods of another controller                | db; db-1 {under: web}  |
  `);
});

test.each([
  ['v1.37.2', ['Pod db-01: deleted (WPOD-1)']],
  ['v1.38.0', []],
])('of a StatefulSet db, in %s the Pod db-01 that has ended is: %j', (serverVersion, ends) => {
  const there = objects('db {facts: {replicas: 3, podManagementPolicy: Parallel}}; db-0; db-01');
  expect(inWords(decide(workloadPods, there, { serverVersion }))).toEqual(ends);
});

describe('a DaemonSet', () => {
  casesOf(`
    deletes Pods that have failed or succeeded    | n1; agent; failed; done; first | Pod failed: deleted (WPOD-2), Pod done: deleted (WPOD-2)
    may delete each of two on one Node            | n1; agent; first; second       | Pod first: may be deleted (WPOD-3), Pod second: may be deleted (WPOD-3)
    leaves one of each of two revisions           | n1; agent; first {labels: {app: web, controller-revision-hash: a}}; second {labels: {app: web, controller-revision-hash: b}} |
    leaves one that is alone                      | n1; agent; first               |
    leaves Pods of a Node that does not exist     | n1; agent; away                |
    leaves Pods that wait for no Node             | n1; agent; waits               |
    that is being deleted leaves all of them      | n1; agent {deleting: true}; failed |
  `);

  test('may delete a Pod that has ended on a Node that was not read', () => {
    const decisions = decide(workloadPods, objects('agent; away'), { unread: ['nodes'] });
    expect(inWords(decisions)).toEqual(['Pod away: may be deleted (WPOD-2)']);
  });
});

describe('a ReplicaSet or ReplicationController', () => {
  casesOf(`
    may delete each of too many Pods     | web; a; b               | Pod a: may be deleted (WPOD-4), Pod b: may be deleted (WPOD-4)
    deletes all where it wants none      | old; x                  | Pod x: deleted (WPOD-4)
    does not count Pods that have ended  | web; a; ended           |
    does not count Pods that are deleted | web; a; b {deleting: true} |
    wants one where it says nothing      | web {facts: {}}; a; b   | Pod a: may be deleted (WPOD-4), Pod b: may be deleted (WPOD-4)
    that is being deleted leaves them    | old {deleting: true}; x |
  `);

  test('deletes them within the time of a resync', () => {
    expect(timed(workloadPods, objects('old; x'))).toEqual([['x', 0, 86_400]]);
  });
});
