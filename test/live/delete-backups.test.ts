import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { untilGone } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground, referenceTo } from './delete-playground.ts';

/** Backups of deletions: one that only a key opens, one with holes, and one that cannot be written. */
const plane = sharedControlPlane();
const { run, familyIn, namesIn, grant, folder, env, remove } = playground(plane);
const core = '/api/v1/namespaces/sealed';
const password = Buffer.from('correct horse battery staple').toString('base64');
const identity = join(folder, 'identity.txt');
const recipients = join(folder, 'recipients.txt');

interface Secret extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

beforeAll(async () => {
  const key = await generateX25519Identity();
  writeFileSync(identity, `# mine\n${key}\n`);
  writeFileSync(recipients, `# the team\n${await identityToRecipient(key)}\n`);
  await plane.make('Namespace sealed');
});
afterAll(async () => {
  await plane.remove('/api/v1/namespaces/sealed');
  await remove();
});

test('an owned Secret is deleted, is nowhere in its backup in plain text, and is restored with the key', async () => {
  const made = await plane.make('ConfigMap sealed/top');
  await plane.create(`${core}/secrets?fieldManager=pipeline`, {
    metadata: { name: 'key', ownerReferences: [referenceTo(made)] },
    data: { password },
  });
  const backup = join(folder, 'sealed');
  const recipient = readFileSync(recipients, 'utf8').trim().split('\n').at(-1);
  const line = `configmap/top -n sealed --yes --backup ${backup} --backup-recipient`;
  const refused = await run(`${line} age1wrong`);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect((await plane.request(`${core}/secrets/key`)).status).toBe(200);

  const deleted = await run(`${line} ${recipient}`);
  expect([deleted.code, deleted.stderr], deleted.stderr).toEqual([
    0,
    expect.stringContaining(`Encrypted backup of 2 objects: ${backup}\n`),
  ]);
  expect(deleted.stderr).toContain(`kubectl gc restore --identity KEY_FILE ${backup}\n`);
  await untilGone(plane, `${core}/secrets/key`);
  const files = readdirSync(backup, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(files.map((path) => path.slice(backup.length + 1)).sort()).toEqual([
    'backup.json',
    'objects/sealed/configmaps/top.yaml.age',
    'objects/sealed/secrets/key.managers.json.age',
    'objects/sealed/secrets/key.yaml.age',
  ]);
  for (const path of files) {
    const content = readFileSync(path);
    expect(
      [password, 'battery'].filter((one) => content.includes(one)),
      path,
    ).toEqual([]);
  }

  const restored = await gc(`restore ${backup} --yes --identity ${identity}`, { env });
  expect(restored.code, restored.stderr).toBe(0);
  const top = await plane.get('ConfigMap sealed/top');
  const { data, metadata } = await plane.get<Secret>(`${core}/secrets/key`);
  expect([data, metadata.ownerReferences]).toEqual([{ password }, [referenceTo(top)]]);
  const managers = metadata.managedFields as { manager: string }[];
  expect(managers.map(({ manager }) => manager)).toEqual(['pipeline']);
});

test('a backup with holes says so before anything is sent, in its index, and when it is restored', async () => {
  const path = await familyIn('unread-secrets');
  const ownerReferences = [referenceTo(await plane.get(`${path}/top`))];
  await plane.make('Secret unread-secrets/owned', { metadata: { ownerReferences } });
  await grant('unread-secrets', 'sightless', ['get', 'list', 'watch', 'delete'], ['configmaps']);
  const backup = join(folder, 'with-holes');
  const line = `cm/top -n unread-secrets --as sightless --yes --backup ${backup}`;
  const { code, stderr } = await run(line);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^Warning: sightless may not list \d+ kinds in namespace unread-secrets, secrets/m,
  );
  expect(stderr).toMatch(
    /^Backup of 4 objects: .*with-holes\nWarning: it is incomplete: .* could not be read, and those that are deleted are not in it$/m,
  );
  await untilGone(plane, 'Secret unread-secrets/owned');
  const index = JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8'));
  expect(index.problems).toEqual([]);
  expect(index.unread).toContainEqual(
    expect.objectContaining({ reason: 'forbidden', resource: 'secrets' }),
  );
  const listed = JSON.parse((await gc(`backups ${folder} -o json`, { env })).stdout);
  expect(listed.items.find((item: { path: string }) => item.path === backup)).toMatchObject({
    state: 'whole',
    cluster: index.cluster,
    objects: 4,
    kinds: [{ kind: 'ConfigMap', objects: 4 }],
    holes: index.unread.map(({ message }: { message: string }) => message),
  });
  const restored = await gc(`restore ${backup} --yes`, { env });
  expect(restored.stderr).toMatch(
    /^Warning: not in the backup: cannot list secrets in unread-secrets/m,
  );
  expect(restored.stdout + restored.stderr).toMatch(/4 created/);
  expect((await namesIn(path)).sort()).toEqual(['bottom', 'left', 'right', 'top']);
});

test('a backup on a disk that is full leaves nothing behind, and nothing is sent', async () => {
  const path = await familyIn('unread-full');
  const disk = join(folder, 'disk');
  const data = { blob: 'x'.repeat(200_000) };
  await plane.patch(`${path}/bottom`, { data });
  await plane.patch(`${path}/right`, { data });
  mkdirSync(disk);
  // A file system of 256 KiB, in a mount namespace of its own.
  const script = [
    `mount -t tmpfs -o size=256k tmpfs ${disk}`,
    `node bin/kubectl-gc.cjs delete cm/top -n unread-full --yes --backup ${disk}/kept`,
    'echo "exit code $?"',
    `ls -A ${disk}`,
  ].join('; ');
  const { stdout, stderr } = spawnSync('unshare', ['-Urm', 'sh', '-c', script], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  expect(stdout).toBe('exit code 3\n');
  expect(stderr).toMatch(
    /^error: cannot write the backup .*\/kept: no space is left on the device$/m,
  );
  expect(await namesIn(path)).toHaveLength(4);
});
