import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { askedByUser } from '../../../src/programs/deletion-approval.ts';
import { root } from '../../support/command-line.ts';
import { chart, helm } from '../../support/deploy-tools.ts';
import { hasTools } from '../../support/has-tools.ts';
import { gc } from '../../support/run-gc.ts';

const run = promisify(execFile);
const kustomize = join(root, 'deploy/kustomize');
const sinks = ['wgpolicyk8s.io', 'openreports.io'];
const allOn = [
  'serve.enabled=true',
  'sinks.policyReports={wgpolicyk8s.io,openreports.io}',
  'serviceMonitor.enabled=true',
  'prometheusRule.enabled=true',
  'dashboard.enabled=true',
];
const withGuard = [...allOn, 'guard.enabled=true'];

type Rule = Readonly<Record<string, readonly string[]>>;
type Manifest = KubeObject & { readonly rules?: readonly Rule[] };

const setting = (values: readonly string[]) => values.flatMap((value) => ['--set', value]);
const kindsIn = (objects: ReadonlyMap<string, unknown>) => [...objects.keys()].sort().join(' ');

/** What helm makes of the chart with these values, by kind. */
async function rendered(...values: readonly string[]): Promise<Map<string, Manifest>> {
  const names = ['template', 'kubectl-gc', chart, '--namespace', 'kubectl-gc'];
  const { stdout } = await run(helm(), [...names, ...setting(values)]);
  const objects = parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((object) => object !== null);
  return new Map(objects.map((object) => [object.kind ?? '', object]));
}

async function refusal(...values: readonly string[]): Promise<string> {
  const line = ['template', chart, ...setting(values)];
  const failed = await run(helm(), line).catch((error) => error);
  return failed.stderr;
}

/** The rules that `kubectl gc rbac report` prints. */
async function printedRules(...options: readonly string[]): Promise<Rule[]> {
  return rulesFor('report', ...options);
}

async function rulesFor(command: string, ...options: readonly string[]): Promise<Rule[]> {
  const more = options.flatMap((option) => ['--with', option]);
  const { stdout } = await gc(['rbac', command, ...more, '-o', 'json']);
  return JSON.parse(stdout).items.flatMap(({ rules }: Manifest) => rules ?? []);
}

