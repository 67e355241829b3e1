import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Run, root } from '../support/command-line.ts';
import { bin, gc, mounted } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

const cluster = join(root, 'test/fixtures/clusters/orphaned-replicaset.yaml');

test('files and folders with spaces and signs in their names are read, and named as they are', async () => {
  const odd = join(folder, `it's a "path" with $PATH & ünïcode`);
  mkdirSync(odd);
  cpSync(cluster, join(odd, 'a b.yaml'));
  const plain = await gc(['orphans', '-A', '-o', 'name', '--from', cluster]);
  for (const path of [odd, join(odd, 'a b.yaml')]) {
    expect(await gc(['orphans', '-A', '-o', 'name', '--from', path])).toEqual(plain);
  }
  const missing = join(odd, 'no such file.yaml');
  const { code, stderr } = await gc(['orphans', '-A', '--from', missing]);
  expect([code, stderr.split('\n')[0]]).toEqual([3, expect.stringContaining(` ${missing}: `)]);
  const saved = join(odd, 'a snapshot.json.gz');
  expect((await gc(['snapshot', 'save', saved, '--from', cluster])).code).toBe(0);
  expect((await gc(['orphans', '-A', '-o', 'name', '--from', saved])).stdout).toBe(plain.stdout);
});

describe('where nothing can be written', () => {
  const home = join(folder, 'read-only');
  beforeAll(() => mkdirSync(home));

  /** Runs a command line in a namespace of its own, whose home, state and temporary folder are read-only. */
  function readOnly(line: string): Promise<Run> {
    const script = `mount -t tmpfs -o ro none '${home}' && exec '${process.execPath}' '${bin}' ${line}`;
    const places = { HOME: home, TMPDIR: home, XDG_CACHE_HOME: home };
    return mounted(script, { env: { ...places, KUBECTL_GC_BACKUP_DIR: join(home, 'backups') } });
  }

  test('questions are answered as elsewhere', async () => {
    const line = `orphans -A --from ${cluster}`;
    expect(await readOnly(line)).toEqual(await gc(line));
  });

  test('a snapshot that cannot be saved is an error: 3', async () => {
    const { code, stdout, stderr } = await readOnly(
      `snapshot save ${home}/a.json --from ${cluster}`,
    );
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([
      3,
      '',
      expect.stringMatching(/\/a\.json: .* read-only$/),
    ]);
  });

  test('the Tab key works', async () => {
    expect((await readOnly('__complete owne')).stdout).toMatch(/^owners\t/);
  });
});

test('the error for a user without a home names the missing kubeconfig', async () => {
  const { code, stderr } = await gc('tree pod/a', { env: { HOME: '' } });
  expect([code, stderr.split('\n')[1]]).toEqual([
    3,
    expect.stringContaining('No kubeconfig names a server (looked in '),
  ]);
});

/** Without HOME, Node fails as it does for a user whom /etc/passwd does not know. */
const preload = join(folder, 'no-home.cjs');
writeFileSync(
  preload,
  `const os = require('node:os');
   const { homedir } = os;
   delete process.env.HOME;
   os.homedir = () => {
     if (process.env.HOME === undefined) throw new Error('uv_os_homedir returned ENOENT');
     return homedir();
   };`,
);
const homeless = { NODE_OPTIONS: `--require=${preload}`, KUBECTL_GC_BACKUP_DIR: '' };

test.each([
  'audit --from examples/clusters/shop.json.gz',
  'owners deployment/web -n shop --from examples/clusters/shop.json.gz',
  'deleted -A --audit-log examples/audit/shop.log.gz',
])('%s needs no home', async (line) => {
  expect(await gc(line, { env: homeless })).toEqual(await gc(line));
});

test('backups says what to do where there is no home', async () => {
  expect(await gc('backups', { env: homeless })).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: there is no folder for backups: this user has no home
  Set KUBECTL_GC_BACKUP_DIR to a folder.
`,
  });
});

test('a home that does not exist is not made', async () => {
  const home = join(folder, 'nobody');
  const line = 'owners deployment/web -n shop --from examples/clusters/shop.json.gz';
  expect(await gc(line, { env: { HOME: home, XDG_CACHE_HOME: '' } })).toEqual(await gc(line));
  expect(existsSync(home)).toBe(false);
});
