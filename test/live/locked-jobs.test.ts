import { expect, test } from 'vitest';
import type {
  DiagnosisReport,
  GarbageCollectorHealthReport,
} from '../../src/questions/why/document.ts';
import { askingOf } from '../support/asking.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';

/** A policy lets only an operator change its Jobs: the garbage collector cannot remove its finalizer from them. */
const plane = await ownControlPlane({ controllers: ['garbage-collector-controller'] });
const { json } = askingOf(plane);
const label = 'example.com/run-by';

test('a foreground deletion that a policy lets no garbage collector finish', async () => {
  await plane.make('Namespace backups');
  await plane.make('ValidatingAdmissionPolicy locked', {
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['batch'],
            apiVersions: ['v1'],
            operations: ['UPDATE'],
            resources: ['jobs'],
          },
        ],
      },
      matchConditions: [
        {
          name: 'labelled',
          expression: `object != null && '${label}' in object.metadata.?labels.orValue({})`,
        },
      ],
      validations: [
        { expression: "request.userInfo.username == 'system:serviceaccount:backups:operator'" },
      ],
    },
  });
  const template = {
    spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'example.com/a:1' }] },
  };
  await plane.make('Job backups/nightly', {
    metadata: { labels: { [label]: 'operator' } },
    spec: { template },
  });
  await plane.make('ValidatingAdmissionPolicyBinding locked', {
    spec: { policyName: 'locked', validationActions: ['Deny'] },
  });
  const job = '/apis/batch/v1/namespaces/backups/jobs/nightly';
  await eventually('the policy', async () => {
    const { status } = await plane.merge(`${job}?dryRun=All`, { metadata: { labels: { a: 'b' } } });
    return status === 422;
  });
  await plane.remove(job, { propagationPolicy: 'Foreground' });
  const { items } = await json<DiagnosisReport>('why job/nightly -n backups');
  const [{ state, blockers, fix } = expect.fail()] = items;
  expect([state, blockers[0]?.cause, fix]).toEqual(['stuck', 'removal-refused', undefined]);
  expect(blockers[0]?.object.name).toBe('locked');
  const health = await json<GarbageCollectorHealthReport>('why --gc');
  expect(health.health).not.toBe('works');
  await plane.remove('ValidatingAdmissionPolicyBinding locked');
  await untilGone(plane, 'Job backups/nightly');
});
