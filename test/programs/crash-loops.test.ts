import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { bearerOf, crashLoopingPods, crashLoopsInWords } from '../../src/programs/program-life.ts';
import { objectsFrom } from '../support/objects-from.ts';
import { rowsOf } from '../support/rows.ts';

const hash = 'labels: {pod-template-hash: 5d8f7}';
const waiting = (...reasons: string[]) =>
  `[${reasons.map((reason) => `{name: c, waitingReason: ${reason}}`).join(', ')}]`;
const loops = `facts: {containerStatuses: ${waiting('CrashLoopBackOff')}}`;
/** A first init container has ended well, and the next one, or a sidecar, ends again and again. */
const second = '{name: second, waitingReason: CrashLoopBackOff}';
const initializing = `facts: {containerStatuses: ${waiting('PodInitializing')}, initContainerStatuses: [{name: first, exitCode: 0}, ${second}]}`;

const objects = objectsFrom(`
  db       | Deployment db
  rs       | ReplicaSet db-5d8f7
  cache    | ReplicaSet cache-5d8f7
  rollout  | Widget db-5d8f7
  daemon   | DaemonSet db
  node     | Node db
  pod      | Pod p        | {under: rs, ${hash}, ${loops}}
  bare     | Pod bare     | {${loops}}
`);

const rows = rowsOf(`
  a ReplicaSet whose name ends with the pod's hash | {}                               | Deployment db
  a ReplicaSet, where the pod has no hash          | {labels: null}                   | ReplicaSet db-5d8f7
  a ReplicaSet of another hash                     | {labels: {pod-template-hash: db}} | ReplicaSet db-5d8f7
  another kind whose name ends with the hash       | {under: rollout}                 | Widget db-5d8f7
  a DaemonSet                                      | {under: daemon}                  | DaemonSet db
  an owner that does not control it                | {by: rs}                         | Pod p
`);
test.each(rows)('a pod of %s: %s, is of the %s', (_, details, end) => {
  const [pod] = objects(`pod ${details}`) as [ObjectRecord];
  const { kind, name } = bearerOf(pod);
  expect(`${kind} ${name}`).toBe(end);
});

// Of the Deployment, which pods crash.
const cases = rowsOf(`
  its own                                | {}                                       | crashes
  one of its containers alone            | {facts: {containerStatuses: ${waiting('ContainerCreating', 'CrashLoopBackOff')}}} | crashes
  an init container                      | {${initializing}}     | crashes
  none while it starts                   | {facts: {initContainerStatuses: ${waiting('PodInitializing')}}} |
  none while its container is made       | {facts: {containerStatuses: ${waiting('ContainerCreating')}}} |
  none of which nothing was read         | {facts: null}                            |
  none of another namespace              | {namespace: other}                       |
  none of another Deployment             | {under: cache}                           |
  none of a DaemonSet of that name       | {under: daemon}                          |
  none of a ReplicaSet without its hash  | {labels: null}                           |
  none of its own name without an owner  | {ownerReferences: [], name: db}          |
`);
test.each(cases)('of a Deployment crashes: %s', (_, details, end) => {
  const [db, ...pods] = objects(`db; pod ${details}; node`) as [ObjectRecord];
  expect(crashLoopingPods(db, pods).length).toBe(end === 'crashes' ? 1 : 0);
});

test('a pod that nothing made crashes by itself', () => {
  const [bare, ...others] = objects('bare; pod') as [ObjectRecord];
  expect(crashLoopingPods(bare, [...others, bare])).toEqual([bare]);
});

test('three of them are named, as kubectl calls their status', () => {
  const pods = objects(`bare; pod {${initializing}}; pod {name: c}; pod {name: d}`);
  expect([crashLoopsInWords([]), crashLoopsInWords(pods)]).toEqual([
    '',
    '; Pod bare is in CrashLoopBackOff; Pod p is in Init:CrashLoopBackOff; Pod c is in CrashLoopBackOff',
  ]);
});
