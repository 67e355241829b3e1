import { describe, expect, test } from 'vitest';
import { enabledControllers } from '../../../src/controllers/settings/enabled-controllers.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import type { SimulatedRequest } from '../../../src/simulator/api-server/request.ts';
import { orderDependentPart } from '../../../src/simulator/engine/order-dependent-part.ts';
import { play } from '../../../src/simulator/engine/play.ts';
import { canonicalSchedule } from '../../../src/simulator/engine/schedule.ts';
import { silentTimeline } from '../../../src/simulator/engine/timeline.ts';
import {
  builderOf,
  clusterRole,
  configMap,
  type Details,
  deployment,
  node,
  ownedBy,
  ownedByGone,
  pod,
  secret,
} from '../../support/builders.ts';
import { create, hold, remove } from '../play-out.ts';
import { inputOf } from './simulation-input.ts';

const namespace = builderOf('v1', 'Namespace');
const lease = builderOf('coordination.k8s.io/v1', 'Lease');

interface Options {
  readonly kubelets?: boolean;
  readonly about?: readonly ObjectRecord[];
}

/** Names of the objects that are compared, of those that others are judged by, and positions of the requests; undefined: every order ends alike. */
function partOf(
  records: readonly ObjectRecord[],
  requests: readonly SimulatedRequest[] = [],
  { kubelets = false, about }: Options = {},
) {
  const isEnabled = enabledControllers(['garbage-collector-controller']);
  const input = inputOf(records, requests, { isEnabled, kubelets });
  const shown = play(input, canonicalSchedule, () => silentTimeline);
  const part = orderDependentPart(input, shown, about && new Set(about.map(({ uid }) => uid)));
  if (!part) return undefined;
  const compared = part.records.map(({ name }) => name);
  const all = [...part.input.records];
  return {
    compared,
    beside: all.map(({ name }) => name).filter((name) => !compared.includes(name)),
    references: all.map(({ ownerReferences }) => ownerReferences.length),
    requests: part.requests,
    sent: part.input.requests.length,
  };
}

const owner = deployment('web');
const owned = { ownerReferences: [ownedBy(owner)] };
const deletion = [remove(owner)];

const onNode = (nodeName: string, more: Details = {}) =>
  pod('a', { ...owned, facts: { nodeName }, ...more });
const kubelets = { kubelets: true };

describe('every order ends alike', () => {
  const going = { deleting: 'background', deletionGracePeriodSeconds: 30 } as const;
  const orphan = configMap('a', { ownerReferences: [ownedByGone('apps/v1 Deployment gone')] });
  const tree = [owner, configMap('a', owned), secret('b', owned)];
  test.each<[string, readonly ObjectRecord[], readonly SimulatedRequest[], Options?]>([
    ['where nothing happens', [owner, configMap('a', { ...owned, finalizers: [hold] })], []],
    ['of a tree in which each has one owner', tree, deletion],
    [
      'of a pod whose kubelet stops it',
      [owner, node('worker'), onNode('worker')],
      deletion,
      kubelets,
    ],
    [
      'of a pod that is being deleted, and whose kubelet stops it',
      [owner, node('worker'), onNode('worker', going)],
      deletion,
      kubelets,
    ],
    ['of orphans that each had one owner', [orphan], []],
  ])('%s', (_, records, requests, options) => {
    expect(partOf(records, requests, options)).toBeUndefined();
  });
});

