import { describe, expect, test } from 'vitest';
import {
  excessReplicaSets,
  replicaSetHistory,
} from '../../../src/controllers/workloads/replicaset-history.ts';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { type Details, deployment, ownedBy, replicaSet } from '../../support/builders.ts';
import { decide, decided, inWords } from '../decided.ts';

const annotation = 'deployment.kubernetes.io/revision';

/** `1`, `2 busy`, `-`: a ReplicaSet of each revision (- is none), with replicas or without. */
function setsOf(text: string, details: Details = {}): ObjectRecord[] {
  return text.split(', ').map((entry, index) => {
    const [revision = '', busy] = entry.split(' ');
    const facts: ObjectFacts = { replicas: busy ? 1 : 0, ...(busy && { statusReplicas: 1 }) };
    return replicaSet(`rs-${revision}${revision === '-' ? index : ''}`, {
      ownerReferences: [ownedBy(web, { controller: true })],
      creationTimestamp: `2026-01-01T00:00:0${index}Z`,
      ...(revision !== '-' && { annotations: { [annotation]: revision } }),
      facts,
      ...details,
    });
  });
}

const web = deploymentOf({});

function deploymentOf(facts: ObjectFacts, details: Details = {}): ObjectRecord {
  return deployment('web', {
    annotations: { [annotation]: '9' },
    facts: { selector: { matchLabels: { app: 'web' } }, replicas: 0, ...facts },
    ...details,
  });
}

// They have no names of their own (RSH-6).
describe('TestDeploymentController_cleanupDeployment and …Order', () => {
  const old = (text: string, limit: number) =>
    excessReplicaSets(setsOf(text), limit).map(({ name }) => name);

  test.each([
    ['limit 1, three empty', '1, 2, 3', 1, ['rs-1', 'rs-2']],
    ['limit 0, two empty', '1, 2', 0, ['rs-1', 'rs-2']],
    ['limit 0, two in use', '1 busy, 2 busy', 0, []],
    ['revisions 1 and 2, limit 1', '2, 1', 1, ['rs-1']],
    ['no revision first', '1, -', 1, ['rs--1']],
    ['1 in use, 2 and 3, limit 1: a slot is lost', '1 busy, 2, 3', 1, ['rs-2']],
    ['1 and 2 in use, limit 1: both slots are lost', '1 busy, 2 busy, 3', 1, []],
    ['3, 1, 4, 2, limit 2', '3, 1, 4, 2', 2, ['rs-1', 'rs-2']],
    ['fewer than the limit', '1, 2', 3, []],
    ['exactly the limit', '1, 2', 2, []],
    ['two digits', '12, 9', 1, ['rs-9']],
    ['a signed revision', '+2, 1', 1, ['rs-1']],
  ])('%s', (_, sets, limit, names) => {
    expect(old(sets, limit)).toEqual(names);
  });

  test('whatever their order, the same ones go, also where a revision that is no number makes a ring of them', () => {
    const [one, other, none] = setsOf('1, x, -');
    const orders = [
      [one, other, none],
      [other, none, one],
      [none, one, other],
      [none, other, one],
    ].map((sets) => sets.flatMap((set) => set ?? []));
    const chosen = orders.map((sets) => excessReplicaSets(sets, 1).map(({ name }) => name));
    expect(new Set(chosen.map((names) => names.join())).size).toBe(1);
  });

  test('equal revisions, and those that are no numbers, go by their age (RSH-4)', () => {
    const oldest = (text: string) =>
      excessReplicaSets(setsOf(text).toReversed(), 1).map((one) => one.creationTimestamp);
    const first = ['2026-01-01T00:00:00Z'];
    expect(['3, 3', '2, 1x', '2, x1', 'x, 1'].map(oldest)).toEqual([first, first, first, first]);
  });

  test('limit 0, spec and status replicas', () => {
    const sets = [
      { replicas: 0 },
      { replicas: 0, statusReplicas: 1 },
      { replicas: 1 },
      { replicas: 1, statusReplicas: 1 },
      { replicas: 0, generation: 2, observedGeneration: 1 },
    ].flatMap((facts, index) => setsOf(`${index}`, { facts }));
    expect(excessReplicaSets(sets, 0).map(({ name }) => name)).toEqual(['rs-0']);
  });

  test('one that is being deleted does not count', () => {
    const [one] = setsOf('1', { deleting: 'background' });
    expect(
      decided(replicaSetHistory, [
        deploymentOf({ revisionHistoryLimit: 0 }),
        ...(one ? [one] : []),
      ]),
    ).toEqual([]);
  });

  test('one of another Deployment neither counts nor goes', () => {
    const other = { ownerReferences: [ownedBy(deployment('other'), { controller: true })] };
    const sets = [...setsOf('1', other), ...setsOf('2, 3')];
    const owner = (revisionHistoryLimit: number) => deploymentOf({ revisionHistoryLimit });
    expect([
      decided(replicaSetHistory, [owner(2), ...sets]),
      decided(replicaSetHistory, [owner(0), ...sets]),
    ]).toEqual([[], ['rs-2', 'rs-3']]);
  });

  test('the largest limit is none (RSH-2)', () => {
    const limit = { revisionHistoryLimit: 2 ** 31 - 1 };
    expect(decided(replicaSetHistory, [deploymentOf(limit), ...setsOf('1, 2')])).toEqual([]);
  });
});

