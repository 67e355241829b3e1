import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  builderOf,
  configMap,
  type Details,
  deployment,
  job,
  node,
  ownedBy,
  pod,
  replicaSet,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { planned, ruled } from './planned.ts';
import { by } from './told.ts';

const statefulSet = builderOf('apps/v1', 'StatefulSet');
const daemonSet = builderOf('apps/v1', 'DaemonSet');
const revision = builderOf('apps/v1', 'ControllerRevision');
const replicationController = builderOf('v1', 'ReplicationController');

const labels = { app: 'web' };
const selector = { matchLabels: labels };
const unbound: ObjectFacts = { nodeName: '', phase: 'Running' };
const podOf = (owner: ObjectRecord, name: string, details: Details = {}) =>
  pod(name, { ...by(owner), labels, facts: unbound, ...details });

/** `Pod a: deleted (ADOPT-2) because`, one line per object, when `target` is deleted with --cascade=orphan. */
function orphaning(target: ObjectRecord, records: readonly ObjectRecord[]): string[] {
  return planned(records, target, { policy: 'Orphan' }).objects.map(
    ({ kind, name, fate, rule, because }) => `${kind} ${name}: ${fate} (${rule}) ${because}`,
  );
}

/** `Pod a: deleted (ADOPT-2)`. */
const briefly = (lines: readonly string[]) => lines.map((line) => line.replace(/\) .*/, ')'));

describe.each([
  ['ReplicaSet', replicaSet],
  ['ReplicationController', replicationController],
])('a %s', (kind, build) => {
  const mine = build('mine', { facts: { replicas: 2, selector } });
  const pods = ['a', 'b'].map((name) => podOf(mine, name));

  test('adopts what the deletion frees, and deletes all of it where it wants none', () => {
    const rival = build('rival', { facts: { replicas: 0, selector } });
    const because = `${kind} rival adopts by its selector: of 2 pods it keeps 0`;
    expect(orphaning(mine, [mine, rival, ...pods]).slice(1)).toEqual(
      ['a', 'b'].map((name) => `Pod ${name}: deleted (ADOPT-2) ${because}`),
    );
  });

  test('may delete any of its pods where it wants some', () => {
    const rival = build('rival', { facts: { replicas: 2, selector } });
    const own = podOf(rival, 'c');
    const because = `${kind} rival adopts by its selector: of 3 pods it keeps 2, and which is not known`;
    expect(orphaning(mine, [mine, rival, own, ...pods]).slice(1)).toEqual(
      ['a', 'b', 'c'].map((name) => `Pod ${name}: unknown (ADOPT-2) ${because}`),
    );
  });

  test('keeps all where it wants as many', () => {
    const rival = build('rival', { facts: { replicas: 3, selector } });
    const own = podOf(rival, 'c');
    expect(orphaning(mine, [mine, rival, own, ...pods]).slice(1)).toEqual(
      ['a', 'b'].map(
        (name) => `Pod ${name}: kept (ADOPT-1) ${kind} rival adopts it, as its selector matches`,
      ),
    );
  });
});

