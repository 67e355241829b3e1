import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { policyReportDefinitions } from '../support/policy-report-definitions.ts';
import { gcHere } from '../support/run-here.ts';

/** Reports on a real API server, without controllers that would act on the findings. */
const plane = await ownControlPlane({
  controllers: 'none',
  definitions: policyReportDefinitions(),
});
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

const hash = { 'pod-template-hash': 'x' };

/** Makes one that its Deployment left behind. */
function leave(place: string) {
  const labels = { app: 'left' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  return plane.make(`ReplicaSet ${place}`, { metadata: { labels: hash }, spec });
}

beforeAll(async () => {
  await plane.make('Namespace shop');
  await leave('shop/nightly');
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: 'gone' };
  await plane.make('ClusterRole owned:role', { metadata: { ownerReferences: [owner] } });
});

test.each(Object.entries(apis))(
  'reports of %s follow their findings, and others stay',
  async (api, { kind, path, namespaced, cluster }) => {
    const ours = `${path}/namespaces/shop/${namespaced}`;
    const foreign = {
      apiVersion: path.replace('/apis/', ''),
      kind,
      metadata: { name: 'scan', labels: { 'app.kubernetes.io/managed-by': 'kubectl-gc' } },
      results: [{ source: 'another', policy: 'p', result: 'fail' }],
    };
    await plane.create(ours, foreign);
    const before = await plane.get<KubeObject>(`${ours}/scan`);
    const line = `--policy-reports ${api} --fail-on never`;

    expect((await report(line)).stderr).toContain(': 2 written, 0 unchanged, 0 removed.');
    const first = await plane.get<Report>(`${ours}/kubectl-gc`);
    expect(
      first.results.map(({ policy, result, resources }) => [policy, result, resources[0]?.name]),
    ).toEqual([['orphaned-replicaset', 'warn', 'nightly']]);
    expect(first.summary).toMatchObject({ warn: 1, fail: 0 });
    const whole = await plane.list<Report>(`${path}/${cluster}`);
    expect(whole.flatMap(({ results }) => results.map(({ policy }) => policy))).toEqual([
      'namespaced-owner-of-cluster-object',
    ]);

    expect((await report(line)).stderr).toContain(': 0 written, 2 unchanged, 0 removed.');
    await leave('shop/weekly');
    expect((await report(line)).stderr).toContain(': 1 written, 1 unchanged, 0 removed.');
    const second = await plane.get<Report>(`${ours}/kubectl-gc`);
    expect(second.metadata.uid).toBe(first.metadata.uid);
    expect(second.results.map(({ resources }) => resources[0]?.name)).toEqual([
      'nightly',
      'weekly',
    ]);
    expect(second.results[0]?.timestamp).toEqual(first.results[0]?.timestamp);

    await plane.remove('ReplicaSet shop/weekly');
    await plane.patch('ReplicaSet shop/nightly', { metadata: { labels: null } });
    expect((await report(line)).stderr).toContain(': 0 written, 1 unchanged, 1 removed.');
    expect(await plane.names(ours)).toEqual(['scan']);
    expect(await plane.get<KubeObject>(`${ours}/scan`)).toEqual(before);
    await plane.patch('ReplicaSet shop/nightly', { metadata: { labels: hash } });
  },
);

test('a report of the same name that is not ours is left as it is, and said', async () => {
  await plane.make('Namespace taken');
  const at = '/apis/openreports.io/v1alpha1/namespaces/taken/reports';
  const [apiVersion, kind] = ['openreports.io/v1alpha1', 'Report'];
  const metadata = { name: 'kubectl-gc' };
  await plane.create(at, { apiVersion, kind, metadata, source: 'another' });
  await leave('taken/a');
  const { code, stderr } = await report('--policy-reports openreports.io --fail-on never');
  expect(code).toBe(3);
  expect(stderr).toContain('cannot create reports.openreports.io/kubectl-gc in taken: ');
  expect(await plane.get<KubeObject>(`${at}/kubectl-gc`)).toMatchObject({ source: 'another' });
  await plane.remove('Namespace taken');
});
