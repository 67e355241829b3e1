import { cpSync, mkdirSync } from 'node:fs';
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
  expect([code, stderr.split('\n')[0]]).toEqual([
    3,
    `error: nothing could be read from ${missing}: it does not exist`,
  ]);
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
      `error: cannot write ${home}/a.json: the file system is read-only`,
    ]);
  });

  test('the Tab key works', async () => {
    expect((await readOnly('__complete owne')).stdout).toMatch(/^owners\t/);
  });
});

describe('a user without a home', () => {
  test('is told which kubeconfig was looked for', async () => {
    const { code, stderr } = await gc('tree pod/a', { env: { HOME: '' } });
    expect([code, stderr.split('\n')[1]]).toEqual([
      3,
      expect.stringContaining('No kubeconfig names a server (looked in '),
    ]);
  });

  test('has the Tab key', async () => {
    expect((await gc('__complete owne', { env: { HOME: '' } })).stdout).toMatch(/^owners\t/);
  });
});
