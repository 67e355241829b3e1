import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { policyReportDefinitions } from '../support/policy-report-definitions.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Reports on a real API server, without controllers that would act on the findings. */
const plane = await ownControlPlane({
  controllers: 'none',
  definitions: policyReportDefinitions(),
});
const folder = temporaryFolder();
const replicaSets = '/apis/apps/v1/namespaces/shop/replicasets';
/** Rules whose findings the test makes, so that those of the bare cluster do not count. */
const rules = '--rule orphaned-replicaset --rule namespaced-owner-of-cluster-object';

const report = (line: string, user = plane.kubeconfigPath) =>
  gcHere(`report --no-config ${rules} --kubeconfig ${user} ${line}`);

const apis = {
  'wgpolicyk8s.io': {
    kind: 'PolicyReport',
    path: '/apis/wgpolicyk8s.io/v1alpha2',
    namespaced: 'policyreports',
    cluster: 'clusterpolicyreports',
  },
  'openreports.io': {
    kind: 'Report',
    path: '/apis/openreports.io/v1alpha1',
    namespaced: 'reports',
    cluster: 'clusterreports',
  },
} as const;

interface Report extends KubeObject {
  readonly summary: Readonly<Record<string, number>>;
  readonly results: readonly {
    readonly policy: string;
    readonly result: string;
    readonly timestamp: { readonly seconds: number };
    readonly resources: readonly { readonly name: string; readonly uid: string }[];
  }[];
}

async function reportsAt(path: string): Promise<Report[]> {
  return (await plane.get<{ items: Report[] }>(path)).items;
}

const hash = { 'pod-template-hash': 'x' };

/** One that its Deployment left behind. */
function replicaSet(name: string) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  return { metadata: { name, labels: hash }, spec };
}

beforeAll(async () => {
  await plane.make('Namespace shop');
  await plane.create(replicaSets, replicaSet('nightly'));
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: 'gone' };
  await plane.make('ClusterRole owned:role', { metadata: { ownerReferences: [owner] } });
});

test('metrics of a whole cluster say how much was read, and what was found where', async () => {
  const file = join(folder, 'kubectl-gc.prom');
  const { code, stdout } = await report(`--metrics-file ${file} --fail-on never`);
  expect([code, stdout]).toEqual([0, '']);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('\nkubectl_gc_report_complete 1\n');
  expect(text).toContain(
    '\nkubectl_gc_audit_namespace_findings{rule="orphaned-replicaset",severity="info",namespace="shop",kind="ReplicaSet"} 1\n',
  );
  expect(existsSync(`${file}.${process.pid}.tmp`)).toBe(false);
});

test.each(Object.entries(apis))(
  'reports of %s follow what is found, and others stay as they are',
  async (api, { kind, path, namespaced, cluster }) => {
    const ours = `${path}/namespaces/shop/${namespaced}`;
    const foreign = {
      apiVersion: path.replace('/apis/', ''),
      kind,
      metadata: { name: 'scan', labels: { 'app.kubernetes.io/managed-by': 'kubectl-gc' } },
      results: [{ source: 'another', policy: 'p', result: 'fail' }],
    };
    await plane.create(`${path}/namespaces/shop/${namespaced}`, foreign);
    const before = await plane.get<KubeObject>(`${ours}/scan`);
    const line = `--policy-reports ${api} --fail-on never`;

    expect((await report(line)).stderr).toContain(': 2 written, 0 unchanged, 0 removed.');
    const first = await plane.get<Report>(`${ours}/kubectl-gc`);
    expect(
      first.results.map(({ policy, result, resources }) => [policy, result, resources[0]?.name]),
    ).toEqual([['orphaned-replicaset', 'warn', 'nightly']]);
    expect(first.summary).toMatchObject({ warn: 1, fail: 0 });
    const whole = await reportsAt(`${path}/${cluster}`);
    expect(whole.flatMap(({ results }) => results.map(({ policy }) => policy))).toEqual([
      'namespaced-owner-of-cluster-object',
    ]);

    expect((await report(line)).stderr).toContain(': 0 written, 2 unchanged, 0 removed.');
    await plane.create(replicaSets, replicaSet('weekly'));
    expect((await report(line)).stderr).toContain(': 1 written, 1 unchanged, 0 removed.');
    const second = await plane.get<Report>(`${ours}/kubectl-gc`);
    expect(second.metadata.uid).toBe(first.metadata.uid);
    expect(second.results.map(({ resources }) => resources[0]?.name)).toEqual([
      'nightly',
      'weekly',
    ]);
    expect(second.results[0]?.timestamp).toEqual(first.results[0]?.timestamp);

    await plane.request(`${replicaSets}/weekly`, { method: 'DELETE' });
    await plane.patch(`${replicaSets}/nightly`, { metadata: { labels: null } });
    expect((await report(line)).stderr).toContain(': 0 written, 1 unchanged, 1 removed.');
    expect((await reportsAt(ours)).map(({ metadata }) => metadata.name)).toEqual(['scan']);
    expect(await plane.get<KubeObject>(`${ours}/scan`)).toEqual(before);
    await plane.patch(`${replicaSets}/nightly`, { metadata: { labels: hash } });
  },
);