describe('other orders are played', () => {
  const other = deployment('other');
  const elsewhere = deployment('elsewhere', { namespace: 'depot' });
  const naming = (changes: Partial<OwnerReference>) =>
    configMap('a', { ownerReferences: [ownedBy(owner, changes)] });
  test.each<[string, ObjectRecord, Options?]>([
    ['a finalizer', configMap('a', { ...owned, finalizers: [hold] })],
    ['a deletion that has begun', configMap('a', { ...owned, deleting: 'background' })],
    ['a kind that nothing serves', naming({ apiVersion: 'apps/v9' })],
    ['another name for the owner', naming({ name: 'wep' })],
    ['another kind for the owner', naming({ kind: 'StatefulSet' })],
    ['a namespaced owner of an object without a namespace', clusterRole('a', owned)],
    ['a pod on a Node, where no kubelet runs', onNode('worker')],
    ['a pod on a Node that is gone', onNode('lost'), kubelets],
  ])('for %s', (_, dependent, options) => {
    const part = partOf([owner, dependent, node('worker')], deletion, options);
    expect(part?.compared.slice(0, 2)).toEqual(['web', 'a']);
    expect(part?.requests).toEqual([0]);
  });

  const two = configMap('a', { ownerReferences: [ownedBy(owner), ownedBy(other)] });

  test('for two owners that go', () => {
    const part = partOf([owner, two, other], [remove(owner), remove(other)]);
    expect(part).toMatchObject({ compared: ['web', 'a', 'other'], requests: [0, 1] });
  });

  test('for an owner that stays, unless the other goes in the background', () => {
    const policies = ['Background', 'Foreground', 'Orphan'] as const;
    const compared = policies.map(
      (policy) => partOf([owner, two, other], [remove(owner, policy)])?.compared,
    );
    expect(compared).toEqual([undefined, ['web', 'a'], ['web', 'a']]);
  });

  test('for a second owner that is absent, unless the other goes in the background', () => {
    const gone = ownedByGone('apps/v1 Deployment other');
    const half = configMap('a', { ownerReferences: [ownedBy(owner), gone] });
    for (const more of [[], [other]]) {
      const records = [owner, half, ...more];
      expect(partOf(records, [remove(owner, 'Background')])).toBeUndefined();
      expect(partOf(records, [remove(owner, 'Foreground')])?.compared).toEqual(['web', 'a']);
    }
    const bare = deployment('other', { uid: '' });
    expect(partOf([owner, half, bare], [remove(owner, 'Background')])?.compared).toEqual([
      'web',
      'a',
    ]);
  });

  test('for objects that own each other', () => {
    const [a, b] = [configMap('a'), configMap('b')];
    const ring = [
      configMap('a', { ownerReferences: [ownedBy(b)] }),
      configMap('b', { ownerReferences: [ownedBy(a)] }),
    ];
    expect(partOf(ring, [remove(a)])?.compared).toEqual(['a', 'b']);
  });

  test('for an owner in another namespace', () => {
    const dependent = configMap('a', { ownerReferences: [ownedBy(elsewhere)] });
    expect(partOf([elsewhere, dependent], [remove(elsewhere)])?.compared).toEqual([
      'elsewhere',
      'a',
    ]);
  });

  test('for two requests to one tree, and not for one to each of two', () => {
    const child = configMap('a', owned);
    expect(partOf([owner, child], [remove(owner), remove(child)])).toMatchObject({
      compared: ['web', 'a'],
      requests: [0, 1],
    });
    expect(partOf([owner, child, other], [remove(owner), remove(other)])).toBeUndefined();
  });
});

describe('only what happened is played again', () => {
  const held = configMap('held', { ...owned, finalizers: [hold] });
  const quiet = deployment('quiet');
  const beside = configMap('beside', { ownerReferences: [ownedBy(quiet)], finalizers: [hold] });

  test('without families in which nothing happened, and with the requests that are theirs', () => {
    const records = [quiet, beside, owner, held, secret('single')];
    const part = partOf(records, [remove(secret('single')), remove(owner)]);
    expect(part).toMatchObject({ compared: ['web', 'held'], requests: [1], sent: 1 });
  });

  test('with requests that are about no single object', () => {
    const part = partOf([owner, held], [create(secret('new')), remove(owner)]);
    expect(part).toMatchObject({ requests: [0, 1], sent: 2 });
  });

  const worker = node('worker', { facts: { conditions: [{ type: 'Ready', status: 'True' }] } });
  const beats = ['worker', 'spare'].map((name) =>
    lease(name, { namespace: 'kube-node-lease', ownerReferences: [ownedBy(worker)] }),
  );
  const others = [namespace('shop'), namespace('bank'), node('spare'), ...beats, lease('leader')];
  const bound = pod('bound', { ...owned, finalizers: [hold], facts: { nodeName: 'worker' } });

  test('beside the Nodes, namespaces and leases that it names, as if nothing owned them', () => {
    const part = partOf([owner, bound, worker, ...others], deletion, { kubelets: true });
    expect(part).toMatchObject({
      compared: ['web', 'bound'],
      beside: ['worker', 'shop', 'worker'],
      references: [0, 1, 0, 0, 0],
    });
  });

  test.each([
    ['is not ready', { conditions: [{ type: 'Ready', status: 'False' }] }],
    ['was not read', undefined],
    [
      'is tainted',
      { ...worker.facts, taints: [{ key: 'example.com/gone', effect: 'NoExecute' as const }] },
    ],
  ])('beside all Nodes where its own %s', (_, facts) => {
    const unwell = node('worker', { facts });
    const part = partOf([owner, bound, unwell, ...others], deletion, { kubelets: true });
    expect(part?.beside).toEqual(['worker', 'shop', 'spare', 'worker', 'spare']);
  });

  test('without owners that stay, which are only looked at', () => {
    const shared = configMap('shared', {
      ownerReferences: [ownedBy(owner), ownedBy(quiet)],
      finalizers: [hold],
    });
    const part = partOf([owner, quiet, beside, shared], deletion);
    expect(part).toMatchObject({ compared: ['web', 'shared'], beside: ['quiet'] });
  });

  test('of what is asked about', () => {
    const second = deployment('second');
    const records = [
      owner,
      held,
      second,
      secret('too', { ownerReferences: [ownedBy(second)], finalizers: [hold] }),
    ];
    const requests = [remove(owner), remove(second)];
    expect(partOf(records, requests)?.compared).toEqual(['web', 'held', 'second', 'too']);
    expect(partOf(records, requests, { about: [second] })).toMatchObject({
      compared: ['second', 'too'],
      requests: [1],
    });
    expect(partOf(records, requests, { about: [configMap('absent')] })).toBeUndefined();
  });
});