describe('a ReplicaSet', () => {
  const mine = replicaSet('mine', { facts: { replicas: 1, selector } });
  const none = replicaSet('none', { facts: { replicas: 0, selector } });

  test('takes what loses its controller and lives on for another owner', () => {
    const keeper = configMap('keeper');
    const shared = podOf(mine, 'shared', {
      ownerReferences: [...(by(mine).ownerReferences ?? []), ownedBy(keeper)],
    });
    expect(ruled(planned([keeper, mine, none, shared], mine))).toEqual([
      'mine: deleted (GC-61)',
      'shared: deleted (ADOPT-2)',
    ]);
  });

  test('takes no pod that was free before, has ended or is being deleted, and none in its own deletion', () => {
    const free = pod('free', { labels, facts: unbound });
    const done = podOf(mine, 'done', { facts: { ...unbound, phase: 'Succeeded' } });
    const going = replicaSet('going', {
      facts: { replicas: 0, selector },
      deleting: 'foreground',
      finalizers: ['example.com/held'],
    });
    expect(briefly(orphaning(mine, [mine, none, free, done]).slice(1))).toEqual([
      'Pod done: orphaned (GC-37)',
    ]);
    expect(briefly(orphaning(mine, [mine, going, podOf(mine, 'a')]).slice(1))).toEqual([
      'Pod a: orphaned (GC-37)',
    ]);
  });

  test('may take what another one may take as well', () => {
    const roomy = replicaSet('roomy', { facts: { replicas: 5, selector } });
    expect(orphaning(mine, [mine, none, roomy, podOf(mine, 'a')]).slice(1)).toEqual([
      'Pod a: unknown (ADOPT-2) ReplicaSet none adopts by its selector, if no other one is first: of 1 pod it keeps 0',
    ]);
  });

  test('may take anything where its selector was not read', () => {
    expect(orphaning(mine, [mine, replicaSet('blank'), podOf(mine, 'a')]).slice(1)).toEqual([
      'Pod a: unknown (ADOPT-2) ReplicaSet blank may adopt by its selector, which was not read: of 1 pod it keeps 0',
    ]);
  });

  test('takes nothing where its controller is switched off', () => {
    const records = [mine, none, podOf(mine, 'a')];
    const settings = { controllers: ['*', '-replicaset-controller'] };
    expect(ruled(planned(records, mine, { policy: 'Orphan' }, {}, { settings }))).toEqual([
      'mine: deleted (GC-57)',
      'a: orphaned (GC-37)',
    ]);
  });

  test('takes along what goes with a pod, which is as open as the pod', () => {
    const rival = replicaSet('rival', { facts: { replicas: 1, selector } });
    const [a, b] = [podOf(mine, 'a'), podOf(rival, 'b')];
    const note = configMap('note', by(b));
    expect(orphaning(mine, [mine, rival, a, b, note]).slice(1)).toEqual([
      'Pod a: unknown (ADOPT-2) ReplicaSet rival adopts by its selector: of 2 pods it keeps 1, and which is not known',
      'ConfigMap note: unknown (SIM-4) it goes if Pod b does, or another one of those that may go',
      'Pod b: unknown (ADOPT-2) ReplicaSet rival adopts by its selector: of 2 pods it keeps 1, and which is not known',
    ]);
  });
});

describe('a Deployment', () => {
  const web = deployment('web', { facts: { replicas: 1, selector } });
  const hashed = (hash: string) => ({ labels: { ...labels, 'pod-template-hash': hash } });
  const setOf = (owner: ObjectRecord, hash: string) =>
    replicaSet(`${owner.name}-${hash}`, {
      ...by(owner),
      ...hashed(hash),
      facts: { replicas: 1, selector },
    });
  const mine = setOf(web, 'x');
  const rivalOf = (facts: ObjectFacts) => deployment('rival', { facts: { selector, ...facts } });
  const fatesBeside = (rival: ObjectRecord, hash: string, more: readonly ObjectRecord[] = []) => {
    const own = setOf(rival, hash);
    const pods = [podOf(mine, 'a'), podOf(own, 'b')];
    return briefly(orphaning(web, [web, rival, mine, own, ...pods, ...more]).slice(1));
  };

  test('scales to 0 what it adopts and wants none of', () => {
    const rival = rivalOf({ replicas: 0 });
    expect(orphaning(web, [web, rival, mine, podOf(mine, 'a')]).slice(1)).toEqual([
      'ReplicaSet web-x: kept (ADOPT-3) Deployment rival adopts it, as its selector matches; Deployment rival scales it down to 0: it wants no pods',
      'Pod a: deleted (ADOPT-2) ReplicaSet web-x is scaled: of 1 pod it keeps 0',
    ]);
  });

  const rows = rowsOf(`
    scales to 0 what is not of its template, once its own pods are available | {replicas: 1, availableReplicas: 1} | y
        | ReplicaSet web-x: kept (ADOPT-3), Pod a: deleted (ADOPT-2)
    may scale down any of its ReplicaSets where templates may be equal | {replicas: 1, availableReplicas: 1} | x
        | ReplicaSet web-x: kept (ADOPT-1), Pod a: unknown (ADOPT-3), Pod b: unknown (ADOPT-3)
    may scale down any where its own pods are not available | {replicas: 1, availableReplicas: 0} | y
        | ReplicaSet web-x: kept (ADOPT-1), Pod a: unknown (ADOPT-3), Pod b: unknown (ADOPT-3)
    may delete what is too much for its history | {replicas: 1, availableReplicas: 1, revisionHistoryLimit: 0} | y
        | ReplicaSet web-x: unknown (ADOPT-3), Pod a: deleted (ADOPT-2)
  `);
  test.each(rows)('%s', (_, facts = '', hash = '', ends) => {
    expect(fatesBeside(rivalOf(parse(facts)), hash).join(', ')).toBe(ends);
  });

  test('may delete what it adopts where its own current set is gone: it makes another one', () => {
    const rival = rivalOf({ replicas: 1, revisionHistoryLimit: 0 });
    const idle = { ...mine, facts: { ...mine.facts, replicas: 0 } };
    expect(briefly(orphaning(web, [web, rival, idle]).slice(1))).toEqual([
      'ReplicaSet web-x: unknown (ADOPT-3)',
    ]);
  });
});

