import { describe, expect, test } from 'vitest';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { parseRequests } from '../../../src/questions/simulate/scenario.ts';
import {
  builderOf,
  customType,
  node,
  objectOfType,
  pod,
  secret,
  servedTypes,
} from '../../support/builders.ts';
import { at, play, told } from './play-controllers.ts';

const lease = builderOf('coordination.k8s.io/v1', 'Lease');
const candidates = customType('leasecandidates.coordination.k8s.io/v1beta1 LeaseCandidate');
const account = builderOf('v1', 'ServiceAccount');
const withReady = (name: string, status: string, taints: object[] = [], more: object = {}) =>
  node(name, {
    facts: { taints: taints as never, conditions: [{ type: 'Ready', status }] },
    ...more,
  });
const well = withReady('well', 'True');
const on = (name: string, nodeName: string, tolerationSeconds?: number) =>
  pod(name, {
    facts: {
      ...{ nodeName, phase: 'Running', terminationGracePeriodSeconds: 30 },
      tolerations: [
        { operator: 'Exists', ...(tolerationSeconds !== undefined && { tolerationSeconds }) },
      ],
    },
  });
const plain = (name: string, nodeName: string) =>
  pod(name, { facts: { nodeName, phase: 'Running', terminationGracePeriodSeconds: 30 } });
const taint = (spec: object, after: string) =>
  parseRequests(
    [{ verb: 'patch', apiVersion: 'v1', kind: 'Node', name: 'worker', patch: { spec }, after }],
    'requests',
  );
const evicted = (seconds: number, name: string) => [
  `${seconds}s taint-eviction-controller patch ${name} changed NODE-7`,
  `${seconds}s taint-eviction-controller delete ${name} terminating NODE-7`,
];
const full = { key: 'full', effect: 'NoExecute' };

describe('a taint with NoExecute', () => {
  const worker = withReady('worker', 'True');
  const pods = [plain('now', 'worker'), on('later', 'worker', 20), on('never', 'worker')];

  test('evicts pods when they no longer tolerate it', () => {
    const { steps, left } = play([worker, ...pods, plain('safe', 'well'), well], {
      requests: taint({ taints: [full] }, '5s'),
      settings: { kubelets: true },
    });
    expect({ steps, left }).toEqual({
      steps: [
        ...evicted(5, 'now'),
        ...evicted(25, 'later'),
        '35s kubelet delete now removed GC-61',
        '55s kubelet delete later removed GC-61',
      ],
      left: ['worker', 'never', 'safe', 'well'],
    });
  });

  test('that is removed in time evicts no other pod', () => {
    const requests = [...taint({ taints: [full] }, '5s'), ...taint({ taints: [] }, '10s')];
    expect(play([worker, ...pods], { requests }).steps).toEqual(evicted(5, 'now'));
  });

  test('of before leaves open when a time is up that only the controller knows', () => {
    const since = [{ ...full, timeAdded: at(-5) }];
    const old = withReady('worker', 'True', since);
    const { steps, open } = play([old, on('later', 'worker', 20)], { clock: { duration: 16_000 } });
    expect({ steps, open }).toEqual({ steps: evicted(15, 'later'), open: ['later'] });
  });
});

