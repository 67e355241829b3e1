import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Diagnosed, GarbageCollectorHealthReport } from '../../src/output/documents/why.ts';
import { linksOf } from '../../src/why/chain.ts';
import type { HealthCheck } from '../../src/why/garbage-collector/health-check.ts';
import { validDocument } from '../contract/valid-document.ts';
import { deny, webhookFor } from '../support/admission.ts';
import { configMap, gone, namespace } from '../support/blockade.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';
import {
  breakConversion,
  makeDeadApi,
  restoreConversion,
  serveKind,
} from '../support/served-kinds.ts';

const elected = [
  '--leader-elect=true',
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=1s',
];
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

async function health(
  flags = '',
  kubeconfig = plane.kubeconfigPath,
): Promise<GarbageCollectorHealthReport> {
  const line = `why --gc ${flags} -o json`;
  const { code, stdout, stderr } = await gcHere(line, { KUBECONFIG: kubeconfig });
  expect([line, code], stderr).toEqual([line, 0]);
  const report: GarbageCollectorHealthReport = validDocument('why', stdout);
  return report;
}

const states = ({ checks }: GarbageCollectorHealthReport) =>
  Object.fromEntries(checks.map(({ id, state }) => [id, state]));
const checkOf = ({ checks }: GarbageCollectorHealthReport, id: HealthCheck['id']) =>
  checks.find((one) => one.id === id);
