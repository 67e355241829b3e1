import { expect, test } from 'vitest';
import { finalizerWithoutController } from '../../src/audit/rules/stuck-objects.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import { diagnosesIn } from '../../src/why/investigate.ts';
import { planned } from '../deletion/plan/planned.ts';
import { builderOf, configMap, deployment, snapshotOf } from '../support/builders.ts';
import { rowsOf } from '../support/rows.ts';
import { violationsOf } from '../support/violations.ts';

/**
 * Whether the program of a finalizer runs: `why`, `audit` and a plan give one answer, in the same words. Which answer that is:
 * test/programs/program-life.test.ts.
 */
const finalizer = 'finalizer.keda.sh';
const alive = configMap('alive', { finalizers: [finalizer] });
const ending = configMap('ending', { finalizers: [finalizer], deleting: 'background' });
const operator = (facts: ObjectRecord['facts']) => deployment('keda-operator', { facts });
const lease = (renewTime: string) =>
  builderOf('coordination.k8s.io/v1', 'Lease')('operator.keda.sh', {
    facts: { renewTime, leaseDurationSeconds: 15 },
  });
const fresh = lease('2026-01-02T23:59:50Z');
const stale = lease('2026-01-02T20:00:00Z');
/** A program in another namespace that watches only one. */
const limited = (value: string | undefined) => {
  const watched = {
    name: 'WATCH_NAMESPACE',
    ...(value ? { value } : { configMapName: 'settings' }),
  };
  const containers = [{ name: 'c', variables: [watched] }];
  return deployment('keda-operator', {
    namespace: 'bank',
    facts: { ...seen, readyReplicas: 1, containers },
  });
};
const seen = { replicas: 2, observedGeneration: 3 };

const programs: Readonly<Record<string, readonly ObjectRecord[]>> = {
  'waiting for minReadySeconds': [operator({ ...seen, readyReplicas: 1, availableReplicas: 0 })],
  'none ready': [operator(seen)],
  'scaled to 0': [operator({ ...seen, replicas: 0 })],
  'none ready, and a Lease that is renewed': [operator(seen), fresh],
  'ready, and a Lease that is not renewed': [operator({ ...seen, readyReplicas: 1 }), stale],
  'of another name': [deployment('web', { facts: seen })],
  'not read': [operator(undefined)],
  'of another namespace': [limited('bank')],
  'of namespaces that were not read': [limited(undefined)],
};

test.each(
  rowsOf(`
    waiting for minReadySeconds      | progressing | yes | Deployment shop/keda-operator has 1 of 2 pods ready
    none ready                       | stuck       | no  | Deployment shop/keda-operator has no ready pod
    scaled to 0                      | stuck       | no  | Deployment shop/keda-operator is scaled to 0
    none ready, and a Lease that is renewed | progressing | yes | it renews Lease shop/operator.keda.sh
    ready, and a Lease that is not renewed  | unknown     | unknown
    | Deployment shop/keda-operator has 1 of 2 pods ready, but Lease shop/operator.keda.sh was last renewed at 2026-01-02T20:00:00Z
    of another name                  | stuck   | no      | no Deployment, StatefulSet, DaemonSet or Pod looks like
    not read                         | unknown | unknown | the status of Deployment shop/keda-operator was not read
    of another namespace             | stuck   | elsewhere | it watches bank only (WATCH_NAMESPACE)
    of namespaces that were not read | unknown | unknown   | its WATCH_NAMESPACE may leave out namespace shop
  `),
)('pods %s: %s', (what = '', state, life, because = '') => {
  const all = [alive, ending, ...(programs[what] ?? [])];
  const snapshot = snapshotOf(all);
  const diagnosed = diagnosedOf(diagnosesIn(snapshot, Date.parse(snapshot.observedAt))(ending));
  const found = violationsOf(finalizerWithoutController, all);
  const waits = planned(all, alive).objects.flatMap(({ waitsFor = [] }) => waitsFor);
  expect(diagnosed.state).toBe(state);
  expect(JSON.stringify(diagnosed.chain)).toContain(because);
  expect(found.length > 0).toBe(state === 'stuck');
  if (state === 'stuck') expect(JSON.stringify(found)).toContain(because);
  expect(waits).toMatchObject([{ alive: life, aliveBecause: expect.stringContaining(because) }]);
});
