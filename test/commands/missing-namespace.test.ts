import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/commands/index.ts';
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

/** How each command asks about namespace `ghost`, which does not exist, and of which the input has a Pod; or why it cannot. */
const asked: Readonly<Record<string, string | { readonly not: string }>> = {
  status: 'status',
  owners: 'owners pod/web',
  tree: 'tree pod/web',
  view: { not: 'it serves a page until it is ended' },
  orphans: 'orphans',
  'invalid-ownerrefs': 'invalid-ownerrefs',
  delete: 'delete pod/web --preview',
  deleted: { not: 'what was deleted may have been in a namespace that was deleted, too' },
  restore: { not: 'it restores to a cluster' },
  backups: { not: 'it reads backups' },
  simulate: 'simulate pod/web',
  'podgc-preview': 'podgc-preview',
  forecast: 'forecast',
  images: { not: 'it is about Nodes' },
  containers: { not: 'it is about Nodes' },
  'run-controllers': { not: 'it acts on a cluster' },
  why: 'why pod/web',
  settings: { not: 'it is about the control plane' },
  audit: 'audit --no-config --fail-on never --allow-incomplete',
  report: { not: 'it is about a whole cluster' },
  completion: { not: 'it prints a script' },
  mcp: { not: 'it serves until it is ended' },
  policies: { not: 'it prints policies' },
  guard: { not: 'it serves until it is ended' },
  rbac: { not: 'it prints roles' },
  'snapshot:save': 'snapshot save FOLDER/part.json',
  'snapshot:info': { not: 'it is about a whole snapshot' },
  'snapshot:diff': 'snapshot diff FOLDER/input.json FOLDER/input.json',
  'snapshot:export': { not: 'it is about a whole snapshot' },
  options: { not: 'it prints flags' },
  version: { not: 'it prints a version' },
};

test('the command line of every command is known', () => {
  expect(Object.keys(asked).sort()).toEqual(Object.keys(commands).sort());
});

test.each(Object.values(asked).filter((line) => typeof line === 'string'))(
  'objects in a namespace that does not exist are called so by %s',
  async (line) => {
    const folder = temporaryFolder();
    const object = (kind: string, metadata: object) => ({ apiVersion: 'v1', kind, metadata });
    const items = [
      object('Namespace', { name: 'default', uid: 'uid-default' }),
      object('Pod', { name: 'web', namespace: 'ghost', uid: 'uid-web' }),
    ];
    const input = join(folder, 'input.json');
    writeFileSync(input, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const from = line.includes('input.json') ? '' : `--from ${input}`;
    const call = `${line.replaceAll('FOLDER', folder)} -n ghost --complete ${from}`;
    const { code, stderr } = await gcHere(call.trim());
    expect([code, stderr.includes('namespaces "ghost" not found')]).toEqual([0, true]);
  },
);