describe('when it cleans up (RSH-1)', () => {
  const limit = { revisionHistoryLimit: 0 };
  const sets = setsOf('1, 5, 9');

  test.each<[string, ObjectFacts, Details, string[]]>([
    ['complete', {}, {}, ['rs-1', 'rs-5']],
    ['rolling out', { statusReplicas: 1 }, {}, []],
    ['not observed', { generation: 2, observedGeneration: 1 }, {}, []],
    ['paused', { paused: true, statusReplicas: 3 }, {}, ['rs-1', 'rs-5']],
    ['of bare metadata', {}, { facts: undefined }, []],
    [
      'paused, rolling back',
      { paused: true },
      { annotations: { [annotation]: '9', 'deprecated.deployment.rollback.to': '1' } },
      [],
    ],
    ['paused, without annotations', { paused: true }, { annotations: undefined }, ['rs-1', 'rs-5']],
    ['being deleted', {}, { deleting: 'background' }, []],
    ['selecting nothing', { selector: {} }, {}, []],
  ])('%s', (_, facts, details, names) => {
    expect(
      decided(replicaSetHistory, [deploymentOf({ ...limit, ...facts }, details), ...sets]),
    ).toEqual(names);
  });
});

describe('a paused Deployment', () => {
  const ofImage = (image: string): ObjectFacts => ({ containers: [{ name: 'main', image }] });
  const sets = setsOf('1, 2, 9').map((set, index) => ({
    ...set,
    facts: { ...set.facts, ...ofImage(`main:${index}`) },
  }));
  const certainties = (image: string) =>
    decide(replicaSetHistory, [
      deploymentOf({ paused: true, revisionHistoryLimit: 1, ...ofImage(image) }),
      ...sets,
    ]).map(({ object, confidence }) => `${object.name} ${confidence}`);

  test('has sets whose templates were not read, and goes by its revision', () => {
    const bare = setsOf('1, 2, 9');
    const owner = deploymentOf({ paused: true, revisionHistoryLimit: 1, ...ofImage('main:new') });
    const unread = deploymentOf({ paused: true, revisionHistoryLimit: 1 });
    const of = (...records: ObjectRecord[]) => inWords(decide(replicaSetHistory, records));
    const oldest = ['ReplicaSet rs-1: deleted (RSH-5)'];
    expect([of(owner, ...bare), of(unread, ...sets)]).toEqual([oldest, oldest]);
  });

  test('has no set of its new template yet, so all of them are old', () => {
    expect(certainties('main:new')).toEqual(['rs-1 certain', 'rs-2 certain']);
  });

  test('has an earlier set of its template again, as far as can be seen, and keeps that', () => {
    expect(certainties('main:0')).toEqual(['rs-2 likely']);
    expect(certainties('main:2')).toEqual(['rs-1 certain']);
  });
});

test('without a revision of the Deployment, the newest ReplicaSet stays and no deletion is certain', () => {
  const owner = deploymentOf({ revisionHistoryLimit: 0 }, { annotations: { [annotation]: '12' } });
  expect(decide(replicaSetHistory, [owner, ...setsOf('1')]).map((one) => one.confidence)).toEqual([
    'likely',
  ]);
});
