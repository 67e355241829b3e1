import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/command-line.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';

const run = promisify(execFile);

/** The image of deploy/Containerfile, run as a container is: a user without rights, and nothing that can be written. */
export function imageOfDeploy(plane: ControlPlane): void {
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const account = '/var/run/secrets/kubernetes.io/serviceaccount';
  const cluster = join(root, 'examples/clusters/shop.json.gz');
  let folder = '';
  let files = '';
  let config: Record<string, unknown>;

  /** Keeps what it makes in the folder alone. */
  const places = () => ({
    ...process.env,
    BUILDAH_ISOLATION: 'chroot',
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  });

  async function buildah(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('buildah', args, { env: places() });
    return stdout.trim();
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-image-'));
    const storage = join(folder, 'storage');
    const base = join(folder, 'base');
    const release = join(folder, 'release');
    const stored = ['driver = "vfs"', `graphroot = "${storage}"`, `runroot = "${storage}-run"`];
    writeFileSync(join(folder, 'storage.conf'), `[storage]\n${stored.join('\n')}\n`);
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
    for (const place of ['proc', 'dev', account]) {
      mkdirSync(join(files, place), { recursive: true });
    }
  }, 600_000);
  afterAll(async () => {
    await buildah('rm', '--all');
    rmSync(folder, { recursive: true, force: true });
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

  test('holds the executable, its libraries and who runs it, and nothing else', () => {
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
    const secret = join(folder, 'account');
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
}
