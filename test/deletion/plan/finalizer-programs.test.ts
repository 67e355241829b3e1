import { describe, expect, test } from 'vitest';
import { removersIn } from '../../../src/deletion/plan/finalizer-programs.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, deployment, widget as widgetOf } from '../../support/builders.ts';

const now = Date.parse('2026-01-03T00:00:00Z');

const lease = builderOf('coordination.k8s.io/v1', 'Lease');

const seen = (records: readonly ObjectRecord[]) => ({ records, unread: [], now, ofCluster: true });

function lifeOf(...records: ObjectRecord[]) {
  const { removedBy, alive, aliveBecause } = removersIn(seen(records))(
    'keeper.io/cleanup',
    widgetOf('w'),
  );
  return [removedBy, alive, aliveBecause];
}

const operator = (facts: object) => deployment('keeper-operator', { facts });
const renewed = (renewTime: string) =>
  lease('keeper-operator', { facts: { renewTime, leaseDurationSeconds: 15 } });

// Whether a program of its name is alive: test/programs/program-life.test.ts.
describe('a program that removes a finalizer', () => {
  test('is not known to run from a manifest, or where no workload resembles it', () => {
    const manifest = { ...seen([operator({ replicas: 1 })]), ofCluster: false };
    const { removedBy, alive, aliveBecause } = removersIn(manifest)(
      'keeper.io/cleanup',
      widgetOf('w'),
    );
    expect([removedBy, alive, aliveBecause]).toEqual([
      'keeper-operator',
      'unknown',
      expect.stringContaining('Deployment shop/keeper-operator'),
    ]);
    expect(lifeOf()).toEqual([undefined, undefined, undefined]);
    expect(
      removersIn({ ...seen([]), unread: ['pods'] })('finalizer.keda.sh', widgetOf('w')),
    ).toEqual({
      removedBy: 'KEDA operator',
      alive: 'unknown',
      aliveBecause: expect.stringContaining('pods'),
    });
  });

  test('that is deleted as well is leaving, and one that does not run is not', () => {
    const ready = operator({ replicas: 1, observedGeneration: 1, availableReplicas: 1 });
    const down = operator({ replicas: 1, observedGeneration: 1 });
    const lives = [ready, down].map((one) => {
      const removerOf = removersIn(seen([one]), ({ name }) => name === one.name);
      return removerOf('keeper.io/cleanup', widgetOf('w')).alive;
    });
    expect(lives).toEqual(['leaving', 'no']);
  });

  test('runs as long as its leader renews its Lease, and is doubtful when it does not', () => {
    const [fresh, stale] = [renewed('2026-01-02T23:59:55Z'), renewed('2026-01-02T23:00:00Z')];
    const ready = operator({ replicas: 1, observedGeneration: 1, availableReplicas: 1 });
    const lives = [lifeOf(fresh), lifeOf(stale), lifeOf(ready, stale)];
    expect(lives.map(([by, alive]) => [by, alive])).toEqual([
      ...[
        [undefined, 'yes'],
        [undefined, 'no'],
      ],
      ['keeper-operator', 'unknown'],
    ]);
  });
});
