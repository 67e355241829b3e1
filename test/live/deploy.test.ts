import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { inParallel } from '../../src/cluster/in-parallel.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { KubectlResult } from '../support/cluster.ts';
import { root } from '../support/command-line.ts';
import { chart, helm } from '../support/deploy-tools.ts';
import { hasTools } from '../support/has-tools.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { aggregatedDiscovery } from '../support/served-types.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { imageOfDeploy } from './image-of-deploy.ts';

/**
 * What `deploy` has, on a real API server with RBAC and Pod Security. Of its own: what other files leave behind
 * for a moment would be in the report.
 */
const plane = await ownControlPlane({ controllers: 'none' });
const folder = temporaryFolder();
const kustomize = join(root, 'deploy/kustomize');
const namespace = 'kubectl-gc';
const sinks = ['wgpolicyk8s.io', 'openreports.io'];
const cronJobs = `/apis/batch/v1/namespaces/${namespace}/cronjobs`;

interface PodSpec {
  readonly containers: readonly [{ readonly args: readonly string[] }];
}
interface CronJob {
  readonly spec: {
    readonly jobTemplate: { readonly spec: { readonly template: { readonly spec: PodSpec } } };
  };
}
const podOf = async (name: string) =>
  (await plane.get<CronJob>(`${cronJobs}/${name}`)).spec.jobTemplate.spec.template.spec;

/** A folder whose kustomization adds the components of all sinks to a base. */
function overlay(base: string): string {
  const path = join(folder, base);
  mkdirSync(path);
  const from = (...names: string[]) => relative(path, join(kustomize, ...names));
  const content = {
    resources: [from(base)],
    components: sinks.map((sink) => from('components', sink)),
  };
  writeFileSync(join(path, 'kustomization.yaml'), stringify(content));
  return path;
}

async function done(result: Promise<KubectlResult>): Promise<string> {
  const { stdout, stderr, code } = await result;
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stdout;
}

let withSinks: string;
beforeAll(async () => {
  withSinks = overlay('base');
  await done(plane.kubectl(['apply', '--server-side', '-k', withSinks]));
});

describe('the Kustomize bases', () => {
  test('are taken by the API server as they are', async () => {
    const applied = async (path: string) =>
      (await done(plane.kubectl(['apply', '--server-side', '--dry-run=server', '-k', path])))
        .trimEnd()
        .split('\n');
    expect((await applied(join(kustomize, 'base'))).sort()).toEqual([
      'clusterrole.rbac.authorization.k8s.io/kubectl-gc serverside-applied (server dry run)',
      'clusterrolebinding.rbac.authorization.k8s.io/kubectl-gc serverside-applied (server dry run)',
      'cronjob.batch/kubectl-gc serverside-applied (server dry run)',
      'namespace/kubectl-gc serverside-applied (server dry run)',
      'networkpolicy.networking.k8s.io/kubectl-gc serverside-applied (server dry run)',
      'serviceaccount/kubectl-gc serverside-applied (server dry run)',
    ]);
    expect(await applied(overlay('serve'))).toContain(
      'deployment.apps/kubectl-gc serverside-applied (server dry run)',
    );
  });

  test('make a pod that the restricted Pod Security Standard admits', async () => {
    const spec = await podOf(namespace);
    const pods = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
    const metadata = { name: 'try' };
    await plane.create(pods, { metadata, spec });
    const loose = { ...spec, securityContext: {} };
    const answer = await plane.request(pods, { method: 'POST', body: { metadata, spec: loose } });
    expect(answer.status).toBe(403);
    expect(answer.body).toContain('violates PodSecurity \\"restricted:latest\\"');
  });
});

