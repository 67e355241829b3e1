import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilGone } from '../support/eventually.ts';
import { bind, permit } from '../support/permissions.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground, referenceTo } from './delete-playground.ts';

/** What could not be read is unknown, in previews, questions, deletions and backups. */
const plane = sharedControlPlane();
const { run, familyIn, namesIn, grant, remove, folder, env } = playground(plane);
afterAll(remove);

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

describe('a backup that cannot be written', () => {
  test('on a disk that is full leaves nothing behind, and nothing is sent', async () => {
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
});

describe('roles of Kubernetes', () => {
  let path: string;
  beforeAll(async () => {
    path = await familyIn('unread-roles');
    // Whoever brings a kind gives it to the roles; the kinds of these tests are in none.
    const groups = await plane.get<{ groups: { name: string }[] }>('/apis');
    const custom = groups.groups.map(({ name }) => name).filter((name) => name.endsWith('.com'));
    const rules = [{ apiGroups: custom, resources: ['*'], verbs: ['get', 'list', 'watch'] }];
    for (const role of ['admin', 'edit']) {
      await bind(plane, `${role}-user`, 'ClusterRole', role, 'unread-roles');
      await permit(plane, `${role}-user`, rules, 'unread-roles');
    }
  });

  test.each([
    ['edit', 'right', ['bottom', 'left', 'top']],
    ['admin', 'top', []],
  ])(
    '%s may delete without being told to be blind, and one line says what is not seen',
    async (role, name, left) => {
      const { code, stdout, stderr } = await run(`cm/${name} -n unread-roles --as ${role}-user`);
      expect(stderr).toMatch(
        /^Note: [a-z0-9., ]*podtemplates[a-z0-9., ]* may neither be listed nor created: they are not looked at$/m,
      );
      expect(stderr).not.toMatch(/Warning: .*(cannot|may not) list/);
      const done = `configmap "${name}" deleted from unread-roles namespace\n`;
      expect([code, stdout]).toEqual([0, done]);
      expect(await namesIn(path)).toEqual(left);
    },
    60_000,
  );
});

test('an editor who does not say yes deletes no custom resource whose operator may have made Roles for it', async () => {
  await plane.make('Widget unread-roles/lever');
  const { code, stderr } = await run('widgets/lever -n unread-roles --as edit-user');
  expect(stderr).toMatch(/^error: not everything that would be deleted could be read/m);
  expect(stderr).toMatch(
    /edit-user may not list rolebindings\.\S+ and roles\.\S+ in namespace unread-roles/,
  );
  expect(code).toBe(3);
});