describe('a StatefulSet', () => {
  const mine = replicaSet('mine', { facts: { replicas: 1, selector } });
  const db = statefulSet('db', { facts: { replicas: 2, selector, updateRevision: 'db-2' } });
  const hash = 'controller-revision-hash';

  test('keeps pods of its name, number and revision, and takes no others', () => {
    const pods = [
      podOf(mine, 'db-0', { labels: { ...labels, [hash]: 'db-2' } }),
      podOf(mine, 'db-1', { labels: { ...labels, [hash]: 'db-1' } }),
      podOf(mine, 'db-2', { labels: { ...labels, [hash]: 'db-2' } }),
      podOf(mine, 'other-0'),
    ];
    expect(briefly(orphaning(mine, [mine, db, ...pods]).slice(1))).toEqual([
      'Pod db-0: kept (ADOPT-1)',
      'Pod db-1: unknown (ADOPT-4)',
      'Pod db-2: unknown (ADOPT-4)',
      'Pod other-0: orphaned (GC-37)',
    ]);
  });
});

describe('a DaemonSet', () => {
  const mine = daemonSet('mine', { facts: { selector } });
  const rival = daemonSet('rival', { facts: { selector, revisionHistoryLimit: 10 } });
  const on = (nodeName: string) => ({ facts: { nodeName, phase: 'Running' } });

  test('may delete any pod of a Node on which it adopts one', () => {
    const records = [
      node('n1'),
      node('n2'),
      mine,
      rival,
      podOf(mine, 'a', on('n1')),
      podOf(rival, 'b', on('n1')),
      podOf(rival, 'c', on('n2')),
    ];
    expect(briefly(orphaning(mine, records).slice(1))).toEqual([
      'Pod a: unknown (ADOPT-5)',
      'Pod b: unknown (ADOPT-5)',
    ]);
  });

  test('may delete one of two revisions with the same content, and those above its limit', () => {
    const of = (owner: ObjectRecord, hash: string) =>
      revision(`${owner.name}-${hash}`, {
        ...by(owner),
        labels: { ...labels, 'controller-revision-hash': hash },
      });
    const revisions = [of(mine, 'x'), of(mine, 'y'), of(rival, 'x')];
    expect(briefly(orphaning(mine, [mine, rival, ...revisions]).slice(1))).toEqual([
      'ControllerRevision mine-x: unknown (ADOPT-7)',
      'ControllerRevision mine-y: kept (ADOPT-1)',
      'ControllerRevision rival-x: unknown (ADOPT-7)',
    ]);
    const short = daemonSet('rival', { facts: { selector, revisionHistoryLimit: 0 } });
    expect(briefly(orphaning(mine, [mine, short, of(mine, 'y'), of(rival, 'x')]).slice(1))).toEqual(
      [
        'ControllerRevision mine-y: unknown (ADOPT-7)',
        'ControllerRevision rival-x: unknown (ADOPT-7)',
      ],
    );
  });
});

describe('a Job', () => {
  const mine = job('mine', { facts: { selector } });
  const fatesBeside = (facts: ObjectFacts) => {
    const rival = job('rival', { facts: { selector, ...facts } });
    return briefly(orphaning(mine, [mine, rival, podOf(mine, 'a'), podOf(rival, 'b')]).slice(1));
  };

  const rows = rowsOf(`
    may end all of its pods | parallelism: 2 | Pod a: unknown (ADOPT-6), Pod b: unknown (ADOPT-6)
    ends them while it is suspended          | suspend: true                                     | Pod a: deleted (ADOPT-6)
    that has finished adopts nothing         | conditions: [{type: Complete, status: "True"}]    | Pod a: orphaned (GC-37)
    of another manager adopts nothing        | managedBy: example.com/queue                      | Pod a: orphaned (GC-37)
  `);
  // A suspended one ends its own pod without this deletion, too (JOB-2).
  test.each(rows)('%s', (_, facts = '', ends) => {
    expect(fatesBeside(parse(facts)).join(', ')).toBe(ends);
  });
});
