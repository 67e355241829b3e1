import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { KubectlResult } from '../support/cluster.ts';
import { root } from '../support/command-line.ts';
import { chart, helm } from '../support/deploy-tools.ts';
import { eventually } from '../support/eventually.ts';
import { hasTools } from '../support/has-tools.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * What `deploy` has, on a real API server with RBAC and Pod Security. Of its own: what other files leave behind
 * for a moment would be in the report.
 */
const plane = await ownControlPlane({ controllers: 'none' });
const run = promisify(execFile);
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
    await plane.remove(`${configMaps}/deploy-finding`);
  });
});

describe.runIf(hasTools('unzip'))('the chart', () => {
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

/** The image of deploy/Containerfile, run as a container is: a user without rights, and nothing that can be written. */
describe.runIf(hasTools('buildah', 'bwrap', 'dpkg-query'))('the image', () => {
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const account = '/var/run/secrets/kubernetes.io/serviceaccount';
  const cluster = join(root, 'examples/clusters/shop.json.gz');
  let place = '';
  let files = '';
  let config: Record<string, unknown>;

  /** Keeps what it makes in that folder alone. */
  const places = () => ({
    ...process.env,
    BUILDAH_ISOLATION: 'chroot',
    CONTAINERS_STORAGE_CONF: join(place, 'storage.conf'),
  });

  async function buildah(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('buildah', args, { env: places() });
    return stdout.trim();
  }

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'kubectl-gc-image-'));
    const storage = join(place, 'storage');
    const base = join(place, 'base');
    const release = join(place, 'release');
    const stored = ['driver = "vfs"', `graphroot = "${storage}"`, `runroot = "${storage}-run"`];
    writeFileSync(join(place, 'storage.conf'), `[storage]\n${stored.join('\n')}\n`);
    mkdirSync(base);
    // The Node that the executable is made of.
    const node = join(root, 'node_modules/node/bin/node');
    await run('sh', [join(root, 'test/live/base-image.sh'), base, node]);
    const standIn = await buildah('from', 'scratch');
    await buildah('add', '--quiet', standIn, base, '/');
    await buildah('commit', '--quiet', standIn, 'node:26-bookworm-slim');
    const asked = ['--rehearsal', '--image', '--platform', `linux-${arch}`, '--to', release];
    await run(process.execPath, [join(root, 'scripts/release.mjs'), ...asked], { env: places() });
    const layout = `oci-archive:${release}/kubectl-gc_0.1.0_linux_${arch}.oci.tar`;
    await buildah('rmi', 'kubectl-gc:0.1.0');
    await buildah('pull', '--quiet', layout);
    const image = await buildah('inspect', '--type', 'image', 'localhost/kubectl-gc:0.1.0');
    ({ config } = JSON.parse(image).OCIv1);
    files = await buildah('mount', await buildah('from', '--pull-never', 'kubectl-gc:0.1.0'));
    // A runtime makes these before it takes the right to write away.
    for (const made of ['proc', 'dev', account]) mkdirSync(join(files, made), { recursive: true });
  }, 600_000);
  afterAll(async () => {
    await buildah('rm', '--all');
    rmSync(place, { recursive: true, force: true });
  });

  /** A command line that runs the image's program as a runtime would. */
  function contained(args: readonly string[], more: readonly string[] = []): string[] {
    const user = ['--unshare-user', '--uid', '65532', '--gid', '65532', '--cap-drop', 'ALL'];
    const apart = ['--unshare-pid', '--unshare-ipc', '--new-session', '--die-with-parent'];
    const system = ['--ro-bind', files, '/', '--proc', '/proc', '--dev', '/dev'];
    const environment = ['--clearenv', '--setenv', 'HOME', '/tmp'];
    const [program = ''] = config.Entrypoint as string[];
    return [...user, ...apart, ...system, ...environment, ...more, program, ...args];
  }

  async function inImage(args: string, more: readonly string[] = [], input = Buffer.of()) {
    const child = execFile('bwrap', contained(args.split(' '), more), { maxBuffer: 1 << 26 });
    const output = { stdout: '', stderr: '' };
    child.stdout?.on('data', (text) => (output.stdout += text));
    child.stderr?.on('data', (text) => (output.stderr += text));
    child.stdin?.on('error', () => undefined).end(input);
    const [code] = await once(child, 'close');
    return { code, ...output };
  }

  test('contains the executable, its libraries and its user, and nothing else', () => {
    const found = readdirSync(files, { recursive: true, withFileTypes: true })
      .filter((file) => !file.isDirectory())
      .map((file) => join(file.parentPath, file.name).slice(files.length))
      .filter((file) => !/^\/lib(64)?\/(.*\/)?[\w+-]+\.so\.\d+$/.test(file));
    expect(found.sort()).toEqual([
      '/etc/group',
      '/etc/nsswitch.conf',
      '/etc/passwd',
      '/usr/bin/kubectl-gc',
      '/usr/share/doc/kubectl-gc/LICENSE',
      '/usr/share/doc/kubectl-gc/LICENSE.node.txt',
      '/usr/share/doc/kubectl-gc/THIRD-PARTY-LICENSES.txt',
      '/var/lib/dpkg/status.d/libatomic1',
      '/var/lib/dpkg/status.d/libc6',
      '/var/lib/dpkg/status.d/libgcc-s1',
      '/var/lib/dpkg/status.d/libstdc++6',
    ]);
    expect(config).toMatchObject({
      User: '65532:65532',
      Entrypoint: ['/usr/bin/kubectl-gc'],
      Labels: { 'org.opencontainers.image.version': '0.1.0' },
    });
  });

  test('answers from files without a network, as the program does elsewhere', async () => {
    const line = 'tree deployment/web -n shop --from';
    const input = readFileSync(cluster);
    const answer = await inImage(`${line} -`, ['--unshare-net'], input);
    expect(answer).toEqual(await gc(`${line} -`, { input }));
    expect(answer.stdout).toContain('ReplicaSet');
  });

  test('cannot write anywhere', async () => {
    const refused = await inImage(
      'snapshot save /tmp/a.json.gz --from -',
      [],
      readFileSync(cluster),
    );
    expect(refused).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: cannot write /tmp/a.json.gz: the file system is read-only
  Nothing was saved. Name a file in a folder you may write to.
`,
    });
  });

  test('reports as a pod does: with the token of its ServiceAccount, once and as an endpoint', async () => {
    const base = join(root, 'deploy/kustomize/base');
    await plane.kubectl(['apply', '--server-side', '-k', base]);
    const secret = join(place, 'account');
    mkdirSync(secret);
    const token = await plane.serviceAccountToken('kubectl-gc', 'kubectl-gc');
    writeFileSync(join(secret, 'token'), token);
    writeFileSync(join(secret, 'ca.crt'), plane.authority.certificate);
    writeFileSync(join(secret, 'namespace'), 'kubectl-gc');
    const { hostname, port } = new URL(plane.server);
    const pod = [
      ...['--ro-bind', secret, account],
      ...['--setenv', 'KUBERNETES_SERVICE_HOST', hostname],
      ...['--setenv', 'KUBERNETES_SERVICE_PORT', port],
    ];
    const single = await inImage('report --within=24h --no-config --fail-on=never', pod);
    expect(single).toMatchObject({ code: 0, stderr: '' });
    expect(single.stdout).toMatch(/^kubectl_gc_report_complete 1$/m);

    const serving = ['report', '--serve=127.0.0.1:0', '--no-config', '--fail-on=never'];
    const server = spawn('bwrap', contained(serving, pod), { stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      const [line] = await once(createInterface(server.stderr), 'line');
      const url = /^Serving (http:.+)\/metrics$/.exec(line)?.[1];
      const served = await eventually('the first report', async () => {
        const text = await (await fetch(`${url}/metrics`)).text();
        return text.includes('kubectl_gc_report_runs_total{result="success"} 1') ? text : undefined;
      });
      const names = (text: string) => new Set(text.match(/^# TYPE \w+ \w+$/gm));
      expect(names(served)).toEqual(
        names(`${single.stdout}# TYPE kubectl_gc_report_runs_total counter\n`),
      );
      expect(await (await fetch(`${url}/healthz`)).text()).toBe('ok\n');
    } finally {
      server.kill();
    }
  });
});
