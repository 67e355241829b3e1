import { describe, expect, test } from 'vitest';
import type { PropagationPolicy } from '../../src/controllers/garbage-collector/judge.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { referenceTo } from '../../src/kube/object-reference.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import type { SimulatedRequest } from '../../src/simulator/api-server/request.ts';
import { simulate } from '../../src/simulator/simulate.ts';
import {
  blocking,
  configMap,
  deployment,
  node,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
  snapshotOf,
} from '../support/builders.ts';
import { beginning, type PlayOptions, remove, simulateObjects } from './play-out.ts';

interface Options extends PlayOptions {
  readonly delete?: readonly ObjectRecord[];
  readonly policy?: PropagationPolicy;
}

/** With all controllers and kubelets, unless said otherwise. */
function play(records: readonly ObjectRecord[], options: Options = {}) {
  const { delete: deleted = [], policy, ...rest } = options;
  const requests = deleted.map((record) => remove(record, policy));
  return simulateObjects(records, requests, { controllers: ['*'], kubelets: true, ...rest });
}

const names = (records: readonly { readonly name: string }[]) => records.map(({ name }) => name);

const web = deployment('web');
const rs = replicaSet('web-1', { ownerReferences: [ownedBy(web, blocking)] });
const p = pod('web-1-a', {
  ownerReferences: [ownedBy(rs, blocking)],
  facts: { nodeName: 'node', phase: 'Running', terminationGracePeriodSeconds: 30 },
});

describe('a foreground deletion', () => {
  test('is recorded write by write', () => {
    const { steps, ended, objects, undetermined } = play([web, rs, p], {
      delete: [web],
      policy: 'Foreground',
    });
    expect({ ended, objects, undetermined }).toEqual({
      ended: 'quiet',
      objects: [],
      undetermined: [],
    });
    expect(
      steps.map(({ at, actor, verb, policy, object, result, rule }) =>
        [at.slice(14), actor, verb, policy ?? '-', object.name, result, rule].join(' '),
      ),
    ).toEqual([
      '00:00.001Z user delete Foreground web terminating GC-57',
      '00:00.005Z garbage-collector-controller delete Foreground web-1 terminating GC-22.12',
      '00:00.009Z garbage-collector-controller delete Background web-1-a terminating GC-22.13',
      '00:30.000Z kubelet delete - web-1-a removed GC-61',
      '00:30.004Z garbage-collector-controller patch - web-1 removed GC-23',
      '00:30.008Z garbage-collector-controller patch - web removed GC-23',
    ]);
  });

  test('is cut off at the deadline', () => {
    const options = { delete: [web], policy: 'Foreground', duration: 10_000 } as const;
    const { ended, objects } = play([web, rs, p], options);
    expect({ ended, left: names(objects) }).toEqual({
      ended: 'deadline',
      left: ['web', 'web-1', 'web-1-a'],
    });
  });
});

