import { describe } from 'vitest';
import type { Plan } from '../../../src/deletion/plan/plan.ts';
import { since } from '../../support/facts/object-with-facts.ts';
import { casesOfPlans } from './told.ts';

/** What else than its target a plan names: `Pod db-0: unknown (ADOPT-4)`. */
const open = ({ objects }: Plan) =>
  objects.slice(1).map(({ kind, name, fate, rule }) => `${kind} ${name}: ${fate} (${rule})`);

const ready = { type: 'Ready', status: 'True', lastTransitionTime: since };
const of = (revision: string, facts: object = { conditions: [ready] }) =>
  `labels: {controller-revision-hash: ${revision}}, facts: ${JSON.stringify({ nodeName: '', phase: 'Running', ...facts })}`;
const unready = { conditions: [{ ...ready, status: 'False' }] };

describe('a StatefulSet', () => {
  const status = { observedGeneration: 2, currentRevision: 'db-1', updateRevision: 'db-2' };
  const set = (more: object) =>
    JSON.stringify({ facts: { replicas: 3, generation: 2, ...status, ...more } });
  const back = set({ updateRevision: 'db-1' });
  const rest = 'Pod db-0: unknown (ADOPT-4) | Pod db-1: unknown (ADOPT-4)';
  casesOfPlans(
    open,
    `
    db  | StatefulSet db | ${set({ updateStrategy: 'RollingUpdate' })}
    a   | Pod db-0       | {under: db, ${of('db-1')}}
    b   | Pod db-1       | {under: db, ${of('db-1')}}
    c   | Pod db-2       | {under: db, ${of('db-2', unready)}}
    now | Pod db-0       | {under: db, ${of('db-2', unready)}}
    bad | Pod db-0       | {under: db, ${of('db-1', unready)}}
    odd | Pod db-0       | {under: db, facts: {nodeName: "", phase: Running}}
    n   | Node n         | ${JSON.stringify({ facts: { conditions: [{ ...ready, status: 'Unknown' }] } })}
    `,
    `
    may replace those of another revision once the pod is gone that it waited for | c; db; a; b | | ${rest}
    that is not known to be ready | c {facts: {nodeName: ""}}; db; a; b | | ${rest}
    or has not been for minReadySeconds | c {${of('db-2')}}; db ${set({ minReadySeconds: 1e9 })}; a; b | | ${rest}
    which it has been | c {${of('db-2')}}; db ${set({ minReadySeconds: 9 })}; a; b
    or that was being deleted | c {${of('db-2', { nodeName: 'n', conditions: [ready] })}, deleting: true}; db; a; b; n | c {gracePeriodSeconds: 0} | ${rest}
    goes on from any pod that is not ready | bad; db; b; c | | Pod db-1: unknown (ADOPT-4)
    goes on from none that is ready | a; db; b; c
    names no pod that is deleted anyway | c; db; a; b | c, b, a | Pod db-1: recreated (GC-61) | Pod db-0: recreated (GC-61)
    has nothing to replace where all are of its revision | now; db; c
    nor below its partition | c; db ${set({ partition: 1 })}; a; b | | Pod db-1: unknown (ADOPT-4)
    nor with the strategy OnDelete | c; db ${set({ updateStrategy: 'OnDelete' })}; a; b
    nor before its first revision | c; db ${set({ updateRevision: undefined })}; a; b
    replaces them also on the way back to its revision | b {${of('db-1', unready)}}; db ${back}; a; c | | Pod db-2: unknown (ADOPT-4)
    takes pods whose revision is not known for those of its present one | c; db ${back}; odd
    `,
  );
});

describe('a StatefulSet that was scaled down', () => {
  const at = (ordinal: number, facts?: object) =>
    `Pod db-${ordinal} | {under: db, ${of('db-1', facts)}}`;
  const some = { minReadySeconds: 1e9, volumeClaimTemplates: [{ name: 'data' }] };
  casesOfPlans(
    open,
    `
    db   | StatefulSet db | {facts: {replicas: 2}}
    slow | StatefulSet db | ${JSON.stringify({ facts: { replicas: 2, ...some } })}
    a    | ${at(0)}
    b    | ${at(1)}
    c    | ${at(2)}
    d    | ${at(3)}
    bad0 | ${at(0, unready)}
    bad1 | ${at(1, unready)}
    bad2 | ${at(2, unready)}
    bad3 | ${at(3, unready)}
    bad4 | ${at(4, unready)}
    `,
    `
    gives up the last ones when the first of them is gone that held that up | bad2; db; a; b; d; bad4 | | Pod db-3: deleted (STS-2) | Pod db-4: deleted (STS-2)
    also where it was the only one before the last | bad2; db; a; b; bad3 | | Pod db-3: deleted (STS-2)
    may give them up when one that stays is made again, and all get ready | bad0; db; bad1; c; d | | Pod db-2: unknown (STS-2) | Pod db-3: unknown (STS-2)
    and where they are not ready for minReadySeconds | c; slow; a; b; d | | Pod db-3: unknown (STS-2)
    gives up the others where all that stay are ready | c; db; a; b; d | | Pod db-3: deleted (STS-2)
    `,
  );
});

