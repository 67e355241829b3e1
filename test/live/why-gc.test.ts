import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { StatusReport } from '../../src/questions/status/document.ts';
import type {
  Diagnosed,
  DiagnosisReport,
  GarbageCollectorHealthReport,
} from '../../src/questions/why/document.ts';
import { linksOf } from '../../src/why/chain.ts';
import type { HealthCheck } from '../../src/why/garbage-collector/health-check.ts';
import { validDocument } from '../contract/valid-document.ts';
import { deny, webhookFor } from '../support/admission.ts';
import { askingOf } from '../support/asking.ts';
import { configMap, gone, namespace } from '../support/blockade.ts';
import { showManager } from '../support/control-plane-pod.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import {
  breakConversion,
  makeDeadApi,
  restoreConversion,
  serveKind,
} from '../support/served-kinds.ts';

const controllers = ['garbage-collector-controller', 'namespace-controller'];
const elected = [
  '--leader-elect=true',
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=1s',
];

async function health(
  flags = '',
  kubeconfig = plane.kubeconfigPath,
): Promise<GarbageCollectorHealthReport> {
  const { code, stdout, stderr } = await run(`why --gc ${flags} -o json`, kubeconfig);
  expect(code, stderr).toBe(0);
  return validDocument('why', stdout);
}

const states = ({ checks }: GarbageCollectorHealthReport) =>
  Object.fromEntries(checks.map(({ id, state }) => [id, state]));
