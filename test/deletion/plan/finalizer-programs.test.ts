import { describe, expect, test } from 'vitest';
import { removersIn } from '../../../src/deletion/plan/finalizer-programs.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, deployment, pod, replicaSet, widgets } from '../../support/builders.ts';
import { by } from './told.ts';

const now = Date.parse('2026-01-03T00:00:00Z');
const lease = builderOf('coordination.k8s.io/v1', 'Lease');

const seen = (records: readonly ObjectRecord[]) => ({ records, unread: [], now, ofCluster: true });

function lifeOf(...records: ObjectRecord[]) {
  const { removedBy, alive, aliveBecause } = removersIn(seen(records))(
    'keeper.io/cleanup',
    widgets,
  );
  return [removedBy, alive, aliveBecause];
}

const operator = (facts: object) => deployment('keeper-operator', { facts });
const renewed = (renewTime: string) =>
  lease('keeper-operator', { facts: { renewTime, leaseDurationSeconds: 15 } });

describe('a program that removes a finalizer', () => {
  test('is alive with a ready pod, and not without one or when it is scaled to 0', () => {
    const seen = { replicas: 1, observedGeneration: 1 };
    expect(lifeOf(operator({ ...seen, availableReplicas: 1 }))).toEqual([
      'keeper-operator',
      'yes',
      'Deployment shop/keeper-operator has 1 of 1 pods ready',
    ]);
    expect(lifeOf(operator(seen))).toEqual([
      'keeper-operator',
      'no',
      'Deployment shop/keeper-operator has no ready pod',
    ]);
    const crashing = pod('keeper-operator-5f-x', {
      labels: { 'pod-template-hash': '5f' },
      ...by(replicaSet('keeper-operator-5f')),
      facts: { containerStatuses: [{ waitingReason: 'CrashLoopBackOff' }] },
    });
    expect(lifeOf(operator(seen), crashing)).toEqual([
      'keeper-operator',
      'no',
      'Deployment shop/keeper-operator has no ready pod; Pod keeper-operator-5f-x is in CrashLoopBackOff',
    ]);
    expect(lifeOf(operator({ replicas: 0 }))).toEqual([
      'keeper-operator',
      'no',
      'Deployment shop/keeper-operator is scaled to 0',
    ]);
  });

  test('is of the other kinds by what those count', () => {
    const set = builderOf('apps/v1', 'StatefulSet')('keeper-operator', {
      facts: { replicas: 2, observedGeneration: 1, readyReplicas: 1 },
    });
    expect(lifeOf(set)).toEqual([
      'keeper-operator',
      'yes',
      'StatefulSet shop/keeper-operator has 1 of 2 pods ready',
    ]);
    const agents = builderOf('apps/v1', 'DaemonSet')('keeper-operator', {
      facts: { observedGeneration: 1 },
    });
    expect(lifeOf(agents)).toEqual([
      'keeper-operator',
      'no',
      'DaemonSet shop/keeper-operator has no ready pod',
    ]);
    const crashing = pod('keeper-operator', {
      facts: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] },
    });
    expect(lifeOf(crashing)).toEqual([
      'keeper-operator',
      'no',
      'Pod shop/keeper-operator is not ready',
    ]);
  });

  test('is not known to be alive from a manifest, or where nothing looks like it', () => {
    const manifest = { ...seen([operator({ replicas: 1 })]), ofCluster: false };
    const { removedBy, alive, aliveBecause } = removersIn(manifest)('keeper.io/cleanup', widgets);
    expect([removedBy, alive, aliveBecause]).toEqual([
      'keeper-operator',
      'unknown',
      'the status of Deployment shop/keeper-operator was not read',
    ]);
    expect(lifeOf()).toEqual([undefined, undefined, undefined]);
    expect(removersIn({ ...seen([]), unread: ['pods'] })('finalizer.keda.sh', widgets)).toEqual({
      removedBy: 'KEDA operator',
      alive: 'unknown',
      aliveBecause: 'pods were not read in every namespace',
    });
  });

  test('is alive as long as its leader renews its Lease, and doubtful when it does not', () => {
    const fresh = renewed('2026-01-02T23:59:55.000000Z');
    const stale = renewed('2026-01-02T23:00:00.000000Z');
    expect(lifeOf(fresh)).toEqual([undefined, 'yes', 'it renews Lease shop/keeper-operator']);
    expect(lifeOf(stale)).toEqual([
      undefined,
      'no',
      'Lease shop/keeper-operator was last renewed at 2026-01-02T23:00:00.000000Z',
    ]);
    const ready = operator({ replicas: 1, observedGeneration: 1, availableReplicas: 1 });
    expect(lifeOf(ready, stale)).toEqual([
      'keeper-operator',
      'unknown',
      'Deployment shop/keeper-operator has 1 of 1 pods ready, but Lease shop/keeper-operator was last renewed at 2026-01-02T23:00:00.000000Z',
    ]);
  });
});
