import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { diagnosedOf } from '../../src/output/documents/why.ts';
import type { Link } from '../../src/why/chain.ts';
import { diagnosesIn } from '../../src/why/investigate.ts';
import { builderOf, configMap, deployment, node, pod, snapshotOf } from '../support/builders.ts';

const now = Date.parse('2026-01-03T00:00:00Z');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = builderOf('v1', 'PersistentVolume');
const namespace = builderOf('v1', 'Namespace');
const lease = builderOf('coordination.k8s.io/v1', 'Lease');
const deleting = 'background' as const;

const c1 = claim('c1', { deleting, finalizers: ['kubernetes.io/pvc-protection'] });
const v1 = volume('v1', { deleting, finalizers: ['kubernetes.io/pv-protection'] });
const user = { nodeName: 'worker', volumes: [{ name: 'data', claimName: 'c1' }] };

const chainOf = (
  asked: ObjectRecord,
  records: readonly ObjectRecord[],
  unread: string[] = [],
): Link =>
  diagnosesIn(
    snapshotOf([asked, ...records], { unread, origin: { kind: 'files', paths: [] } }),
    now,
  )(asked);

/** The state, the ends of the chain and the fix. */
function why(...given: Parameters<typeof chainOf>) {
  const { state, blockers, fix } = diagnosedOf(chainOf(...given));
  return [state, ...blockers.map(({ cause, because }) => `${cause}: ${because}`), fix?.does];
}

describe('a claim that is being deleted', () => {
  const unread = (what: string) => [
    'unknown',
    `claim-in-use: kubernetes.io/pvc-protection waits for the pods that use the claim; ${what}`,
    undefined,
  ];

  test('may be used by a pod of which only metadata was read', () => {
    expect(why(c1, [pod('web')])).toEqual(unread('what the pods use was not read'));
    const other = pod('other', { facts: { nodeName: 'worker' } });
    expect(why(c1, [pod('web'), other])).toEqual(unread('what the pods use was not read'));
  });

  test('may be used where no pods were read', () => {
    expect(why(c1, [], ['pods'])).toEqual(unread('pods were not read'));
  });

  test('is used by a pod that was read, whatever the others do', () => {
    const [state, blocker, fix] = why(c1, [pod('web'), pod('db', { facts: user })]);
    expect([state, blocker, fix]).toEqual([
      'stuck',
      'claim-in-use: it uses the claim as volume data (phase Unknown, node worker) and is not being deleted',
      undefined,
    ]);
  });

  test('is free when all pods were read and none uses it', () => {
    const [state, , fix] = why(c1, [pod('db', { facts: { nodeName: 'worker' } })]);
    expect([state, fix]).toEqual([
      'stuck',
      'remove the finalizer kubernetes.io/pvc-protection from PersistentVolumeClaim c1',
    ]);
  });
});

test.each([
  ['metadata', undefined],
  ['a spec without a status', { persistentVolumeReclaimPolicy: 'Retain' }],
])('a volume of which %s was read may be bound', (_, facts) => {
  expect(why({ ...v1, facts }, [])).toEqual([
    'unknown',
    'volume-bound: kubernetes.io/pv-protection waits while the volume is bound to a claim; whether it is was not read',
    undefined,
  ]);
});

test('a volume that was read as Released is free', () => {
  const [state, , fix] = why({ ...v1, facts: { phase: 'Released' } }, []);
  expect([state, fix]).toEqual([
    'stuck',
    'remove the finalizer kubernetes.io/pv-protection from PersistentVolume v1',
  ]);
});

test('an overdue pod may be on a node', () => {
  const late = pod('late', { deleting, deletionGracePeriodSeconds: 30 });
  expect(why(late, [])).toEqual([
    'unknown',
    'pod-kubelet: it was not read which node the pod is on, whose kubelet has to confirm that the containers stopped',
    undefined,
  ]);
  const bound = { ...late, facts: { nodeName: 'worker' } };
  expect(why(bound, [node('worker')])).toEqual([
    'unknown',
    'pod-kubelet: the kubelet of node worker has to confirm that the containers stopped; the node could not be read',
    undefined,
  ]);
});

test('a namespace may hold more finalizers than were read', () => {
  expect(why(namespace('old', { deleting }), [])).toEqual([
    'unknown',
    'namespace-unread: nothing is left in it, but which entries its spec.finalizers still hold was not read',
    undefined,
  ]);
});

describe('a program of which only metadata was read', () => {
  const held = configMap('held', { deleting, finalizers: ['finalizer.keda.sh'] });

  test('is not called down', () => {
    const [state, blocker, fix] = why(held, [deployment('keda-operator')]);
    expect([state, fix]).toEqual(['unknown', undefined]);
    expect(blocker).toContain('the status of Deployment shop/keda-operator was not read');
  });

  test('may be any workload whose images were not read', () => {
    const [state, , fix] = why(held, [deployment('web')]);
    expect([state, fix]).toEqual(['unknown', undefined]);
    const known = deployment('web', { facts: { replicas: 1, containers: [] } });
    expect(why(held, [known])[0]).toBe('stuck');
  });

  test('kube-controller-manager among them', () => {
    const manager = lease('kube-controller-manager', { namespace: 'kube-system' });
    const unused = pod('db', { facts: { nodeName: 'worker' } });
    expect(JSON.stringify(chainOf(c1, [manager, unused]))).toContain('controller-manager-unknown');
  });
});
