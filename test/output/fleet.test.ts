import { describe, expect, test } from 'vitest';
import { fleetReport } from '../../src/output/documents/fleet.ts';
import { orphansReport } from '../../src/output/documents/orphans.ts';
import { type Format, render } from '../../src/output/render.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { reportOf } from '../support/audit-report.ts';
import { configMap, ownedByGone, snapshotOf } from '../support/builders.ts';

const lost = configMap('lost', { ownerReferences: [ownedByGone('apps/v1 Deployment web')] });
const now = Date.parse('2026-01-03T00:00:00Z');
const plain = { colour: false, width: undefined, now };
const failure = { code: 'connection-refused', message: 'cannot reach asia' };
const asia = { context: 'asia', server: 'https://asia', exitCode: 3, failure };
const clean = { coverage: { problems: [] } };

const audits = fleetReport(
  'Audit',
  [
    { context: 'eu "1"', server: 'https://eu', exitCode: 1, report: reportOf([lost], clean) },
    { context: 'us', server: 'https://us', exitCode: 0, report: reportOf([], clean) },
    asia,
  ],
  '2026-01-03T00:00:00Z',
);

const auditAs = (format: Format, options = {}) => render(audits, format, { ...plain, ...options });

describe('an audit of several clusters', () => {
  test('as a table: the cluster first, and below it the clusters that were not read', async () => {
    const text = await auditAs('table');
    expect(text.split('\n').map((line) => line.split(/ {2,}/).slice(0, 5))).toEqual([
      ['CLUSTER', 'SEVERITY', 'NAMESPACE', 'OBJECT', 'RULE'],
      ['eu "1"', 'error', 'shop', 'ConfigMap/lost', 'missing-owner'],
      [''],
      ['NOT READ', 'SERVER', 'REASON'],
      ['asia', 'https://asia', 'cannot reach asia'],
      [''],
    ]);
  });

  test('a table for each object does not mix clusters', async () => {
    const text = await auditAs('table', { groupBy: 'object' });
    expect(text.split('\n', 1)).toEqual(['ConfigMap shop/lost in cluster eu "1" (1)']);
  });

  test('as names: behind the cluster and a tab', async () => {
    expect(await auditAs('name')).toBe('eu "1"\tconfigmap/lost\n');
  });

  test('as SARIF: a run of its own for each cluster, also for one that was not read', async () => {
    const { runs } = JSON.parse(await auditAs('sarif'));
    expect(
      runs.map((run: SarifRun) => [
        run.automationDetails.id,
        run.results.length,
        run.invocations[0]?.executionSuccessful,
        run.invocations[0]?.toolExecutionNotifications.map(({ message }) => message.text),
      ]),
    ).toEqual([
      ['kubectl-gc/eu "1"/', 1, true, []],
      ['kubectl-gc/us/', 0, true, []],
      ['kubectl-gc/asia/', 0, false, ['asia: cannot reach asia']],
    ]);
    expect(runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe(
      'clusters/eu%20%221%22/namespaces/shop/configmap/lost',
    );
  });

  test('as JUnit: the case names the cluster, and a cluster that was not read is an error', async () => {
    const text = await auditAs('junit');
    expect(text).toContain('name="ConfigMap shop/lost in cluster eu &quot;1&quot;"');
    expect(text).toContain('<error type="incomplete" message="asia: cannot reach asia"/>');
    expect(text.split('\n')[1]).toContain('failures="1" errors="1"');
  });

  test('as GitHub and GitLab read it: each with the cluster, and what was not read', async () => {
    const lines = (await auditAs('github')).split('\n');
    expect(lines[0]).toContain('title=missing-owner%3A ConfigMap shop/lost in cluster eu "1"::');
    expect(lines[1]).toBe('::warning title=not checked::asia: cannot reach asia');
    const issues = JSON.parse(await auditAs('gitlab'));
    expect(
      issues.map(({ check_name, fingerprint, location }: GitlabIssue) => [
        check_name,
        fingerprint,
        location.path,
      ]),
    ).toEqual([
      [
        'missing-owner',
        'eu "1": missing-owner: configmaps shop/lost > Deployment/web',
        'clusters/eu%20%221%22/namespaces/shop/configmap/lost',
      ],
      ['coverage', 'asia: coverage', 'clusters/asia'],
    ]);
  });

  test('as Markdown and HTML: the cluster beside the object, and what was not read', async () => {
    const markdown = await auditAs('markdown');
    expect(markdown).toContain('| error | ConfigMap shop/lost in cluster eu "1" |');
    expect(markdown).toContain('### Not checked\n\n- asia: cannot reach asia');
    const html = await auditAs('html');
    expect(html).toContain('<article data-cluster="eu &quot;1&quot;"');
    expect(html).toContain('<option>eu &quot;1&quot;</option>');
    expect(html).toContain('1 objects of 2 of 3 clusters were read');
    expect(html).toContain('Not every cluster could be read in full.');
  });

  test('as metrics: series with the cluster, and of one that was not read only that', async () => {
    const lines = (await auditAs('prometheus')).split('\n');
    expect(lines.filter((line) => /cluster_read|verdict\{|asia/.test(line))).toEqual([
      '# HELP kubectl_gc_audit_cluster_read 1 for a cluster that was read.',
      '# TYPE kubectl_gc_audit_cluster_read gauge',
      'kubectl_gc_audit_cluster_read{cluster="eu \\"1\\""} 1',
      'kubectl_gc_audit_cluster_read{cluster="us"} 1',
      'kubectl_gc_audit_cluster_read{cluster="asia"} 0',
      ...['eu \\"1\\"', 'us'].flatMap((cluster, at) =>
        ['failed', 'incomplete', 'passed'].map(
          (verdict) =>
            `kubectl_gc_audit_verdict{cluster="${cluster}",verdict="${verdict}"} ${Number((at === 0 ? 'failed' : 'passed') === verdict)}`,
        ),
      ),
    ]);
  });
});

interface SarifRun {
  readonly automationDetails: { readonly id: string };
  readonly results: readonly unknown[];
  readonly invocations: readonly {
    readonly executionSuccessful: boolean;
    readonly toolExecutionNotifications: readonly { readonly message: { readonly text: string } }[];
  }[];
}

interface GitlabIssue {
  readonly check_name: string;
  readonly fingerprint: string;
  readonly location: { readonly path: string };
}

test('where no cluster was read, every format says so', async () => {
  const fleet = fleetReport('Audit', [asia], '2026-01-03T00:00:00Z');
  const formats = ['table', 'sarif', 'junit', 'github', 'gitlab', 'markdown', 'html'] as const;
  for (const format of formats) {
    const text = await render(fleet, format, plain);
    expect([format, text.includes('cannot reach asia')]).toEqual([format, true]);
  }
  expect(await render(fleet, 'prometheus', plain)).toContain('cluster_read{cluster="asia"} 0');
});

test('orphans of one server under two contexts are shown for each', async () => {
  const report = orphansReport(buildGraph(snapshotOf([lost])));
  const read = { server: 'https://eu', exitCode: 0, report };
  const clusters = [
    { context: 'admin', ...read },
    { context: 'viewer', ...read },
  ];
  const fleet = fleetReport('Orphans', clusters, '2026-01-03T00:00:00Z');
  const text = await render(fleet, 'table', plain);
  expect(text.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['CLUSTER', 'NAMESPACE', 'OBJECT'],
    ['admin', 'shop', 'ConfigMap/lost'],
    ['viewer', 'shop', 'ConfigMap/lost'],
    [''],
  ]);
  expect(await render(fleet, 'name', plain)).toBe(
    'admin\tconfigmap/lost\nviewer\tconfigmap/lost\n',
  );
});
