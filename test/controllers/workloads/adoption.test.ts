import { describe, expect, test } from 'vitest';
import { adoption } from '../../../src/controllers/workloads/adoption.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { rowsOf } from '../../support/rows.ts';
import { decide, inWords } from '../decided.ts';

/** An adopter that selects what is labelled app=web. */
const selecting = (more = '') => `{facts: {selector: {matchLabels: {app: web}}, ${more}}}`;
const revision = (number: string) =>
  `annotations: {deployment.kubernetes.io/revision: "${number}"}`;
const hashed = (hash: string) => `labels: {app: web, pod-template-hash: ${hash}}`;
const complete = 'replicas: 2, statusReplicas: 2, updatedReplicas: 2, availableReplicas: 2';
const ofRevision = (hash: string) => `labels: {app: web, controller-revision-hash: ${hash}}`;
const running = 'facts: {phase: Running, nodeName: n1}';

const objects = objectsFrom(`
  set   | ReplicaSet set   | ${selecting()}
  other | ReplicaSet other | ${selecting()}
  job   | Job job          | ${selecting('ttlSecondsAfterFinished: 60')}
  web   | Deployment web   | {${revision('2')}, ${selecting(complete).slice(1)}
  rival | Deployment rival | ${selecting('replicas: 0')}
  db    | StatefulSet db   | ${selecting('replicas: 2, updateRevision: db-x')}
  log   | DaemonSet log    | ${selecting()}
  a     | Pod a            | {labels: {app: web}, ${running}}
  b     | Pod b            | {labels: {app: web}, ${running}}
  own   | Pod own          | {under: set, ${running}}
  done  | Pod done         | {under: set, facts: {phase: Succeeded}}
  away  | Pod bank/away    | {labels: {app: web}, ${running}}
  db-0  | Pod db-0         | {${ofRevision('db-x')}, ${running}}
  db-2  | Pod db-2         | {${ofRevision('db-x')}, ${running}}
  db-01 | Pod db-01        | {${ofRevision('db-x')}, ${running}}
  main  | ReplicaSet main  | {under: web, ${revision('2')}, ${hashed('m')}, facts: {replicas: 2}}
  early | ReplicaSet early | {under: web, ${revision('1')}, ${hashed('p')}, facts: {replicas: 0}}
  free  | ReplicaSet free  | {${hashed('f')}, facts: {replicas: 1}}
  again | ReplicaSet again | {${hashed('m')}, facts: {replicas: 1}}
  fx    | Pod fx           | {under: free, ${running}}
  end   | Pod end          | {under: free, facts: {phase: Succeeded}}
  mx    | Pod mx           | {under: main, ${running}}
  kept  | ControllerRevision kept | {under: log, ${ofRevision('k')}}
  db-x  | ControllerRevision db-x | {under: db, ${ofRevision('x')}}
  rev   | ControllerRevision rev  | {${ofRevision('r')}}
`);

const ends = (there: string) => inWords(decide(adoption, objects(there))).join(', ');

/** Tests what happens next, by rows: the case, the objects, and what is decided. */
function casesOf(table: string): void {
  test.each(rowsOf(table))('%s', (_, there = '', words) => expect(ends(there)).toBe(words));
}

test.each([
  ['v1.37.2', ['Pod db-01: patched (ADOPT-1)']],
  ['v1.38.0', []],
])('a StatefulSet db decides in %s about a free Pod db-01: %j', (serverVersion, ends) => {
  expect(inWords(decide(adoption, objects('db; db-01'), { serverVersion }))).toEqual(ends);
});

test('an adopted object gets a reference that controls and blocks, beside the others', () => {
  const [decision] = decide(adoption, objects('set; a {by: log}'));
  const whole = { uid: 'uid-replicaset-shop-set', controller: true, blockOwnerDeletion: true };
  expect(decision?.patch?.body).toEqual({
    metadata: {
      ownerReferences: [
        expect.objectContaining({ kind: 'DaemonSet', name: 'log' }),
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', ...whole },
      ],
    },
  });
});

describe('a ReplicaSet', () => {
  const adopted = 'Pod a: patched (ADOPT-1)';
  casesOf(`
    adopts a pod that its selector matches         | set; a                                | ${adopted}
    adopts none with other labels                  | set; a {labels: {app: db}}            |
    adopts none that has a controller              | set; a {under: job}                   |
    adopts none that has ended                     | set; a {facts: {phase: Failed}}       |
    adopts none that is being deleted              | set; a {deleting: true}               |
    adopts none of another namespace               | set; away                             |
    adopts none while it is being deleted          | set {deleting: true}; a               |
    adopts none by an empty selector               | set {facts: {selector: {}}}; a        |
    wants one pod where it says nothing | set; own; a | ${adopted}, Pod own: may be deleted (ADOPT-2), Pod a: may be deleted (ADOPT-2)
    does not count its pods that have ended        | set; done; a                          | ${adopted}
    may lose it to another ReplicaSet              | set ${selecting('replicas: 0')}; other; a | Pod a: may be deleted (ADOPT-2)
    may lose it to a Job | set ${selecting('replicas: 0')}; job; a | Pod a: may be deleted (ADOPT-2), Pod a: may be deleted (ADOPT-6)
    without its selector read may adopt any        | set {facts: null}; a                  | Pod a: may be deleted (ADOPT-2)
  `);
});

