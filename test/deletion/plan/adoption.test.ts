import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/deletion/plan/plan.ts';
import { ruled } from './planned.ts';
import { casesOfPlans, outcomesOf, plansFrom } from './told.ts';

/** `Pod a: deleted (ADOPT-2) because`, one line per object but the first, which is deleted with --cascade=orphan. */
const inFull = ({ objects }: Plan) =>
  objects
    .slice(1)
    .map(({ kind, name, fate, rule, because }) => `${kind} ${name}: ${fate} (${rule}) ${because}`);
const briefly = (plan: Plan) => inFull(plan).map((line) => line.replace(/\) .*/, ')'));

const orphan = '{policy: Orphan}';
const selector = 'selector: {matchLabels: {app: web}}';
const selecting = (more = '') => `{facts: {${selector}${more && `, ${more}`}}}`;
const pod = (owner: string, more = 'labels: {app: web}') =>
  `{under: ${owner}, ${more}, facts: {nodeName: "", phase: Running}}`;

describe.each(['ReplicaSet', 'ReplicationController'])('a %s', (kind) => {
  const all = (end: string) => ['a', 'b'].map((name) => `Pod ${name}: ${end}`).join(' | ');
  casesOfPlans(
    briefly,
    `
    mine | ${kind} mine  | ${selecting('replicas: 2')}
    none | ${kind} rival | ${selecting('replicas: 0')}
    more | ${kind} rival | ${selecting('replicas: 2')}
    a    | Pod a         | ${pod('mine')}
    b    | Pod b         | ${pod('mine')}
    `,
    `
    adopts what the deletion frees, and deletes all of it where it wants none | mine; none; a; b | ${orphan}
        | ${all('deleted (ADOPT-2)')}
    keeps all where it wants as many | mine; more; a; b | ${orphan} | ${all('kept (ADOPT-1)')}
    `,
  );
});