describe('what is known', () => {
  const child = secret('child', { ownerReferences: [ownedByGone('apps/v1 Deployment web')] });
  const files = { kind: 'files', paths: ['x'] } as const;
  const cluster = { kind: 'cluster', server: 'https://here' } as const;
  const forbidden = {
    reason: 'forbidden',
    message: 'deployments.apps is forbidden',
    resource: 'deployments.apps',
  } as const;

  test('in files is everything', () => {
    expect(play([child], { origin: files, unread: ['deployments.apps'] }).objects).toEqual([]);
  });

  test('in files is not what they say could not be read', () => {
    const options = {
      origin: files,
      unread: ['deployments.apps'],
      coverage: { problems: [forbidden] },
    };
    const { objects, unknown, ended } = play([child], options);
    expect({ left: names(objects), ended }).toEqual({ left: ['child'], ended: 'quiet' });
    expect(unknown.map(({ object, because }) => [object.name, because])).toEqual([
      ['child', expect.stringMatching(/^Deployment objects .* not read$/)],
    ]);
  });

  test('in files is of a kind that they show no more than they cover', () => {
    const other = { ...deployment('web'), namespace: 'bank', uid: 'other' };
    const inBank = { read: [{ resource: 'deployments.apps', namespaces: ['bank'] }] };
    const inShop = { read: [{ resource: 'deployments.apps', namespaces: ['bank', 'shop'] }] };
    const left = (coverage: object) =>
      names(play([child, other], { origin: files, coverage }).objects);
    expect(left(inBank)).toEqual(['child', 'web']);
    expect(left(inShop)).toEqual(['web']);
  });

  test('for a plan is only what was read, of files too', () => {
    const played = simulate(
      snapshotOf([child], { origin: files, unread: ['deployments.apps'] }),
      [],
      {},
      { now: 0, onlyRead: true },
    );
    expect(names(played.objects)).toEqual(['child']);
  });

  test('of a cluster is only what was read', () => {
    const unread = { origin: cluster, unread: ['deployments.apps'] };
    expect(names(play([child], unread).objects)).toEqual(['child']);
    expect(names(play([child], { origin: cluster }).objects)).toEqual([]);
  });

  describe('of an owner that was not read changes', () => {
    const options = { origin: cluster, unread: ['deployments.apps'], duration: 60_000 };
    const sent = { namespace: 'shop', after: 10_000, dryRun: false };
    const create = (apiVersion: string, kind: string, metadata: object): SimulatedRequest => {
      const object = {
        apiVersion,
        kind,
        metadata: { name: 'web', namespace: 'shop', ...metadata },
      };
      return { verb: 'create', apiVersion, kind, name: 'web', object, ...sent };
    };
    const played = (records: readonly ObjectRecord[], request: SimulatedRequest) => {
      const { objects, unknown } = simulateObjects(records, [request], options);
      return { left: names(objects), unknown: unknown.map(({ object }) => object.name) };
    };
    const { ownerReferences } = child;

    test('when another object of its name is created', () => {
      const request = create('apps/v1', 'Deployment', {});
      expect(played([child], request)).toEqual({ left: ['web'], unknown: [] });
    });

    test('when an object is created that it owns, and which is as unknown', () => {
      const both = ['child', 'web'];
      const request = create('v1', 'ConfigMap', { ownerReferences });
      expect(played([child], request)).toEqual({ left: both, unknown: both });
    });

    test('when an object comes to refer to it', () => {
      const both = ['child', 'other'];
      const request: SimulatedRequest = {
        verb: 'patch',
        apiVersion: 'v1',
        kind: 'Secret',
        name: 'other',
        patchType: 'merge',
        patch: { metadata: { ownerReferences } },
        ...sent,
      };
      expect(played([child, secret('other')], request)).toEqual({ left: both, unknown: both });
    });

    test('when an object of its name without a uid goes', () => {
      const manifest = deployment('web', { uid: '' });
      const left = (requests: readonly SimulatedRequest[]) =>
        names(simulateObjects([child, manifest], requests, { origin: cluster }).objects);
      expect([left([]), left([remove(manifest)])]).toEqual([['child', 'web'], []]);
    });
  });

  test('never makes an object without uid an owner, nor the lack of one a reason', () => {
    const manifest = deployment('web', { uid: '' });
    const { objects, unknown } = play([child, manifest], { origin: files });
    expect(names(objects)).toEqual(['child', 'web']);
    expect(unknown.map(({ because }) => because).join('\n')).toMatchInlineSnapshot(
      `"Deployment web in namespace shop has no uid in the input"`,
    );
  });

  test('freezes what names a kind that is not served', () => {
    const types = new ResourceTypes(builtInTypes, { exhaustive: false });
    const frozen = secret('frozen', {
      ownerReferences: [ownedByGone('gone.example.com/v1 Gone x'), ownedByGone('v1 ConfigMap y')],
    });
    const { objects, unknown, ended } = play([frozen], { types, origin: files });
    expect({ objects, unknown, ended }).toEqual({ objects: [frozen], unknown: [], ended: 'quiet' });
  });
});

