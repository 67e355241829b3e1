import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { untilGone } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground, referenceTo } from './delete-playground.ts';

/** A Secret whose owner is deleted, and its backup, which only a key opens. */
const plane = sharedControlPlane();
const { run, folder, env, remove } = playground(plane);
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

test('an owned Secret is deleted, is nowhere in its backup in plain text, and comes back with the key', async () => {
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
