import { describe, expect, test } from 'vitest';
import type { PropagationPolicy } from '../../../src/controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { enabledControllers } from '../../../src/settings/enabled-controllers.ts';
import type { SimulatedRequest } from '../../../src/simulator/api-server/request.ts';
import { orderDependentPart } from '../../../src/simulator/engine/order-dependent-part.ts';
import { play } from '../../../src/simulator/engine/play.ts';
import { canonicalSchedule } from '../../../src/simulator/engine/schedule.ts';
import { silentTimeline } from '../../../src/simulator/engine/timeline.ts';
import { readCoverageOf } from '../../../src/simulator/simulation-input.ts';
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
  snapshotOf,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { create, hold, remove } from '../play-out.ts';
import { inputOf } from './simulation-input.ts';

const namespace = builderOf('v1', 'Namespace');
const lease = builderOf('coordination.k8s.io/v1', 'Lease');

interface Options {
  readonly kubelets?: boolean;
  readonly about?: readonly ObjectRecord[];
  readonly unread?: readonly string[];
  readonly enabled?: readonly string[];
}

/** Names of the objects that are compared, of those that others are judged by, and positions of the requests; undefined: every order ends alike. */
function partOf(
  records: readonly ObjectRecord[],
  requests: readonly SimulatedRequest[] = [],
  { kubelets = false, about, unread = [], enabled = [] }: Options = {},
) {
  const isEnabled = enabledControllers(['garbage-collector-controller', ...enabled]);
  const known = readCoverageOf(snapshotOf(records, { unread }));
  const input = inputOf(records, requests, { isEnabled, kubelets, known });
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
    areAlone: part.areAlone,
    sent: part.input.requests.map((request) => requests.indexOf(request)),
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
    ['of a tree', tree, deletion],
    ['of a running pod', [owner, node('worker'), onNode('worker')], deletion, kubelets],
    ['of a terminating pod', [owner, node('worker'), onNode('worker', going)], deletion, kubelets],
    ['of single-owner orphans', [orphan], []],
    [
      'of a cluster-scoped orphan',
      [clusterRole('a', { ownerReferences: [ownedByGone('v1 Node gone')] })],
      [],
    ],
    [
      "of a missing Node's pod",
      [owner, node('worker'), onNode('lost')],
      [remove(onNode('lost'), undefined, { gracePeriodSeconds: 0 })],
      kubelets,
    ],
    ['of an unscheduled pod', [owner, pod('a', { ...owned, facts: { nodeName: '' } })], deletion],
  ])('%s', (_, records, requests, options) => {
    expect(partOf(records, requests, options)).toBeUndefined();
  });
});

describe('in a namespace that is being deleted', () => {
  const home = namespace('shop', {
    deleting: 'background',
    facts: { specFinalizers: ['kubernetes'] },
  });
  const held = configMap('held', { finalizers: [hold] });
  const isPlayed = (...records: readonly ObjectRecord[]) =>
    partOf([home, configMap('plain'), ...records], [], { enabled: ['namespace-controller'] }) !==
    undefined;
  test.each<[string, ...ObjectRecord[]]>([
    ['only this joins', held],
    ['finalizers are elsewhere', secret('plain'), held],
  ])('orders end alike where %s', (_, ...records) => {
    expect(isPlayed(...records)).toBe(false);
  });
  test.each<[string, ...ObjectRecord[]]>([
    ['an owned object', held, configMap('a', { ownerReferences: [ownedBy(held)] })],
    ['a Secret with finalizer', secret('a', { finalizers: [hold] })],
    ['an orphan finalizer', configMap('a', { finalizers: ['orphan'] })],
    ['a pod', held, pod('a', { facts: { nodeName: 'lost' } })],
  ])('plays other orders for %s', (_, ...records) => {
    expect(isPlayed(...records)).toBe(true);
  });
});

