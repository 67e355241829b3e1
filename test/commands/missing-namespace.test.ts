import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const shop = '--from examples/clusters/shop.json.gz';
const missing = 'namespaces "nosuch" not found';

describe('a namespace that does not exist', () => {
  test.each([
    'status',
    'orphans',
    'audit --no-config',
    'invalid-ownerrefs',
    'forecast',
    'podgc-preview',
    'why',
    'tree configmaps',
    'tree configmap/x',
    'owners configmap/x',
    'why configmap/x',
  ])('is refused by %s', async (command) => {
    const { code, stdout, stderr } = await gcHere(`${command} -n nosuch ${shop}`);
    expect([code, stdout, stderr.includes(missing)]).toEqual([3, '', true]);
    const everywhere = await gcHere(`${command} -n default ${shop}`);
    expect(everywhere.stderr).not.toContain('namespaces "');
  });

  test('is refused by snapshot save, which writes no file', async () => {
    const folder = temporaryFolder();
    const { code, stderr } = await gcHere(
      `snapshot save ${join(folder, 'part.json')} -n nosuch ${shop}`,
    );
    expect([code, stderr.includes(missing), readdirSync(folder)]).toEqual([3, true, []]);
  });

  test('is refused by snapshot diff where neither snapshot has it', async () => {
    const folder = temporaryFolder();
    const later = join(folder, 'later.json');
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'nosuch', uid: 'of-nosuch', creationTimestamp: '2026-01-31T12:00:00Z' },
    };
    writeFileSync(later, JSON.stringify(namespace));
    const earlier = shop.replace('--from ', '');
    const both = await gcHere(`snapshot diff ${earlier} ${earlier} -n nosuch`);
    const one = await gcHere(`snapshot diff ${earlier} ${later} -n nosuch`);
    expect([both.code, both.stderr.includes(missing)]).toEqual([3, true]);
    expect([one.code, one.stderr.includes(missing)]).toEqual([0, false]);
  });

  test('is named by delete, which ends as kubectl does', async () => {
    const { code, stdout, stderr } = await gcHere(
      `delete configmaps --all --dry-run=client -n nosuch ${shop}`,
    );
    expect([code, stdout, stderr.includes(missing)]).toEqual([0, 'No resources found\n', true]);
  });
});

test.each([
  ['no Namespace', 'v1 ConfigMap', 'of-a'],
  ['a Namespace that is a manifest', 'v1 Namespace', undefined],
])('input with %s leaves namespaces unknown', async (_, kind, uid) => {
  const path = join(temporaryFolder(), 'input.json');
  const [apiVersion, name] = kind.split(' ');
  writeFileSync(path, JSON.stringify({ apiVersion, kind: name, metadata: { name: 'a', uid } }));
  const { code, stderr } = await gcHere(`orphans -n nosuch --from ${path}`);
  expect([code, stderr.includes(missing)]).toEqual([0, false]);
});