describe('a DaemonSet', () => {
  const revision = (number: number, hash: string) =>
    `{under: log, labels: {controller-revision-hash: ${hash}}, facts: {revision: ${number}}}`;
  const on = (node: string) => ({
    affineNodes: [[{ key: 'metadata.name', operator: 'In', values: [node] }]],
  });
  casesOfPlans(
    open,
    `
    log  | DaemonSet log  | {facts: {updateStrategy: RollingUpdate}}
    y    | ControllerRevision log-y | ${revision(2, 'y')}
    x    | ControllerRevision log-x | ${revision(1, 'x')}
    old  | Pod log-1      | {under: log, ${of('x', { ...on('a'), conditions: [ready] })}}
    bad  | Pod log-2      | {under: log, ${of('y', { ...on('b'), ...unready })}}
    new  | Pod log-3      | {under: log, ${of('y', { ...on('c'), conditions: [ready] })}}
    last | Pod log-4      | {under: log, ${of('x', { ...on('b'), conditions: [ready] })}}
    `,
    `
    may replace those of an earlier revision | bad; log; x; y; old; new | | Pod log-1: unknown (ADOPT-5)
    but for one that was ready | new; log; x; y; old; bad
    unless a new one beside it is not, which counts no more | last; log; x; y; old; bad | | Pod log-1: unknown (ADOPT-5)
    and has nothing to replace where all are of its last one | bad; log; x; y; new
    nor with the strategy OnDelete | bad; log {facts: {updateStrategy: OnDelete}}; x; y; old
    goes by the revision of the pod where none was read | bad; log; old; new | | Pod log-1: unknown (ADOPT-5)
    `,
  );
});

describe('a Deployment', () => {
  const revision = (number: number) =>
    `annotations: {deployment.kubernetes.io/revision: "${number}"}`;
  const selector = { matchLabels: { app: 'web' } };
  const web = (more: object) =>
    `{${revision(3)}, facts: ${JSON.stringify({ replicas: 1, revisionHistoryLimit: 1, selector, ...more })}}`;
  const ofSet = (number: number, replicas: number) =>
    `{under: web, ${revision(number)}, facts: {replicas: ${replicas}, statusReplicas: ${replicas}}}`;
  const complete = { statusReplicas: 1, updatedReplicas: 1, availableReplicas: 1 };
  const rolling = { ...complete, statusReplicas: 2 };
  const all = 'Pod web-2-x: unknown (ADOPT-3) | ReplicaSet web-1: unknown (ADOPT-3)';
  casesOfPlans(
    open,
    `
    web   | Deployment web   | ${web(rolling)}
    three | ReplicaSet web-3 | ${ofSet(3, 1)}
    two   | ReplicaSet web-2 | ${ofSet(2, 1)}
    one   | ReplicaSet web-1 | ${ofSet(1, 0)}
    bad   | Pod web-3-x      | {under: three, ${of('', unready)}}
    good  | Pod web-3-y      | {under: three, ${of('')}}
    old   | Pod web-2-x      | {under: two, ${of('')}}
    ended | Pod web-2-y      | {under: two, ${of('', { phase: 'Failed' })}}
    `,
    `
    may give up the pods of old ReplicaSets, and those that are too many in the end | bad; web; one; two; three; old; ended | | ${all}
    and the last one where it keeps none | bad; web ${web({ ...rolling, revisionHistoryLimit: 0 })}; two; three; old | | Pod web-2-x: unknown (ADOPT-3) | ReplicaSet web-2: unknown (ADOPT-3)
    gives up nothing for a pod that was ready | good; web; one; two; three; old; bad
    but for one that was not for minReadySeconds | good; web ${web({ ...rolling, minReadySeconds: 1e9 })}; one; two; three; old; bad | | ${all}
    nor for one of an old ReplicaSet, ready or not | ended; web; one; two; three; old; bad
    gives up nothing once its rollout is complete | bad; web ${web(complete)}; one; three
    nor while it is paused | bad; web ${web({ ...rolling, paused: true })}; two; three; old
    may go on as well when the new ReplicaSet is deleted | three; web; two; old; bad | | Pod web-3-x: deleted (GC-22.13) | Pod web-2-x: unknown (ADOPT-3)
    unless all of its pods were ready | three; web; two; old; good | | Pod web-3-y: deleted (GC-22.13)
    `,
  );
});