describe('other orders are played', () => {
  const other = deployment('other');
  const elsewhere = deployment('elsewhere', { namespace: 'depot' });
  const naming = (changes: Partial<OwnerReference>) =>
    configMap('a', { ownerReferences: [ownedBy(owner, changes)] });
  test.each<[string, ObjectRecord, Options?]>([
    ['a finalizer', configMap('a', { ...owned, finalizers: [hold] })],
    ['a terminating child', configMap('a', { ...owned, deleting: 'background' })],
    ['an unserved owner kind', naming({ apiVersion: 'apps/v9' })],
    ['a wrong owner name', naming({ name: 'wep' })],
    ['a wrong owner kind', naming({ kind: 'StatefulSet' })],
    ['a cluster-scoped child', clusterRole('a', owned)],
    ['a pod on a Node, where no kubelet runs', onNode('worker')],
    ['a pod on a Node that is gone', onNode('lost'), kubelets],
  ])('for %s', (_, dependent, options) => {
    const part = partOf([owner, dependent, node('worker')], deletion, options);
    expect(part?.compared.slice(0, 2)).toEqual(['web', 'a']);
    expect(part?.requests).toEqual([0]);
  });

  const held = configMap('held', { ...owned, finalizers: [hold] });
  const quiet = deployment('quiet');
  const between = (name: string, finalizers: string[], ...owners: OwnerReference[]) =>
    configMap(name, { ownerReferences: owners, finalizers });
  const [a, b] = [configMap('a'), configMap('b')];
  const odd = 'gone.example.com/v1 Gone x';
  const objects: Readonly<Record<string, ObjectRecord>> = {
    ...{ web: owner, other, elsewhere, held, quiet, child: configMap('a', owned) },
    'other-without-uid': deployment('other', { uid: '' }),
    single: secret('single'),
    worker: node('worker'),
    'secret-web': secret('web', { finalizers: [hold] }),
    'uid-of-child': secret('b', { ...owned, uid: configMap('a').uid, finalizers: [hold] }),
    'other-of-quiet': deployment('other', { ownerReferences: [ownedBy(quiet)] }),
    'other-of-odd': deployment('other', { ownerReferences: [ownedByGone(odd)] }),
    'on-worker': between('a', [], ownedBy(node('worker'))),
    'half-odd': between('a', [], ownedBy(owner), ownedByGone(odd)),
    'half-list': between('a', [], ownedBy(owner), ownedByGone('v1 ConfigMapList x')),
    two: between('a', [], ownedBy(owner), ownedBy(other)),
    half: between('a', [], ownedBy(owner), ownedByGone('apps/v1 Deployment other')),
    far: between('a', [], ownedBy(elsewhere)),
    'ring-a': between('a', [], ownedBy(b)),
    'ring-b': between('b', [], ownedBy(a)),
    beside: between('beside', [hold], ownedBy(quiet)),
    shared: between('shared', [hold], ownedBy(owner), ownedBy(quiet)),
  };
  // Those that are deleted, by which policy, what is compared, and the positions of the requests that are played again.
  const rows = rowsOf(`
    for two owners that go                          | web two other          | web other      | web a other | 0 1
    not for an owner that stays, in the background  | web two other          | web/Background |             |
    for an owner that stays, in the foreground      | web two other          | web/Foreground | web a beside other | 0
    for an owner that stays, of orphans             | web two other          | web/Orphan     | web a beside other | 0
    not for an absent owner, in the background      | web half               | web/Background |             |
    for an absent owner, in the foreground          | web half               | web/Foreground | web a       | 0
    not for one with another uid, in the background | web half other         | web/Background |             |
    for one with another uid, in the foreground     | web half other         | web/Foreground | web a beside other | 0
    for one without a uid, in the background        | web half other-without-uid | web/Background | web a beside other | 0
    for an owner that stays, where one of two goes in the foreground | web two other single | web/Background single/Foreground | web a beside other | 0
    not for an owner that is well owned             | web two quiet other-of-quiet | web/Background | |
    for an owner whose own owner is of no kind that is served | web two other-of-odd | web/Background | web a other | 0
    for an owner of no kind that is served          | web half-odd           | web/Background | web a       | 0
    not for an owner that no GET finds              | web half-list          | web/Background |             |
    not for a second object of one uid              | web child uid-of-child | web/Background |             |
    not for an owner without a namespace            | worker on-worker       | worker         |             |
    of objects of one name by their kinds           | web child secret-web   | secret-web web | web         | 0
    for objects that own each other                 | ring-a ring-b          | ring-a         | a b         | 0
    for an owner in another namespace               | elsewhere far          | elsewhere      | elsewhere a | 0
    for two requests to one tree                    | web child              | web child      | web a       | 0 1
    not for one request to each of two              | web child other        | web other      |             |
    only of families in which something happened    | quiet beside web held single | single web | web held   | 1
    without owners that are only looked at          | web quiet beside shared | web           | web shared beside quiet | 0
  `);
  test.each(rows)('%s', (_, names = '', deleted = '', found = '', sent = '') => {
    const named = (name: string) => objects[name] ?? owner;
    const requests = deleted.split(' ').map((one) => {
      const [name = '', policy] = one.split('/');
      return remove(named(name), policy as PropagationPolicy | undefined);
    });
    const part = partOf(names.split(' ').map(named), requests);
    const { compared = [], beside = [] } = part ?? {};
    const all = [...compared, ...(beside.length > 0 ? ['beside', ...beside] : [])];
    expect(all.join(' ')).toBe(found);
    expect(part?.requests.join(' ') ?? '').toBe(sent);
    expect(part?.sent.join(' ') ?? '').toBe(sent);
  });

  test('for an event that another order would write, though nothing is judged', () => {
    const part = partOf([elsewhere, objects.far ?? owner], [], { unread: ['deployments.apps'] });
    expect(part).toMatchObject({ compared: ['a'], beside: ['elsewhere'], requests: [] });
  });

  test('of objects that are alone as far as nothing is asked for', () => {
    const orphans = ['a', 'b'].map((name) =>
      configMap(name, { ownerReferences: [ownedByGone('v1 ConfigMap x')], finalizers: [hold] }),
    );
    const [first = owner] = orphans;
    const child = secret('child', { ownerReferences: [ownedBy(first)] });
    const areAlone = (more: readonly ObjectRecord[], requests?: readonly SimulatedRequest[]) =>
      partOf([...orphans, ...more], requests)?.areAlone;
    expect([areAlone([]), areAlone([child]), areAlone([], [remove(first)])]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('only what happened is played again', () => {
  const held = configMap('held', { ...owned, finalizers: [hold] });

  test('with requests that are about no single object', () => {
    const many = { ...remove(owner), verb: 'deletecollection' } as unknown as SimulatedRequest;
    const odd = { ...remove(owner), apiVersion: 'apps/v9' } as SimulatedRequest;
    const part = partOf([owner, held], [create(secret('new')), remove(owner), many, odd]);
    expect(part).toMatchObject({ requests: [0, 1, 2, 3], sent: [0, 1, 2, 3] });
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
