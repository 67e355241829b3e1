import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { TreeReport } from '../../src/questions/owners/document.ts';
import { askingOf } from '../support/asking.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** Who uses a deleted object afterwards in vain; the API server refuses what it says that it refuses. */
const plane = sharedControlPlane();
const { json } = askingOf(plane);
const namespace = 'in-use';
const claimOf = (storageClassName: string) => ({
  storageClassName,
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
});
const spec = {
  serviceAccountName: 'runner',
  priorityClassName: 'in-use-high',
  runtimeClassName: 'in-use-sandbox',
  containers: [
    { name: 'c', image: 'example.com/c', envFrom: [{ configMapRef: { name: 'settings' } }] },
  ],
  volumes: [
    { name: 'keys', projected: { sources: [{ secret: { name: 'keys' } }] } },
    {
      name: 'scratch',
      ephemeral: { volumeClaimTemplate: { spec: claimOf('in-use-scratch') } },
    },
  ],
};
const labels = { app: 'web' };

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  await plane.make(`ServiceAccount ${namespace}/runner`);
  await plane.make(`ConfigMap ${namespace}/settings`);
  await plane.make(`ConfigMap ${namespace}/spare`);
  await plane.make(`Secret ${namespace}/keys`);
  await plane.make('PriorityClass in-use-high', { value: 7 });
  await plane.make('RuntimeClass in-use-sandbox', { handler: 'sandbox' });
  await plane.make('StorageClass in-use-fast', { provisioner: 'example.com/none' });
  await plane.make('StorageClass in-use-scratch', { provisioner: 'example.com/none' });
  await plane.make('StorageClass in-use-later', { provisioner: 'example.com/none' });
  await plane.make(`PersistentVolumeClaim ${namespace}/data`, { spec: claimOf('in-use-fast') });
  await plane.make(`StatefulSet ${namespace}/db`, {
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'db' } },
      template: {
        metadata: { labels: { app: 'db' } },
        spec: { containers: [{ name: 'c', image: 'example.com/c' }] },
      },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimOf('in-use-later') }],
    },
  });
  await plane.make(`Deployment ${namespace}/web`, {
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  });
  await plane.make(`CronJob ${namespace}/nightly`, {
    spec: {
      schedule: '0 3 1 1 *',
      jobTemplate: { spec: { template: { spec: { ...spec, restartPolicy: 'Never' } } } },
    },
  });
});
afterAll(async () => {
  await plane.remove(`Namespace ${namespace}`);
  for (const one of [
    'PriorityClass in-use-high',
    'RuntimeClass in-use-sandbox',
    'StorageClass in-use-fast',
    'StorageClass in-use-scratch',
    'StorageClass in-use-later',
  ]) {
    await plane.remove(one);
  }
});

const users = ({ objects }: Plan) =>
  (objects[0]?.usedBy ?? []).map(({ kind, name }) => `${kind} ${name}`);
const both = ['CronJob nightly', 'Deployment web'];

test.each([
  ['cm/settings', both],
  ['secret/keys', both],
  ['sa/runner', both],
  ['storageclass/in-use-fast', ['PersistentVolumeClaim data']],
  ['storageclass/in-use-later', ['StatefulSet db']],
  ['storageclass/in-use-scratch', both],
  ['priorityclass/in-use-high', both],
  ['runtimeclass/in-use-sandbox', both],
  ['cm/spare', []],
])('a preview says who uses %s', async (target, expected) => {
  const plan = await json<Plan>(`delete ${target} -n ${namespace} --preview`);
  expect(users(plan)).toEqual(expected);
});

test('a tree says who uses its root', async () => {
  const { uses = [] } = await json<TreeReport>(`tree cm/settings -n ${namespace}`);
  expect(
    uses.map(({ state, by }) => [state, ...by.map(({ kind, name }) => `${kind} ${name}`)]),
  ).toEqual([['used', ...both]]);
});

// These API servers do not ask the admission plugin ServiceAccount.
test('the API server refuses new Pods without their priority or runtime, and not without a ConfigMap', async () => {
  const created = (name: string, without: object) =>
    plane.request(`Pod ${namespace}/`, {
      method: 'POST',
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name },
        spec: { ...spec, ...without },
      },
    });
  const answers = [
    await created('of-no-priority', { priorityClassName: 'in-use-none' }),
    await created('of-no-runtime', { runtimeClassName: 'in-use-none' }),
    await created('of-no-settings', {
      containers: [{ ...spec.containers[0], envFrom: [{ configMapRef: { name: 'none' } }] }],
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 201]);
});