const brokenIn = (report: GarbageCollectorHealthReport, id: HealthCheck['id']) =>
  checkOf(report, id)?.links.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`);

const fine = {
  leader: 'ok',
  discovery: 'ok',
  'api-services': 'ok',
  kinds: 'ok',
  'conversion-webhooks': 'ok',
  permissions: 'ok',
  admission: 'ok',
  events: 'ok',
};

async function diagnosed(line: string): Promise<Diagnosed | undefined> {
  const { stdout } = await gcHere(`why ${line} -o json`, { KUBECONFIG: plane.kubeconfigPath });
  return (JSON.parse(stdout) as { items: Diagnosed[] }).items[0];
}

/** Two versions, of which the preferred one can only be had by conversion. */
const converted = customDefinition('Book', 'lib.example.com', { versions: ['v1', 'v2'] });

/** The collector's own health on a real control plane, whole at first and then broken piece by piece. */
const plane = await ownControlPlane({
  controllers: ['garbage-collector-controller', 'namespace-controller'],
  controllerArgs: elected,
});

test('a collector that is in order, and a canary', async () => {
  const report = await eventually('the APIs are available', async () => {
    const found = await health('--canary -n default');
    return found.health === 'ok' ? found : undefined;
  });
  expect(states(report)).toEqual(fine);
  expect([report.canary?.state, report.canary?.left]).toEqual(['collected', []]);
  const { items } = await plane.get<{ items: unknown[] }>(
    '/api/v1/namespaces/default/configmaps?labelSelector=app.kubernetes.io/managed-by=kubectl-gc',
  );
  expect(items).toEqual([]);
  const { stdout } = await gcHere('why --gc', { KUBECONFIG: plane.kubeconfigPath, NO_COLOR: '1' });
  expect(
    stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => line.slice(0, 7).trim()),
  ).toEqual(Object.values(fine));
});

test('a user with few permissions is told what could not be asked', async () => {
  const report = await health('', plane.kubeconfigFor({ user: 'eve' }));
  expect(report.health).toBe('unknown');
  expect(states(report)).toEqual({
    ...Object.fromEntries(Object.keys(fine).map((id) => [id, 'unknown'])),
    discovery: 'ok',
  });
  expect(report.coverage.problems.every(({ reason }) => reason === 'forbidden')).toBe(true);
});

test('a reference into another namespace', async () => {
  await plane.make('Namespace other');
  const owner = await plane.make<{ metadata: { uid: string } }>('ConfigMap default/owner');
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid };
  await plane.make('ConfigMap other/strayed', { metadata: { ownerReferences: [reference] } });
  const report = await eventually('the collector warns', async () => {
    const found = await health();
    return checkOf(found, 'events')?.state === 'ok' ? undefined : found;
  });
  expect([states(report).events, report.health]).toEqual(['warning', 'ok']);
  const strayed = await diagnosed('configmap/strayed -n other');
  expect(strayed?.chain.links.map(({ cause }) => cause)).toEqual(['event']);
});

test('an admission webhook that does not answer', async () => {
  const webhook = webhookFor('DELETE', 'configmaps');
  await plane.make('ValidatingWebhookConfiguration dead', webhook);
  const report = await eventually('the webhook is called', async () => {
    const found = await health();
    return checkOf(found, 'admission')?.state === 'failing' ? found : undefined;
  });
  expect(brokenIn(report, 'admission')).toEqual([
    'ValidatingWebhookConfiguration/dead admission-webhook-down',
  ]);
  expect(report.health).toBe('failing');
  const { canary } = await health('--canary -n default');
  expect([canary?.state, canary?.left.length]).toEqual(['not-collected', 2]);
  await plane.request(`${webhooks}/dead`, { method: 'DELETE' });
  await eventually(
    'the webhook is not called any more',
    async () => states(await health()).admission === 'ok',
  );
});

test('a conversion webhook that does not answer, and the namespace that waits for it', async () => {
  await serveKind(plane, converted);
  await plane.make('Namespace lib');
  await plane.make('lib.example.com/v1 Book lib/moby');
  await breakConversion(plane, converted);
  const report = await eventually('books cannot be listed', async () => {
    const found = await health();
    return states(found).kinds === 'failing' ? found : undefined;
  });
  expect(brokenIn(report, 'kinds')).toEqual([
    'CustomResourceDefinition/books.lib.example.com conversion-webhook-down',
  ]);
  await plane.request('/api/v1/namespaces/lib', { method: 'DELETE' });
  const waiting = await diagnosed('namespace/lib');
  expect([waiting?.state, waiting?.blockers.map(({ cause }) => cause)]).toEqual([
    'stuck',
    ['conversion-webhook-down'],
  ]);
  await restoreConversion(plane, converted);
  await eventually(
    'the namespace is gone',
    async () => (await diagnosed('namespace/lib'))?.state === 'absent',
  );
});

test('an APIService that does not answer, the namespace that waits for it, and the step that resolves it', async () => {
  await makeDeadApi(plane, 'metrics.example.com');
  const report = await eventually('discovery fails', async () => {
    const found = await health();
    return states(found).discovery === 'failing' && states(found)['api-services'] === 'failing'
      ? found
      : undefined;
  });
  const broken = ['APIService/v1.metrics.example.com api-service-down'];
  expect([brokenIn(report, 'discovery'), brokenIn(report, 'api-services')]).toEqual([
    broken,
    broken,
  ]);
  await plane.make('Namespace held');
  await plane.request('/api/v1/namespaces/held', { method: 'DELETE' });
  const held = await diagnosed('namespace/held');
  expect([held?.state, held?.blockers.map(({ cause }) => cause), held?.fix?.does]).toEqual([
    'stuck',
    ['api-service-down'],
    'delete the APIService v1.metrics.example.com, whose server is gone',
  ]);
  const run = await gcHere('why namespace/held --fix --yes', { KUBECONFIG: plane.kubeconfigPath });
  expect([run.code, run.stderr.includes('Done: applied')]).toEqual([0, true]);
  await eventually(
    'the namespace is gone',
    async () => (await diagnosed('namespace/held'))?.state === 'absent',
    60,
  );
});

test('a controller manager that has stopped', async () => {
  await plane.stopControllers();
  const report = await eventually('its Lease runs out', async () => {
    const found = await health();
    return states(found).leader === 'ok' ? undefined : found;
  });
  expect([states(report).leader, report.health]).toEqual(['failing', 'failing']);
  await plane.putObjects([
    namespace('stopped', gone),
    configMap('default', 'left', { ...gone, finalizers: ['foregroundDeletion'] }),
  ]);
  for (const line of ['namespace/stopped', 'configmap/left -n default']) {
    const found = await diagnosed(line);
    expect([line, found?.state, found?.blockers.map(({ cause }) => cause), found?.fix]).toEqual([
      line,
      'stuck',
      ['controller-manager-down'],
      undefined,
    ]);
  }
  await plane.startControllers(['garbage-collector-controller', 'namespace-controller'], elected);
  await eventually('both are gone', async () => {
    const all = await Promise.all(
      ['/api/v1/namespaces/stopped', '/api/v1/namespaces/default/configmaps/left'].map((path) =>
        plane.request(path),
      ),
    );
    return all.every(({ status }) => status === 404);
  });
});

test('garbage whose deletion admission refuses is stuck, and stays', async () => {
  const expression = "oldObject.metadata.name != 'kept'";
  const about = { operation: 'DELETE', resource: 'configmaps' };
  await deny(plane, 'keep', { ...about, expression, message: 'keep it' });
  const path = '/api/v1/namespaces/default/configmaps/kept';
  await plane.make('ConfigMap default/kept');
  await eventually('the policy', async () => {
    const { status } = await plane.request(`${path}?dryRun=All`, { method: 'DELETE' });
    return status >= 400;
  });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'missing', uid: 'uid-of-missing' };
  await plane.patch(path, { metadata: { ownerReferences: [owner] } });
  const { chain, blockers } = await eventually('a refusal', async () => {
    const found = await diagnosed('configmap/kept -n default');
    return found?.state === 'stuck' ? found : undefined;
  });
  expect(linksOf(chain).map(({ cause }) => cause)).toEqual(['collectable', 'deletion-refused']);
  expect(blockers.map(({ because }) => because.includes('keep it'))).toEqual([true]);
  const { metadata } = await plane.get<KubeObject>(path);
  expect(metadata.deletionTimestamp).toBe(undefined);
});
