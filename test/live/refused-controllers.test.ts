import { expect, onTestFinished, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import type { StatusReport } from '../../src/questions/status/document.ts';
import type { DiagnosisReport } from '../../src/questions/why/document.ts';
import { linksOf } from '../../src/why/chain.ts';
import { accountOf, type ControllerWithAccount } from '../../src/why/controller-accounts.ts';
import { webhookFor } from '../support/admission.ts';
import { askingOf } from '../support/asking.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';

// Policies that refuse only a controller: a dry run under the user's own name does not show them.

const elected = [
  '--leader-elect=true',
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=1s',
  '--use-service-account-credentials=true',
];
const plane = await ownControlPlane({ controllers: ['*'], controllerArgs: elected });
const { run, json } = askingOf(plane);

/** Makes a policy that refuses deletions of a resource to this controller alone. */
async function refuse(by: ControllerWithAccount, resource: string): Promise<void> {
  const rule = {
    ...{ apiGroups: [''], apiVersions: ['v1'] },
    ...{ operations: ['DELETE'], resources: [resource] },
  };
  await plane.make(`ValidatingAdmissionPolicy ${resource}`, {
    spec: {
      matchConstraints: { resourceRules: [rule] },
      matchConditions: [
        { name: 'who', expression: `request.userInfo.username == '${accountOf(by).name}'` },
      ],
      validations: [{ expression: 'false', message: 'no' }],
    },
  });
  await plane.make(`ValidatingAdmissionPolicyBinding ${resource}`, {
    spec: { policyName: resource, validationActions: ['Deny'] },
  });
}

/** A Secret with a ConfigMap that it owns. */
async function family(namespace: string, name: string): Promise<void> {
  const { metadata } = await plane.make<{ metadata: { uid: string } }>(
    `Secret ${namespace}/${name}`,
  );
  const reference = { apiVersion: 'v1', kind: 'Secret', name, uid: metadata.uid };
  await plane.make(`ConfigMap ${namespace}/of-${name}`, {
    metadata: { ownerReferences: [{ ...reference, blockOwnerDeletion: true }] },
  });
}

const blockersOf = async (line: string) => {
  const { items } = await json<DiagnosisReport>(`why ${line}`);
  return items.map(({ state, blockers }) => [
    state,
    ...blockers.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`),
  ]);
};
const fatesOf = async (line: string) => {
  const { objects } = await json<Plan>(`delete ${line} --preview`);
  return objects
    .filter(({ kind }) => ['Secret', 'ConfigMap', 'Namespace'].includes(kind))
    .filter(({ name }) => name !== 'kube-root-ca.crt')
    .map(({ kind, fate, then }) => `${kind} ${fate}${then ? `, then ${then}` : ''}`);
};

await plane.make('Namespace family');
await plane.make('Namespace content');
await plane.make('Namespace later');
await plane.make('Secret content/data');
await plane.make('Secret later/data');
for (const name of ['foreground', 'background', 'planned']) await family('family', name);
await refuse('garbage-collector-controller', 'configmaps');
await refuse('namespace-controller', 'secrets');
await eventually('both policies refuse', async () => {
  const asked = await Promise.all(
    [
      ['garbage-collector-controller', 'configmaps/of-planned', 'family'] as const,
      ['namespace-controller', 'secrets/data', 'later'] as const,
    ].map(async ([by, what, namespace]) => {
      const line = `delete ${what} -n ${namespace} --dry-run=server --as ${accountOf(by).name}`;
      return (
        await plane.kubectl(
          line.replace('configmaps/', 'configmap/').replace('secrets/', 'secret/').split(' '),
        )
      ).stderr;
    }),
  );
  return asked.every((stderr) => stderr.includes('denied request'));
});

test('a preview shows what the policies keep from the garbage collector and the namespace controller', async () => {
  expect(await fatesOf('secret/planned -n family')).toEqual([
    'Secret deleted',
    'ConfigMap kept, then deleted',
  ]);
  expect(await fatesOf('namespace/later')).toEqual([
    'Namespace terminating, then deleted',
    'Secret kept, then deleted',
  ]);
});

test('why, status and forecast name the policy that refuses the controller', async () => {
  await plane.kubectl(
    'delete secret/foreground -n family --cascade=foreground --wait=false'.split(' '),
  );
  await plane.kubectl('delete secret/background -n family --wait=false'.split(' '));
  await plane.kubectl('delete namespace/content --wait=false'.split(' '));
  const byCollector = ['stuck', 'ValidatingAdmissionPolicy/configmaps deletion-refused'];
  const byNamespace = ['stuck', 'ValidatingAdmissionPolicy/secrets deletion-refused'];
  await eventually('the dependent waits', async () => {
    const [found] = await blockersOf('configmap/of-background -n family');
    return found?.[0] === 'stuck';
  });
  expect(await blockersOf('configmap/of-background -n family')).toEqual([byCollector]);
  expect(await blockersOf('secret/foreground -n family')).toEqual([byCollector]);
  expect(await blockersOf('namespace/content')).toEqual([byNamespace]);
  expect((await blockersOf('-A')).toSorted()).toEqual([byCollector, byNamespace].toSorted());
  await eventually('the collector refuses in status, too', async () => {
    const { deletions } = await json<StatusReport>('status');
    return deletions.stuck === 2;
  });
  const { garbageCollector, deletions: unended, due } = await json<StatusReport>('status');
  expect(garbageCollector.except).toEqual(['configmaps']);
  expect(unended.causes.map(({ first }) => first.blockers[0]?.object.name).toSorted()).toEqual([
    'configmaps',
    'secrets',
  ]);
  expect(due.controllers.map(({ controller }) => controller)).not.toContain('garbage-collector');
  const { items } = await json<ForecastReport>('forecast');
  const deletions = items.filter(
    ({ action, object }) => action === 'delete' && object.namespace !== 'kube-system',
  );
  expect(deletions.map(({ object, confidence }) => [object.name, confidence]).toSorted()).toEqual([
    ['data', 'unknown'],
    ['of-background', 'unknown'],
    ['of-foreground', 'unknown'],
  ]);
});

test('a user who may not impersonate them sees that the answer is unknown', async () => {
  const kubeconfig = plane.kubeconfigFor({ user: 'viewer' });
  await plane.make('ClusterRoleBinding viewer', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
  });
  await plane.make('ClusterRole cluster-reader', {
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['delete'] },
    ],
  });
  await eventually('the role counts', async () => {
    const { stdout } = await run('why configmap/of-background -n family -o json', kubeconfig);
    const [found] = (JSON.parse(stdout) as DiagnosisReport).items;
    return (
      found &&
      linksOf(found.chain as never).some(
        ({ cause, state }) => cause === 'admission-policy' && state === 'unknown',
      )
    );
  });
});

test('without a leader no deletion by a controller is certain in status and forecast', async () => {
  await plane.stopControllers();
  await plane.patch('Lease kube-system/kube-controller-manager', {
    spec: { renewTime: '2026-01-01T00:00:00.000000Z' },
  });
  await eventually('the Lease runs out', async () => {
    const { garbageCollector } = await json<StatusReport>('status');
    return garbageCollector.health === 'does-not-work';
  });
  const { due } = await json<StatusReport>('status');
  expect(due.total).toBe(0);
  expect(due.unknown).toBeGreaterThan(0);
  for (const scope of ['', '-n content']) {
    const { items, garbageCollector } = await json<ForecastReport>(`forecast ${scope}`);
    expect(garbageCollector?.withoutLeader).toBe(true);
    expect(new Set(items.map(({ confidence }) => confidence))).toEqual(new Set(['unknown']));
  }
});

test('a webhook that does not answer is not one that refuses: its server has to come back', async () => {
  await plane.make('Namespace silent');
  await plane.make('ConfigMap silent/data');
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'silent' } };
  const webhook = webhookFor('DELETE', 'configmaps', { namespaceSelector });
  await plane.make('ValidatingWebhookConfiguration silent', webhook);
  onTestFinished(async () => {
    await plane.remove('ValidatingWebhookConfiguration silent');
  });
  const planOf = async () => json<Plan>('delete namespace/silent --preview');
  const refusal = await eventually('the webhook is asked', async () =>
    (await planOf()).remarks.find(({ code }) => code === 'may-be-refused'),
  );
  expect(refusal.message).toContain('First bring its server back');
  const waits = (await planOf()).objects.flatMap(({ waitsFor = [] }) => waitsFor);
  expect(waits.map((wait) => 'webhook' in wait && wait.webhook)).toContain('hook.example.com');
});