describe('a ReplicaSet', () => {
  const owned = (by: string, of: string) =>
    `{apiVersion: apps/v1, kind: ReplicaSet, name: ${by}, uid: uid-replicaset-shop-${by}, controller: true}, ${of}`;
  const keeper = '{apiVersion: v1, kind: ConfigMap, name: keeper, uid: uid-configmap-shop-keeper}';
  const objects = `
    mine   | ReplicaSet mine  | ${selecting('replicas: 1')}
    none   | ReplicaSet none  | ${selecting('replicas: 0')}
    roomy  | ReplicaSet roomy | ${selecting('replicas: 5')}
    rival  | ReplicaSet rival | ${selecting('replicas: 1')}
    blank  | ReplicaSet blank
    keeper | ConfigMap keeper
    shared | Pod shared
        | {ownerReferences: [${owned('mine', keeper)}], labels: {app: web}, facts: {nodeName: "", phase: Running}}
    free   | Pod free | {labels: {app: web}, facts: {nodeName: "", phase: Running}}
    done   | Pod done | ${pod('mine').replace('Running', 'Succeeded')}
    a      | Pod a    | ${pod('mine')}
    b      | Pod b    | ${pod('rival')}
    note   | ConfigMap note | {under: b}
    `;
  test('may adopt and delete what another one may adopt as well', () => {
    expect(
      outcomesOf(
        inFull,
        objects,
        `
    may take what another one may take as well | mine; none; roomy; a | ${orphan}
    may take anything where its selector was not read | mine; blank; a | ${orphan}
    takes along what goes with a pod, which is as open as the pod | mine; rival; a; b; note | ${orphan}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "may take what another one may take as well
        Pod a: unknown (ADOPT-2) ReplicaSet none adopts by its selector, if no other one is first: of 1 pod it keeps 0
      may take anything where its selector was not read
        Pod a: unknown (ADOPT-2) ReplicaSet blank may adopt by its selector, which was not read: of 1 pod it keeps 0
      takes along what goes with a pod, which is as open as the pod
        Pod a: unknown (ADOPT-2) ReplicaSet rival adopts by its selector: of 2 pods it keeps 1, and which is not known
        ConfigMap note: unknown (SIM-4) deleted if Pod b is or another unknown object is
        Pod b: unknown (ADOPT-2) ReplicaSet rival adopts by its selector: of 2 pods it keeps 1, and which is not known"
    `);
  });
  casesOfPlans(
    briefly,
    objects,
    `
    takes what loses its controller and lives on for another owner | mine; keeper; none; shared | | Pod shared: deleted (ADOPT-2)
    may take what another target orphans before its own request is sent | mine; none; a | mine, none ${orphan}
        | ReplicaSet none: deleted (GC-57) | Pod a: unknown (SIM-4)
    takes nothing more once it is asked for first | mine; none; a | none, mine ${orphan}
        | ReplicaSet mine: deleted (GC-57) | Pod a: orphaned (GC-37)
    takes no pod that was free before, or has ended | mine; none; free; done | ${orphan} | Pod done: orphaned (GC-37)
    `,
  );

  test('takes nothing where its controller is switched off', () => {
    const settings = { controllers: ['*', '-replicaset-controller'] };
    expect(ruled(plansFrom(objects)('mine; none; a', orphan, { settings }))).toEqual([
      'mine: deleted (GC-57)',
      'a: orphaned (GC-37)',
    ]);
  });
});

describe('a Deployment', () => {
  const hashed = (owner: string, hash: string) =>
    `{under: ${owner}, labels: {app: web, pod-template-hash: ${hash}}, facts: {replicas: 1, ${selector}}}`;
  const objects = `
    web   | Deployment web     | ${selecting('replicas: 1')}
    rival | Deployment rival
    mine  | ReplicaSet web-x   | ${hashed('web', 'x')}
    y     | ReplicaSet rival-y | ${hashed('rival', 'y')}
    a     | Pod a              | ${pod('mine')}
    b     | Pod b              | ${pod('y')}
    `;
  test('scales to 0 what it adopts and wants none of', () => {
    expect(
      outcomesOf(
        inFull,
        objects,
        `
    scales to 0 what it adopts and wants none of | web; rival ${selecting('replicas: 0')}; mine; a | ${orphan}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "scales to 0 what it adopts and wants none of
        ReplicaSet web-x: kept (ADOPT-3) Deployment rival adopts it, as its selector matches; Deployment rival scales it down to 0: it wants no pods
        Pod a: deleted (ADOPT-2) ReplicaSet web-x is scaled: of 1 pod it keeps 0"
    `);
  });
  casesOfPlans(
    briefly,
    objects,
    `
    may scale down what another target orphans before its own request is sent
        | web; rival ${selecting('replicas: 0')}; mine; a | web, rival ${orphan}
        | Deployment rival: deleted (GC-57) | ReplicaSet web-x: orphaned (GC-37) | Pod a: unknown (SIM-4)
    `,
  );
  casesOfPlans(
    briefly,
    objects,
    `
    may scale down any where its own pods are not available
        | web; rival ${selecting('replicas: 1, availableReplicas: 0')}; mine; y; a; b | ${orphan}
        | ReplicaSet web-x: kept (ADOPT-1) | Pod a: unknown (ADOPT-3) | Pod b: unknown (ADOPT-3)
    `,
  );
});

// What each of the others may end: test/controllers/workloads/adoption.test.ts.
describe('a StatefulSet', () => {
  const ofRevision = (hash: string) =>
    pod('mine', `labels: {app: web, controller-revision-hash: ${hash}}`);
  casesOfPlans(
    briefly,
    `
    mine   | ReplicaSet mine | ${selecting('replicas: 4')}
    db     | StatefulSet db  | ${selecting('replicas: 2, updateRevision: db-2')}
    first  | Pod db-0        | ${ofRevision('db-2')}
    old    | Pod db-1        | ${ofRevision('db-1')}
    other  | Pod other-0     | ${pod('mine')}
    odd    | Pod db-x        | ${pod('mine')}
    `,
    `
    keeps pods of its name, number and revision, and takes no others | mine; db; first; old; other; odd | ${orphan}
        | Pod db-0: kept (ADOPT-1) | Pod db-1: unknown (ADOPT-4) | Pod db-x: orphaned (GC-37) | Pod other-0: orphaned (GC-37)
    `,
  );
});