describe('a Deployment', () => {
  const adopted = 'ReplicaSet free: patched (ADOPT-1)';
  const scaled = 'ReplicaSet free: patched (ADOPT-3)';
  const [pod, all] = ['Pod fx', 'Pod mx'].map((name) => `${name}: may be deleted (ADOPT-3)`);
  const none = selecting('replicas: 0');
  const down = `${adopted}, ${scaled}`;
  const made = (image: string) => `containers: [{name: c, image: ${image}}]`;
  const keeping = (limit: number, facts = complete, of = '2') =>
    `web {${revision(of)}, ${selecting(`${facts}, revisionHistoryLimit: ${limit}`).slice(1)}`;
  const beyond = (...names: string[]) =>
    names.map((name) => `ReplicaSet ${name}: may be deleted (ADOPT-3)`).join(', ');
  casesOf(`
    does nothing by what it has                         | web; main; fx; mx; a                    |
    adopts no ReplicaSet by an empty selector           | web {facts: {selector: {}}}; free       |
    scales down what is not of its template             | web; main; free; mx; fx                 | ${down}
    leaves one alone that has no replicas               | web; main; free {facts: {replicas: 0}}  | ${adopted}
    that wants none scales down all                     | web ${none}; free; fx                   | ${down}
    may scale down any while it still scales its own    | web; main {facts: {replicas: 1}}; free; mx; fx | ${adopted}, ${pod}, ${all}
    may scale down any while it is paused | ${keeping(9, `${complete}, paused: true`)}; main; free; mx; fx | ${adopted}, ${pod}, ${all}
    may scale down any while others than its current set have pods
        | ${keeping(9, complete.replace('Replicas: 2', 'Replicas: 3'))}; main; free; mx; fx | ${adopted}, ${pod}, ${all}
    may scale down any where templates may be equal | web; main; again; mx | ReplicaSet again: patched (ADOPT-1), ${all}
    may scale down one that nothing read tells apart    | web; main {labels: {app: web}}; free; fx | ${adopted}, ${pod}
    tells those apart by their images
        | web; main {facts: {replicas: 2, ${made('a')}}}; free {labels: {app: web}, facts: {replicas: 1, ${made('b')}}}; fx
        | ${down}
    may scale down any where one of two may be equal | web; main; free; again; mx
        | ${adopted}, ReplicaSet again: patched (ADOPT-1), ${scaled}, ${all}
    may delete no pod that has ended                    | web {facts: null}; free; fx; end        | ${pod}
    may lose one to another that wants none either      | web ${none}; rival; free; fx            | ${pod}, ${pod}
    keeps as many old ones as its limit says            | ${keeping(2)}; main; early; free | ${down}
    may delete any beyond its limit but the current one | ${keeping(1)}; main; early; free | ${down}, ${beyond('early', 'free')}
    keeps one beyond its limit that has replicas | ${keeping(1)}; main; early {facts: {replicas: 1}}; free | ${down}, ${beyond('free')}
    that wants none keeps its current one | ${keeping(0, 'replicas: 0')}; main {facts: {replicas: 0}}; early; free
        | ${down}, ${beyond('early', 'free')}
    that makes another one may delete all beyond it | ${keeping(0, undefined, '3')}; early {facts: {replicas: 1}}; free
        | ${adopted}, ${beyond('early', 'free')}
    counts none that is being deleted for its limit     | ${keeping(1)}; main; early {deleting: true}; free | ${down}
  `);
});