test('a report of the same name that is not ours is left as it is, and said', async () => {
  await plane.make('Namespace taken');
  const at = '/apis/openreports.io/v1alpha1/namespaces/taken/reports';
  const [apiVersion, kind] = ['openreports.io/v1alpha1', 'Report'];
  const metadata = { name: 'kubectl-gc' };
  await plane.create(at, { apiVersion, kind, metadata, source: 'another' });
  await plane.create(replicaSets.replace('shop', 'taken'), replicaSet('a'));
  const { code, stderr } = await report('--policy-reports openreports.io --fail-on never');
  expect(code).toBe(3);
  expect(stderr).toContain('cannot create reports.openreports.io/kubectl-gc in taken: ');
  expect(await plane.get<KubeObject>(`${at}/kubectl-gc`)).toMatchObject({ source: 'another' });
  await plane.request('/api/v1/namespaces/taken', { method: 'DELETE' });
});

test('what may not be read is counted, keeps earlier results, and exits with 3', async () => {
  const [namespace, name] = ['shop', 'partly'];
  const token = await plane.serviceAccountToken(namespace, name);
  const user = plane.kubeconfigFor({ token });
  const account = `--service-account ${namespace}/${name}`;
  const refused = await report('--policy-reports wgpolicyk8s.io', user);
  expect([refused.code, refused.stderr]).toEqual([
    3,
    expect.stringContaining(
      'it is not permitted to list,create,update,delete policyreports.wgpolicyk8s.io, ',
    ),
  ]);
  const { stdout } = await gcHere(`rbac report --with wgpolicyk8s.io ${account} -o json`);
  const roles = JSON.parse(stdout) as { items: { rules?: object[] }[] };
  const [role] = roles.items;
  // Everything but ReplicaSets.
  const { groups } = await plane.get<{ groups: { name: string }[] }>('/apis');
  const apiGroups = ['', ...groups.map((group) => group.name).filter((one) => one !== 'apps')];
  const others = ['controllerrevisions', 'daemonsets', 'deployments', 'statefulsets'];
  const apps = { apiGroups: ['apps'], resources: others, verbs: ['list'] };
  role?.rules?.splice(0, 1, { apiGroups, resources: ['*'], verbs: ['list'] }, apps);
  await plane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(roles) });
  await report('--policy-reports wgpolicyk8s.io');
  const { code, stderr } = await report('--policy-reports wgpolicyk8s.io --fail-on never', user);
  expect(code).toBe(3);
  expect(stderr).toContain('cannot list replicasets.apps');
  const path = '/apis/wgpolicyk8s.io/v1alpha2';
  const kept = await plane.get<Report>(`${path}/namespaces/shop/policyreports/kubectl-gc`);
  expect(kept.results.map(({ policy, result }) => [policy, result])).toEqual([
    ['orphaned-replicaset', 'skip'],
  ]);
  const whole = await reportsAt(`${path}/clusterpolicyreports`);
  expect(whole.flatMap(({ results }) => results.map(({ result }) => result))).toContain('error');
  const { stdout: metrics } = await report('--fail-on never', user);
  expect(metrics).toContain('\nkubectl_gc_report_complete 0\n');
  expect(metrics).toContain('\nkubectl_gc_report_unread_kinds{reason="forbidden"} 1\n');
});