test('contradictions leave out the second object of one name, and of one uid', () => {
  const first = configMap('first', { uid: 'u' });
  const records = [
    secret('s'),
    secret('s', { uid: 'other' }),
    first,
    secret('second', { uid: 'u' }),
  ];
  const { objects, problems } = play(records, { delete: [secret('s')] });
  expect(objects).toEqual([first]);
  expect(problems.map(({ message: _, ...rest }) => rest)).toEqual([
    expect.anything(),
    { reason: 'duplicate-uid', resource: 'secrets', namespace: 'shop' },
  ]);
  expect(problems.map(({ message }) => message).join('\n')).toMatchInlineSnapshot(`
    "v1 Secret s in namespace shop is there more than once; only the first was taken
    v1 Secret second in namespace shop has the uid u of v1 ConfigMap first in namespace shop; only the first was taken"
  `);
});

describe('what depends on an order', () => {
  const a = configMap('a');
  const b = configMap('b');
  const shared = secret('shared', { ownerReferences: [ownedBy(a), ownedBy(b)] });

  const inOtherOrders = (about?: ReadonlySet<string>) =>
    simulate(
      snapshotOf([a, b, shared, web]),
      [remove(a, 'Orphan'), remove(b, 'Foreground')],
      {},
      { now: beginning, start: 'after-requests', ...(about && { about }) },
    ).undetermined.map(({ object }) => object.name);
  test('is looked for only around the objects that are asked about', () => {
    expect(inOtherOrders()).toEqual(['shared']);
    expect(inOtherOrders(new Set([b.uid]))).toEqual(['shared']);
    expect(inOtherOrders(new Set([web.uid]))).toEqual([]);
  });

  test('is not claimed of plain trees, and costs them nothing', () => {
    const { undetermined, replies } = play([web, rs, p, a], { delete: [web, a] });
    expect({ undetermined, replies }).toEqual({
      undetermined: [],
      replies: [
        { code: 200, reason: '' },
        { code: 200, reason: '' },
      ],
    });
  });
});

describe('owners that are described in several ways and are nowhere', () => {
  /** A uid of nobody under many names; what comes last keeps the collector from deleting on account of them. */
  const inManyWays = (uid: string, count: number) => [
    ...Array.from({ length: count }, (_, at) => ownedByGone(`v1 Pod p${at}`, { uid })),
    ownedByGone('gone.example.com/v1 Gone last'),
  ];

  test('are looked for again and again, and nothing more comes of it', () => {
    const first = configMap('first', { ownerReferences: inManyWays('one', 2) });
    const second = secret('second', { ownerReferences: inManyWays('two', 3) });
    const { ended, steps, objects, undetermined } = play([first, second]);
    expect({ ended, steps, objects, undetermined }).toEqual({
      ended: 'quiet',
      steps: [],
      objects: [first, second],
      undetermined: [],
    });
  });

  test('do not keep the collector from what can change', () => {
    const owner = configMap('owner', { deleting: 'background', finalizers: ['example.com/hold'] });
    const child = secret('child', { ownerReferences: [...inManyWays('one', 2), ownedBy(owner)] });
    const waiting = pod('waiting', {
      deletionTimestamp: '2026-01-02T23:59:00Z',
      deletionGracePeriodSeconds: 120,
      facts: { nodeName: 'worker', phase: 'Running' },
    });
    const below = configMap('below', { ownerReferences: [ownedBy(waiting)] });
    const { ended, objects } = play([child, owner, node('worker'), waiting, below]);
    expect([ended, names(objects)]).toEqual(['stuck', ['child', 'owner', 'worker']]);
  });

  test('make a simulation give up where there are too many of them, and nothing is certain then', () => {
    const tangled = configMap('tangled', { ownerReferences: inManyWays('one', 3000) });
    const { ended, objects, undetermined } = play([tangled]);
    expect({ ended, objects, undetermined }).toEqual({
      ended: 'endless',
      objects: [tangled],
      undetermined: [
        {
          object: referenceTo(tangled),
          because: expect.any(String),
        },
      ],
    });
  });
});

test('leaves the snapshot as it was', () => {
  const records = [web, rs, p];
  const before = structuredClone(records);
  play(records, { delete: [web] });
  expect(records).toEqual(before);
});
