import { expect, test } from 'vitest';
import { planDeletion } from '../../../../src/deletion/plan/plan-deletion.ts';
import { partOf } from '../../../../src/deletion/plan/play/scope.ts';
import type { ObjectRecord } from '../../../../src/kube/object-record.ts';
import { defaultSimulationSettings } from '../../../../src/settings/controller-settings.ts';
import { reachOf } from '../../../../src/simulator/reach.ts';
import {
  configMap,
  deployment,
  ownedBy,
  pod,
  replicaSet,
  snapshotOf,
} from '../../../support/builders.ts';
import { kustomizationOf, toolTypes } from '../../../support/delivery.ts';
import { context } from '../planned.ts';
import { namespace } from '../told.ts';

const far = { namespace: 'far' };
const shop = namespace('shop');
const own = [shop, configMap('own'), pod('own')];
const set = replicaSet('set', far);
const sought = [
  namespace('far'),
  deployment('operator', far),
  configMap('held', { ...far, finalizers: ['acme.io/cleanup'] }),
  pod('alone', far),
  kustomizationOf([]),
];
const plain = [
  set,
  replicaSet('other', far),
  pod('owned', { ...far, ownerReferences: [ownedBy(set)] }),
  configMap('plain', far),
];
const cluster = [...own, ...sought, ...plain];

function partFor(records: readonly ObjectRecord[], target = shop): readonly ObjectRecord[] {
  const snapshot = snapshotOf(records, { types: toolTypes });
  return partOf(snapshot, reachOf(snapshot, [target], defaultSimulationSettings)).records;
}

test('a plan for a namespace looks elsewhere at programs, what waits for one, tools and one of each kind', () => {
  expect(partFor(cluster)).toEqual([...own, ...sought, set]);
});

test('a plan looks at everything where something leads out of the namespace', () => {
  const led = configMap('led', { ...far, ownerReferences: [ownedBy(shop)] });
  expect(partFor([...cluster, led])).toHaveLength(cluster.length + 1);
});

test('a plan looks at everything where the program of a finalizer has to be found', () => {
  const held = configMap('waiting', { finalizers: ['acme.io/cleanup'] });
  expect(partFor([...cluster, held])).toHaveLength(cluster.length + 1);
});

test('a plan says of how many objects it was made, looked at or not', () => {
  const snapshot = snapshotOf(cluster, { types: toolTypes });
  const intent = { targets: [shop], policy: 'Background' as const };
  expect(planDeletion(snapshot, intent, context).coverage.objects).toBe(cluster.length);
});
