import { expect, test } from 'vitest';
import { deviceTaintEviction } from '../../../src/controllers/nodes/device-taint-eviction.ts';
import type { Toleration } from '../../../src/kube/facts/pod.ts';
import type { ObjectFacts } from '../../../src/kube/object-record.ts';
import { builderOf, customType, objectOfType, pod } from '../../support/builders.ts';
import { ago, decide, now } from '../decided.ts';

const claim = builderOf('resource.k8s.io/v1', 'ResourceClaim');
const slice = builderOf('resource.k8s.io/v1', 'ResourceSlice');
const second = 1000;

const taint = (seconds: number, effect = 'NoExecute') => ({
  key: 'broken',
  effect,
  timeAdded: ago(seconds * second),
});

const sliceOf = (name: string, generation: number, taints = [taint(100)], device = 'gpu-0') =>
  slice(name, {
    facts: {
      devicePool: { driver: 'd', pool: 'p', generation, tainted: [{ name: device, taints }] },
    },
  });

function user(name: string, tolerations: readonly Toleration[] = [], more: ObjectFacts = {}) {
  const using = pod(name, {
    uid: `uid-${name}`,
    facts: { nodeName: 'w1', resourceClaims: [{ resourceClaimName: name }], ...more },
  } as never);
  const facts: ObjectFacts = {
    allocated: true,
    reservedFor: [{ resource: 'pods', name, uid: `uid-${name}` }],
    devices: [{ driver: 'd', pool: 'p', device: 'gpu-0', tolerations }],
  };
  return [using, claim(name, { namespace: using.namespace, facts })];
}

const outcome = (...args: Parameters<typeof decide>) =>
  decide(...args).map(({ object, rule, notBefore }) =>
    [object.name, rule, (notBefore - now) / second].join(' '),
  );

const tolerated = (tolerationSeconds?: number): Toleration => ({
  key: 'broken',
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

test('a pod goes from a tainted device at once, or when its claim no longer tolerates it', () => {
  const records = [
    sliceOf('s', 1),
    ...user('a'),
    ...user('b', [tolerated(130)]),
    ...user('c', [tolerated()]),
    ...user('d', [{ operator: 'Exists', effect: '' }]),
    ...user('e', [tolerated(130), tolerated(40)]),
  ];
  expect(outcome(deviceTaintEviction, records)).toEqual([
    'a DEV-1 0',
    'b DEV-2 30',
    'd DEV-1 0',
    'e DEV-2 0',
  ]);
});

test('only taints of the newest slices of a pool count, that say NoExecute, of that device', () => {
  const cases = [
    [sliceOf('old', 1), sliceOf('new', 2, [])],
    [sliceOf('s', 1, [taint(5, 'NoSchedule')])],
    [sliceOf('s', 1, [taint(5)], 'gpu-1')],
    [],
  ];
  expect(cases.map((slices) => outcome(deviceTaintEviction, [...slices, ...user('a')]))).toEqual([
    [],
    [],
    [],
    [],
  ]);
});

test('a pod that is not bound, or that the claim is not reserved for, stays', () => {
  const [using, reserved] = user('a');
  const other = claim('a', {
    namespace: using?.namespace ?? '',
    facts: { ...reserved?.facts, reservedFor: [{ resource: 'pods', name: 'a', uid: 'older' }] },
  });
  const unbound = user('b', [], { nodeName: '' });
  const records = [sliceOf('s', 1), using, other, ...unbound].flatMap((one) => one ?? []);
  expect(outcome(deviceTaintEviction, records)).toEqual([]);
});

test('a DeviceTaintRule taints every device that it selects', () => {
  const type = customType('devicetaintrules.resource.k8s.io/v1beta2 DeviceTaintRule');
  const rule = (selector: object) =>
    objectOfType(type, 'rule', { facts: { deviceTaintRule: { selector, taint: taint(0) } } });
  const decided = [{ driver: 'd' }, { pool: 'p', device: 'gpu-0' }, { driver: 'other' }].map(
    (selector) => outcome(deviceTaintEviction, [rule(selector), ...user('a')]),
  );
  expect(decided).toEqual([['a DEV-1 0'], ['a DEV-1 0'], []]);
});