describe('the permissions', () => {
  const file = (name: string) => join(chart, 'files/rbac', `${name}.yaml`);
  let least: Rule[];
  beforeAll(async () => {
    least = await printedRules();
  });

  test('of the chart are what kubectl gc rbac report prints', async () => {
    await expect(stringify(least)).toMatchFileSnapshot(file('report'));
  });

  test('of the guard are what kubectl gc rbac guard prints: to list and to watch, and one certificate', async () => {
    const rules = await rulesFor('guard');
    expect(new Set(rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(['list', 'watch']));
    await expect(stringify(rules)).toMatchFileSnapshot(file('guard'));
    const all = await rulesFor('guard', 'certificate');
    expect(all.slice(0, rules.length)).toEqual(rules);
    await expect(stringify(all.slice(rules.length))).toMatchFileSnapshot(file('certificate'));
  });

  test.each(sinks)('for %s are what it prints with that option', async (sink) => {
    const all = await printedRules(sink);
    const more = all.slice(least.length);
    expect(all.slice(0, least.length)).toEqual(least);
    expect(more).not.toEqual([]);
    await expect(stringify(more)).toMatchFileSnapshot(file(sink));
    const name = `kubectl-gc-${sink}`;
    const metadata = { name };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
    const subjects = [{ kind: 'ServiceAccount', name: 'kubectl-gc', namespace: 'kubectl-gc' }];
    const role = { apiVersion, kind: 'ClusterRole', metadata, rules: more };
    const binding = { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects };
    await expect([role, binding].map((one) => stringify(one)).join('---\n')).toMatchFileSnapshot(
      join(kustomize, 'components', sink, 'rbac.yaml'),
    );
  });
});

test('the guard is asked about what users ask for, as policies are', async () => {
  const conditions = [
    { name: 'is-asked-by-a-user', expression: askedByUser },
    {
      name: 'is-not-being-deleted',
      expression: 'oldObject == null || !has(oldObject.metadata.deletionTimestamp)',
    },
  ];
  const file = join(chart, 'files/guard-conditions.yaml');
  await expect(stringify(conditions, { lineWidth: 0 })).toMatchFileSnapshot(file);
});

describe.runIf(hasTools('unzip'))('the chart', () => {
  beforeAll(() => void helm(), 300_000);

  test('satisfies helm lint, with nothing and with everything switched on', async () => {
    for (const values of [[], allOn, withGuard]) {
      const { stdout } = await run(helm(), ['lint', '--strict', chart, ...setting(values)]);
      expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
    }
  });

  test('makes by default a CronJob with the least permissions', async () => {
    const objects = await rendered();
    expect(kindsIn(objects)).toBe(
      'ClusterRole ClusterRoleBinding CronJob NetworkPolicy ServiceAccount',
    );
    expect(objects.get('ClusterRole')?.rules).toEqual(await printedRules());
  });

  test('makes a guard with two replicas that never blocks a deletion, and that trusts cert-manager if configured', async () => {
    const only = ['cronJob.enabled=false', 'guard.enabled=true'];
    const objects = await rendered(...only);
    expect(kindsIn(objects)).toBe(
      'ClusterRole ClusterRoleBinding ConfigMap Deployment NetworkPolicy PodDisruptionBudget Service ServiceAccount ValidatingWebhookConfiguration',
    );
    expect(objects.get('ClusterRole')?.rules).toEqual(await rulesFor('guard', 'certificate'));
    expect(objects.get('Deployment')?.spec).toMatchObject({
      replicas: 2,
      strategy: { rollingUpdate: { maxUnavailable: 0 } },
    });
    expect(objects.get('ValidatingWebhookConfiguration')?.webhooks).toMatchObject([
      {
        failurePolicy: 'Ignore',
        timeoutSeconds: 1,
        sideEffects: 'None',
        namespaceSelector: {
          matchExpressions: [{ operator: 'NotIn', values: ['kubectl-gc'] }],
        },
        matchConditions: [{ name: 'is-asked-by-a-user' }, { name: 'is-not-being-deleted' }],
      },
    ]);
    const issued = await rendered(...only, 'guard.certManager.enabled=true');
    expect(issued.get('ClusterRole')?.rules).toEqual(await rulesFor('guard'));
    expect(kindsIn(issued)).toContain('Certificate');
  });

  test('is what the Kustomize bases are made of', async () => {
    for (const [folder, values] of [
      ['base', []],
      ['serve', ['cronJob.enabled=false', 'serve.enabled=true']],
      ['guard', ['cronJob.enabled=false', 'guard.enabled=true']],
    ] as const) {
      const objects = await rendered(...values);
      const texts = [...objects.values()].map((object) =>
        stringify(object, (key, value) =>
          key === 'helm.sh/chart' || key === 'app.kubernetes.io/managed-by' ? undefined : value,
        ),
      );
      const file = join(kustomize, folder, 'kubectl-gc.yaml');
      await expect(texts.join('---\n')).toMatchFileSnapshot(file);
    }
  });

  test('makes everything that can be switched on', async () => {
    const objects = await rendered(...allOn);
    expect(kindsIn(objects).split(' ')).toEqual([
      ...['ClusterRole', 'ClusterRoleBinding', 'ConfigMap', 'CronJob', 'Deployment'],
      ...['NetworkPolicy', 'PrometheusRule', 'Service', 'ServiceAccount', 'ServiceMonitor'],
    ]);
    expect(objects.get('ClusterRole')?.rules).toEqual(
      await printedRules('wgpolicyk8s.io', 'openreports.io'),
    );
    const { spec } = objects.get('PrometheusRule') as { readonly spec?: object };
    expect(spec).toEqual(parse(readFileSync(join(chart, 'files/alerts.yaml'), 'utf8')));
    const { data } = objects.get('ConfigMap') as unknown as { data: Record<string, string> };
    expect(JSON.parse(data['kubectl-gc.json'] ?? '')).toEqual(
      JSON.parse(readFileSync(join(chart, 'files/dashboard.json'), 'utf8')),
    );
  });

  test.each([['CronJob'], ['Deployment']])(
    'runs the %s without any privilege, and without a file system to write to',
    async (kind) => {
      const spec = (await rendered(...allOn)).get(kind)?.spec as {
        readonly template?: { readonly spec: object };
        readonly jobTemplate?: { readonly spec: { readonly template: { readonly spec: object } } };
      };
      const pod = spec.template?.spec ?? spec.jobTemplate?.spec.template.spec;
      expect(pod).toMatchObject({
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 65532,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '1Gi' } },
          },
        ],
      });
      expect(pod).not.toHaveProperty('volumes');
    },
  );

  test('opens the network to the API server, and to what is switched on', async () => {
    const tcp = (port: number) => ({ port, protocol: 'TCP' });
    const closed = (await rendered()).get('NetworkPolicy')?.spec;
    expect(closed).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [{ ports: [tcp(443), tcp(6443)] }],
    });
    const open = await rendered(...allOn, 'networkPolicy.apiServer.cidrs={10.0.0.1/32}');
    expect(open.get('NetworkPolicy')?.spec).toMatchObject({
      ingress: [{ ports: [tcp(9464)], from: [{ namespaceSelector: {} }] }],
      egress: [{ ports: [tcp(443), tcp(6443)], to: [{ ipBlock: { cidr: '10.0.0.1/32' } }] }],
    });
  });

  test('refuses values that mean nothing', async () => {
    expect(await refusal('report.failon=error')).toContain("additional properties 'failon'");
    expect(await refusal('sinks.policyReports={kyverno.io}')).toContain('policyReports/0');
    expect(await refusal('serve.every=often')).toContain('/serve/every');
    expect(await refusal('runAsUser=0')).toContain('/runAsUser');
    expect(await refusal('image.digest=abc')).toContain('/image/digest');
  });

  test('says after an installation what to do next', async () => {
    const into = ['install', 'watch', chart, '--dry-run=client', '-n', 'ops'];
    const line = [...into, ...setting(allOn)];
    const { stdout } = await run(helm(), line, { env: { KUBECONFIG: '/dev/null' } });
    expect(stdout.slice(stdout.indexOf('NOTES:'))).toBe(`NOTES:
kubectl gc reads the cluster at "17 * * * *". To see it work now:

  kubectl -n ops create job --from=cronjob/watch-kubectl-gc first
  kubectl -n ops logs -f job/first
The metrics are served, and renewed every 5m:

  kubectl -n ops port-forward service/watch-kubectl-gc 9464
  curl localhost:9464/metrics
PolicyReports are written: wgpolicyk8s.io, openreports.io. Their CustomResourceDefinitions must be installed.
`);
  });
});