const brokenIn = ({ checks }: GarbageCollectorHealthReport, id: HealthCheck['id']) =>
  checks
    .find((one) => one.id === id)
    ?.links.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`);

const fine = {
  leader: 'ok',
  discovery: 'ok',
  'api-services': 'ok',
  kinds: 'ok',
  'conversion-webhooks': 'ok',
  permissions: 'ok',
  admission: 'ok',
  events: 'ok',
  garbage: 'ok',
};

async function diagnosed(line: string): Promise<Diagnosed | undefined> {
  return (await json<DiagnosisReport>(`why ${line}`)).items[0];
}

/** Asks until the answer is so. */
const until = (
  what: string,
  isSo: (report: GarbageCollectorHealthReport) => unknown,
  flags?: string,
) =>
  eventually(what, async () => {
    const found = await health(flags);
    return isSo(found) ? found : undefined;
  });

/** Until nothing is there to diagnose any more. */
const untilAbsent = (line: string) =>
  eventually(`${line} is gone`, async () => (await diagnosed(line))?.state === 'absent');

/** Two versions, of which the preferred one can only be had by conversion. */
const converted = customDefinition('Book', 'lib.example.com', { versions: ['v1', 'v2'] });

/** The collector's own health on a real control plane, whole at first and then broken piece by piece. */
const plane = await ownControlPlane({
  controllers,
  controllerArgs: elected,
});
const { run, json } = askingOf(plane);

test('without a pod that shows --controllers, what the garbage collector does is the only proof', async () => {
  await eventually('the APIs are available', async () => {
    const { leader, ...others } = states(await health());
    return leader === 'unknown' && Object.values(others).every((state) => state === 'ok');
  });
  expect((await health()).health).toBe('unknown');
  expect((await health('--canary -n default')).health).toBe('works');
});

test('a collector that is in order, and a canary', async () => {
  await showManager(plane, [...elected, `--controllers=${controllers.join(',')}`]);
  const canary = '--canary -n default';
  const report = await until('the APIs are available', (found) => found.health === 'works', canary);
  expect(states(report)).toEqual(fine);
  expect([report.canary?.state, report.canary?.left]).toEqual(['collected', []]);
  const items = await plane.list<unknown>(
    '/api/v1/namespaces/default/configmaps?labelSelector=app.kubernetes.io/managed-by=kubectl-gc',
  );
  expect(items).toEqual([]);
  const { stdout } = await run('why --gc');
  expect(
    stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => line.slice(0, 8).trim()),
  ).toEqual(['Garbage', ...Object.values(fine)]);
});

test('a user with few permissions sees what could not be asked', async () => {
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
  // The Event of an object that was deleted counts no more: this one has another owner, and stays.
  const base = await plane.make<{ metadata: { uid: string } }>('ConfigMap other/base');
  const solid = { ...reference, name: 'base', uid: base.metadata.uid };
  await plane.make('ConfigMap other/kept', { metadata: { ownerReferences: [reference, solid] } });
  const report = await until('the collector warns', (found) => states(found).events !== 'ok');
  expect([states(report).events, report.health]).toEqual(['warning', 'works']);
  const strayed = await diagnosed('configmap/strayed -n other');
  expect(strayed?.chain.links.map(({ cause }) => cause)).toEqual(['event']);
});

test('an admission webhook that does not answer', async () => {
  const webhook = webhookFor('DELETE', 'configmaps');
  await plane.make('ValidatingWebhookConfiguration dead', webhook);
  const report = await until(
    'the webhook is called',
    (found) => states(found).admission === 'degraded',
  );
  expect(brokenIn(report, 'admission')).toEqual([
    'ValidatingWebhookConfiguration/dead admission-webhook-down',
  ]);
  expect(report.health).toBe('works-except');
  const { canary } = await health('--canary -n default');
  expect([canary?.state, canary?.left.length]).toEqual(['not-collected', 2]);
  await plane.remove('ValidatingWebhookConfiguration dead');
  await until('the removed webhook', (found) => states(found).admission === 'ok');
});

test('a conversion webhook that does not answer, and the namespace that waits for it', async () => {
  await serveKind(plane, converted);
  await plane.make('Namespace lib');
  await plane.make('lib.example.com/v1 Book lib/moby');
  await breakConversion(plane, converted);
  const report = await until(
    'books cannot be listed',
    (found) => states(found).kinds === 'degraded',
  );
  expect(brokenIn(report, 'kinds')).toEqual([
    'CustomResourceDefinition/books.lib.example.com conversion-webhook-down',
  ]);
  await plane.remove('/api/v1/namespaces/lib');
  const waiting = await diagnosed('namespace/lib');
  expect([waiting?.state, waiting?.blockers.map(({ cause }) => cause)]).toEqual([
    'stuck',
    ['conversion-webhook-down'],
  ]);
  await restoreConversion(plane, converted);
  await untilAbsent('namespace/lib');
});

test('an APIService that does not answer, the namespace that waits for it, and the step that resolves it', async () => {
  await makeDeadApi(plane, 'metrics.example.com');
  const checks = ['discovery', 'api-services'] as const;
  const report = await until('discovery fails', (found) =>
    checks.every((id) => states(found)[id] === 'degraded'),
  );
  const broken = ['APIService/v1.metrics.example.com api-service-down'];
  expect(checks.map((id) => brokenIn(report, id))).toEqual([broken, broken]);
  await plane.make('Namespace held');
  await plane.remove('/api/v1/namespaces/held');
  const held = await diagnosed('namespace/held');
  expect([held?.state, held?.blockers.map(({ cause }) => cause), held?.fix?.does]).toEqual([
    'stuck',
    ['api-service-down'],
    'delete the APIService v1.metrics.example.com, whose server does not exist',
  ]);
  const fixed = await run('why namespace/held --fix --yes');
  expect([fixed.code, fixed.stderr.includes('Done: applied')]).toEqual([0, true]);
  await untilAbsent('namespace/held');
});

test('an API of metrics that does not answer keeps nothing from being collected', async () => {
  await makeDeadApi(plane, 'custom.metrics.k8s.io', 'v1beta1');
  const report = await until(
    'discovery fails',
    (found) => states(found).discovery === 'warning' && states(found)['api-services'] === 'warning',
    '--canary -n default',
  );
  expect([report.health, report.canary?.state]).toEqual(['works', 'collected']);
  await plane.remove('APIService v1beta1.custom.metrics.k8s.io');
});

test('a controller manager that has stopped', async () => {
  await plane.stopControllers();
  const report = await until('its Lease runs out', (found) => states(found).leader !== 'ok');
  expect([states(report).leader, report.health]).toEqual(['failing', 'does-not-work']);
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
  await plane.startControllers(controllers, elected);
  for (const path of ['Namespace stopped', 'ConfigMap default/left']) await untilGone(plane, path);
});

test('garbage whose deletion admission refuses is stuck, and stays', async () => {
  const expression = "oldObject.metadata.name != 'kept'";
  const about = { operation: 'DELETE', resource: 'configmaps' };
  await deny(plane, 'keep', { ...about, expression, message: 'keep it' });
  const path = '/api/v1/namespaces/default/configmaps/kept';
  await plane.make('ConfigMap default/kept');
  await eventually('the policy', async () => {
    const { status } = await plane.remove(`${path}?dryRun=All`);
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
  const report = await health();
  const { admission, garbage } = states(report);
  expect([report.health, admission, garbage]).toEqual(['works-except', 'degraded', 'degraded']);
  expect(brokenIn(report, 'admission')).toEqual(['ConfigMap/kept deletion-refused']);
  await plane.remove('ValidatingAdmissionPolicyBinding keep');
  await untilGone(plane, 'ConfigMap default/kept');
});

test('a leader without the garbage collector, whose flags nothing shows', async () => {
  await plane.remove('Pod kube-system/kube-controller-manager');
  await plane.stopControllers();
  await plane.startControllers(['namespace-controller'], elected);
  const uid = 'uid-of-missing';
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'missing', uid }];
  await plane.make('ConfigMap default/overdue', { metadata: { ownerReferences } });
  const report = await until('its Lease is renewed', (found) => states(found).leader !== 'failing');
  expect([report.health, states(report)]).toEqual([
    'unknown',
    // The Event of an earlier test is of an earlier leader.
    { ...fine, leader: 'unknown', garbage: 'unknown' },
  ]);
  const status = await json<StatusReport>('status');
  expect([status.garbageCollector.health, status.garbageCollector.overdue]).toEqual(['unknown', 1]);
  // Once it runs, what it deletes while it is observed is proof.
  await plane.stopControllers();
  await plane.startControllers(controllers, elected);
  await untilGone(plane, 'ConfigMap default/overdue');
});
