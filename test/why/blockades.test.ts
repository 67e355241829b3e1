import { describe, expect, test } from 'vitest';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import { blockades } from '../support/blockades.ts';
import { stepOf } from '../support/fix-step.ts';
import { diagnosed, leaseOf, readAt } from './diagnosed.ts';

const everything = [leaseOf(readAt), ...blockades.flatMap(({ objects }) => objects)];

/** What only a real API server refuses is left to the live tests. */
const offline = blockades.filter(
  ({ blockers }) => !blockers.some((one) => one.includes('webhook')),
);

describe.each(offline)('$name', ({ ask, state = 'stuck', blockers, fix }) => {
  test('is seen as what it is', async () => {
    const found = diagnosedOf(await diagnosed(ask, everything));
    expect({
      state: found.state,
      blockers: found.blockers.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`),
      fix: found.fix && stepOf(found.fix),
    }).toEqual({ state, blockers, fix });
  });
});

test('each step says what it does', async () => {
  const steps = await Promise.all(
    offline.map(async ({ ask }) => diagnosedOf(await diagnosed(ask, everything)).fix?.does ?? []),
  );
  expect(steps.flat().join('\n')).toMatchInlineSnapshot(`
    "remove the finalizer example.com/hand from ConfigMap x
    remove the finalizer lonely.example.com/x from ConfigMap x
    remove the finalizer finalizer.keda.sh from ConfigMap x
    remove the finalizer finalizers.gatekeeper.sh/config from ConfigMap x
    remove the finalizer foregroundDeletion from ConfigMap owner
    remove the finalizer finalizer.keda.sh from ConfigMap leaf
    let ConfigMap selfish stop blocking ConfigMap selfish (blockOwnerDeletion: false)
    let ConfigMap a stop blocking ConfigMap b (blockOwnerDeletion: false)
    let ConfigMap frozen stop blocking ConfigMap owner (blockOwnerDeletion: false)
    let ClusterRole b12-role stop blocking ConfigMap owner (blockOwnerDeletion: false)
    remove the finalizer orphan from ConfigMap x
    delete Pod p with grace period 0, as its Node does not exist
    remove the finalizer finalizer.keda.sh from Pod p
    remove the finalizer kubernetes.io/pvc-protection from PersistentVolumeClaim data
    remove the finalizer kubernetes.io/pv-protection from PersistentVolume b27
    remove the finalizer batch.kubernetes.io/job-tracking from Pod p
    remove the finalizer finalizer.keda.sh from ConfigMap x
    remove kubernetes from the spec.finalizers of Namespace b32, which is empty
    remove example.com/tenant from the spec.finalizers of Namespace b33, which is empty
    remove the finalizer finalizer.keda.sh from ConfigMap held"
  `);
});