describe('Nodes that are not ready', () => {
  test('get their taints one after another, and pods are deleted when they no longer tolerate them', () => {
    const down = ['a', 'b'].map((name) => withReady(name, 'False'));
    expect(told([well, ...down, on('x', 'a', 5), plain('y', 'b')])).toEqual([
      '0s node-lifecycle-controller patch a changed NODE-5',
      ...evicted(5, 'x'),
      '10s node-lifecycle-controller patch b changed NODE-5',
      ...evicted(10, 'y'),
      'stuck: well, a, b, x, y',
    ]);
  });

  test('get none where no Node is ready, and lose what they have', () => {
    const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }];
    const down = [withReady('a', 'False'), withReady('b', 'Unknown', taints)];
    expect(play(down).steps).toEqual([]);
    expect(play(down, { clock: { start: 'after-requests' } }).steps).toEqual([
      '0s node-lifecycle-controller patch b changed NODE-6',
    ]);
  });

  test('get none where most of a small zone is down', () => {
    const down = ['a', 'b', 'c'].map((name) => withReady(name, 'Unknown'));
    expect(play([well, ...down]).steps).toEqual([]);
  });

  test('may be deleted if their cloud says so', () => {
    const facts = { providerID: 'cloud://a', conditions: [{ type: 'Ready', status: 'False' }] };
    expect(play([well, node('a', { facts })]).open).toEqual(['a']);
  });
});

describe('Nodes without kubelets', () => {
  const heard = (name: string, seconds: number) =>
    lease(name, {
      namespace: 'kube-node-lease',
      facts: { renewTime: at(seconds), leaseDurationSeconds: 40 },
    });
  const records = [well, withReady('worker', 'True'), plain('web', 'worker')];
  const leases = [heard('worker', -20), heard('well', 0)];

  test('are silent, and their pods are not evicted once all are', () => {
    const clock = { duration: 60_000 };
    const { steps, open } = play([...records, ...leases], { clock });
    expect({ steps, open }).toEqual({
      steps: [
        '30s node-lifecycle-controller patch worker changed NODE-4',
        '30s node-lifecycle-controller patch worker changed NODE-5',
        ...evicted(30, 'web'),
        '50s node-lifecycle-controller patch well changed NODE-4',
        '50s node-lifecycle-controller patch worker changed NODE-6',
      ],
      open: [],
    });
  });

  test('are skipped where no Lease of theirs was ever seen', () => {
    expect(play(records).steps).toEqual([]);
  });

  test('are skipped where kubelets renew the Leases', () => {
    expect(play([...records, ...leases], { settings: { kubelets: true } }).steps).toEqual([]);
  });
});

test('expired Leases of API servers are deleted, and no living one', () => {
  const own = (name: string, seconds: number) =>
    lease(name, {
      namespace: 'kube-system',
      labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' },
      facts: { renewTime: at(seconds), leaseDurationSeconds: 3600 },
    });
  const records = [own('old', -9000), own('own', -7200 + 5), own('twin', -7200)];
  const clock = { duration: 7_200_000 };
  expect(told(records, { clock })).toEqual([
    '0s kube-apiserver delete old removed LEASE-5',
    'quiet: own, twin',
  ]);
  expect(play(records, { clock: { duration: 60_000 } }).open).toEqual(['old']);
});

test('LeaseCandidates go that are not renewed, and no living one', () => {
  const own = (name: string, seconds: number) =>
    objectOfType(candidates, name, { facts: { renewTime: at(seconds) } });
  const types = new ResourceTypes([...servedTypes.all, candidates], { exhaustive: true });
  const records = [own('old', -7200), own('latest', -30), own('alive', -300)];
  expect(told(records, { types, clock: { duration: 7_200_000 } })).toEqual([
    '0s kube-apiserver delete old removed LEASE-6',
    'quiet: latest, alive',
  ]);
  // API servers look every half an hour, whenever they began.
  const open = (minutes: number) =>
    play(records, { types, clock: { duration: minutes * 60_000 } }).open;
  expect([open(29), open(31)]).toEqual([['old'], []]);
});

test('whether an unused token is marked depends on what is not read', () => {
  const old = secret('robot-token', {
    creationTimestamp: '2020-01-01T00:00:00Z',
    annotations: { 'kubernetes.io/service-account.name': 'robot' },
    facts: { secretType: 'kubernetes.io/service-account-token' },
  });
  const robot = account('robot', { facts: { secrets: ['robot-token'] } });
  expect(told([robot, old])).toEqual(['open: robot-token', 'quiet: robot, robot-token']);
});