describe('the ServiceAccount', () => {
  const verbs = [
    ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
    ...['impersonate', 'bind', 'escalate', 'approve', 'sign', 'attest', 'use'],
  ];

  /** What a ServiceAccount may do with each resource and subresource that is served, as `verb resource.group`. */
  async function allowed(user: string, asked: readonly string[]): Promise<string[]> {
    const questions = asked.flatMap((place) => verbs.map((verb) => ({ verb, place })));
    const answers = await inParallel(questions, 16, async ({ verb, place }) => {
      const [, resource, subresource, group, name] =
        /^(\w+)(?:\/([\w/]+))?(?:\.([^:]+))?(?::(.+))?$/.exec(place) ?? [];
      const resourceAttributes = { verb, group, resource, subresource, name, namespace: 'default' };
      const groups = ['system:serviceaccounts', 'system:authenticated'];
      const answer = await plane.create<{ status: { allowed: boolean } }>(
        '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        { spec: { user, groups, resourceAttributes } },
      );
      return answer.status.allowed ? [`${verb} ${place}`] : [];
    });
    return answers.flat();
  }

  async function servedPlaces(): Promise<string[]> {
    interface Resource {
      readonly resource: string;
      readonly subresources?: readonly { readonly subresource: string }[];
    }
    const places = new Set<string>();
    for (const path of ['/api', '/apis']) {
      const { items } = await plane.get<{
        items: { metadata: { name?: string }; versions: { resources: Resource[] }[] }[];
      }>(path, aggregatedDiscovery);
      for (const { metadata, versions } of items) {
        const group = metadata.name ? `.${metadata.name}` : '';
        for (const { resource, subresources = [] } of versions.flatMap((one) => one.resources)) {
          places.add(`${resource}${group}`);
          for (const { subresource } of subresources) {
            places.add(`${resource}/${subresource}${group}`);
          }
        }
      }
    }
    return [...places].sort();
  }

  /** What the rules that `kubectl gc rbac report` prints permit, but for the list of everything. */
  async function printed(): Promise<string[]> {
    const options = sinks.flatMap((sink) => ['--with', sink]);
    const { stdout } = await gc(['rbac', 'report', ...options, '-o', 'json']);
    const [{ rules }] = JSON.parse(stdout).items;
    const [everything, ...others] = rules;
    expect(everything).toEqual({ apiGroups: ['*'], resources: ['*'], verbs: ['list'] });
    return others.flatMap((rule: Record<string, string[]>) =>
      (rule.resources ?? []).flatMap((resource) =>
        (rule.verbs ?? []).flatMap((verb) =>
          (rule.resourceNames ?? ['']).map((name) => {
            const group = rule.apiGroups?.[0] ? `.${rule.apiGroups[0]}` : '';
            return `${verb} ${resource}${group}${name && `:${name}`}`;
          }),
        ),
      ),
    );
  }

  test('may do what kubectl gc rbac prints and nothing else, of all that is served', async () => {
    const permitted = await printed();
    const served = await servedPlaces();
    expect(served.length).toBeGreaterThan(100);
    expect(served).toContain('nodes/proxy');
    const asked = [...new Set([...served, ...permitted.map((one) => one.split(' ')[1] ?? '')])];
    const found = await allowed('system:serviceaccount:kubectl-gc:kubectl-gc', asked);
    const listed = found.filter((one) => one.startsWith('list '));
    expect(listed).toEqual(asked.map((place) => `list ${place}`));
    expect(found.filter((one) => !one.startsWith('list ')).sort()).toEqual(
      [
        ...permitted.filter((one) => !one.startsWith('list ')),
        // Kubernetes lets everybody who is logged in ask what they may do.
        'create selfsubjectaccessreviews.authorization.k8s.io',
        'create selfsubjectrulesreviews.authorization.k8s.io',
        'create selfsubjectreviews.authentication.k8s.io',
      ].sort(),
    );
    const nobody = await allowed('system:serviceaccount:kubectl-gc:default', asked);
    expect(nobody.filter((one) => !one.includes('selfsubject'))).toEqual([]);
  });

  test('is enough for the command line of the CronJob, without sinks', async () => {
    const configMaps = '/api/v1/namespaces/default/configmaps';
    const owner = { apiVersion: 'gone.example.com/v1', kind: 'Gone', name: 'gone', uid: 'gone' };
    const metadata = { name: 'deploy-finding', ownerReferences: [owner] };
    await plane.create<KubeObject>(configMaps, { metadata });
    const token = await plane.serviceAccountToken(namespace, 'kubectl-gc');
    const env = { KUBECONFIG: plane.kubeconfigFor({ token, namespace }) };
    const [{ args }] = (await podOf(namespace)).containers;
    const plain = args.filter((one) => !/^--policy-reports/.test(one));
    expect(args.slice(plain.length)).toEqual([
      '--policy-reports=wgpolicyk8s.io',
      '--policy-reports=openreports.io',
    ]);
    const { code, stdout, stderr } = await gc(plain, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^kubectl_gc_report_complete 1$/m);
    expect(stdout).toMatch(
      /^kubectl_gc_audit_findings\{rule="unserved-owner-kind",severity="\w+",status="new"\} 1$/m,
    );
    await plane.request(`${configMaps}/deploy-finding`, { method: 'DELETE' });
  });
});

describe.runIf(hasTools('unzip'))('the chart', () => {
  const run = promisify(execFile);
  const env = () => ({ ...process.env, KUBECONFIG: plane.kubeconfigPath, HOME: folder });

  test('is installed by helm, and removed', async () => {
    const release = ['deploy-chart', '--namespace', 'deploy-chart'];
    const sets = [
      ...['serve.enabled=true', 'dashboard.enabled=true', 'sinks.policyReports={wgpolicyk8s.io}'],
    ].flatMap((value) => ['--set', value]);
    await run(helm(), ['install', ...release, chart, '--create-namespace', ...sets], {
      env: env(),
    });
    const made = 'cronjob,deployment,service,configmap,networkpolicy,serviceaccount';
    const selector = ['-l', 'app.kubernetes.io/instance=deploy-chart', '-o', 'name'];
    const names = await done(plane.kubectl(['get', made, '-n', 'deploy-chart', ...selector]));
    expect(names.trimEnd().split('\n')).toEqual([
      'cronjob.batch/deploy-chart-kubectl-gc',
      'deployment.apps/deploy-chart-kubectl-gc',
      'service/deploy-chart-kubectl-gc',
      'configmap/deploy-chart-kubectl-gc-dashboard',
      'networkpolicy.networking.k8s.io/deploy-chart-kubectl-gc',
      'serviceaccount/deploy-chart-kubectl-gc',
    ]);
    await run(helm(), ['uninstall', ...release], { env: env() });
    expect(await done(plane.kubectl(['get', 'clusterrole', ...selector]))).toBe('');
    await plane.kubectl(['delete', 'namespace', 'deploy-chart', '--wait=false']);
  });
});

describe.runIf(hasTools('buildah', 'bwrap', 'dpkg-query'))('the image', () => imageOfDeploy(plane));