describe('a StatefulSet', () => {
  const adopted = (name: string) => `Pod ${name}: patched (ADOPT-1)`;
  const replaced = (name: string) => `${adopted(name)}, Pod ${name}: may be deleted (ADOPT-4)`;
  const taken = 'ControllerRevision rev: patched (ADOPT-1)';
  const beyond = ['db-x', 'rev']
    .map((name) => `ControllerRevision ${name}: may be deleted (ADOPT-7)`)
    .join(', ');
  casesOf(`
    keeps a pod of its name, number and revision   | db; db-0                               | ${adopted('db-0')}
    adopts no pod of another name                  | db; a                                  |
    adopts no pod by an empty selector             | db {facts: {selector: {}}}; db-0       |
    may replace one beyond its replicas            | db; db-2                               | ${replaced('db-2')}
    keeps that one where it counts from 1 | db ${selecting('replicas: 2, updateRevision: db-x, firstOrdinal: 1')}; db-2 | ${adopted('db-2')}
    may replace one before the first | db ${selecting('replicas: 2, updateRevision: db-x, firstOrdinal: 1')}; db-0 | ${replaced('db-0')}
    may replace one of another revision            | db; db-0 {${ofRevision('y')}}          | ${replaced('db-0')}
    may replace one that has ended                 | db; db-0 {facts: {phase: Succeeded}}   | ${replaced('db-0')}
    may replace any before it has a revision       | db ${selecting()}; db-0 {labels: {app: web}} | ${replaced('db-0')}
    may replace its own, as a revision that it adopts may take the place of its present one
        | db; db-0 {under: db}; db-x; rev {${ofRevision('x')}} | ${taken}, Pod db-0: may be deleted (ADOPT-4)
    keeps its own where that one has another content | db; db-0 {under: db}; db-x; rev | ${taken}
    keeps its own where that one comes first
        | db; db-0 {under: db}; db-x {facts: {revision: 2}}; rev {${ofRevision('x')}, facts: {revision: 1}} | ${taken}
    keeps its own where these go by themselves
        | db ${selecting('replicas: 2, updateRevision: db-x, updateStrategy: OnDelete')}; db-0 {under: db}; db-x; rev {${ofRevision('x')}} | ${taken}
    adopts revisions within its limit of 10        | db; db-x; rev {${ofRevision('x')}}     | ${taken}
    adopts any revision by an empty selector       | db {facts: {selector: {}}}; rev        | ${taken}
    keeps the current one and as many as it says   | db ${selecting('revisionHistoryLimit: 1')}; db-x; rev | ${taken}
    may delete any revision beyond that            | db ${selecting('revisionHistoryLimit: 0')}; db-x; rev | ${taken}, ${beyond}
  `);
});

describe('a DaemonSet', () => {
  const taken = 'Pod a: patched (ADOPT-1), Pod a: may be deleted (ADOPT-5)';
  const alone = 'ControllerRevision rev: patched (ADOPT-1)';
  const twice = ['kept', 'rev']
    .map((name) => `ControllerRevision ${name}: may be deleted (ADOPT-7)`)
    .join(', ');
  casesOf(`
    may delete what it adopts, or its own pod beside | log; b {under: log}; a | ${taken}, Pod b: may be deleted (ADOPT-5)
    keeps its pods on other Nodes                      | log; b {under: log, facts: {nodeName: n2}}; a | ${taken}
    keeps all its pods where it adopts a revision      | log; b {under: log}; kept; rev               | ${alone}
    may delete one of two revisions that are equal     | log; kept; rev {${ofRevision('k')}}          | ${alone}, ${twice}
    may delete one of two that it cannot tell apart    | log; kept; rev {labels: {app: web}}          | ${alone}, ${twice}
    may delete one where its own has no hash           | log; kept {labels: null}; rev                | ${alone}, ${twice}
    counts none that is being deleted                  | log; kept {deleting: true}; rev {${ofRevision('k')}} | ${alone}
  `);
});

describe('a Job', () => {
  const adopted = 'Pod a: patched (ADOPT-1)';
  const mayGo = `${adopted}, Pod a: may be deleted (ADOPT-6)`;
  const [pod, job] = ['Pod b', 'Job job'].map((name) => `${name}: may be deleted (ADOPT-6)`);
  casesOf(`
    may end any of its pods | job; b {under: job}; a | ${adopted}, ${pod}, Pod a: may be deleted (ADOPT-6)
    adopts any pod by an empty selector            | job {facts: {selector: {}}}; a           | ${mayGo}
    that has finished adopts none                  | job ${selecting('conditions: [{type: Complete, status: "True"}]')}; a |
    of another manager adopts none                 | job ${selecting('managedBy: example.com/queue')}; a |
    adopts none without a selector                 | job {facts: {}}; a                       |
    that runs none for now ends what it adopts | job ${selecting('parallelism: 0')}; done {under: job}; a
        | ${adopted}, Pod a: deleted (ADOPT-6)
    may finish by one that has ended               | job; a {facts: {phase: Succeeded}}       | ${adopted}, ${job}
    may finish by one of two that it adopts | job; a {facts: {phase: Failed}}; b | ${adopted}, Pod b: patched (ADOPT-1), ${pod}, ${job}
    without its selector read may end any          | job {facts: null}; a                     | Pod a: may be deleted (ADOPT-6)
  `);
});
