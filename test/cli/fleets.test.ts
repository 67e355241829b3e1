import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';

/** Contexts whose servers refuse connections: what is refused before is told apart by its words. */
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-fleets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const dead = 'http://127.0.0.1:1';

/** A kubeconfig with a context for each name, all but those that `servers` names of their own dead server. */
function configWith(contexts: Readonly<Record<string, string>>): string {
  const path = join(folder, 'kubeconfig.json');
  const names = Object.entries(contexts);
  const config = {
    clusters: names.map(([name, server]) => ({ name, cluster: { server } })),
    contexts: names.map(([name]) => ({ name, context: { cluster: name } })),
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

const two = { eu: dead, us: `${dead}/us` };

async function run(line: string | readonly string[], contexts: Record<string, string> = two) {
  const { code, stdout, stderr } = await gcHere(line, {
    NO_COLOR: '1',
    KUBECONFIG: configWith(contexts),
  });
  return { code, stdout, lines: stderr.trimEnd().split('\n') };
}

const severalRefused =
  'error: --context "eu,us" names several clusters, and this question is put to one';

describe('a question that is put to one cluster refuses several contexts', () => {
  test.each([
    'tree cm/x',
    'owners cm/x',
    'invalid-ownerrefs -A',
    'podgc-preview',
    'images node-1',
    'containers --all',
    'settings',
    'simulate --delete cm/x',
    'delete cm/x --preview',
    'delete cm/x --yes',
    'why cm/x',
    'why --gc',
    'forecast --collector csr-cleaner --apply --dry-run=client',
    'audit --from examples/clusters/leftovers.yaml --against-cluster',
  ])('%s', async (line) => {
    const { code, stdout, lines } = await run(`${line} --context eu,us`);
    expect({ code, stdout, line: lines.join(' ').replace(/\s+/g, ' ') }).toMatchObject({
      code: 2,
      stdout: '',
      line: expect.stringContaining(severalRefused),
    });
  });
});

describe('what is wrong with the command line is refused before a cluster is asked', () => {
  test.each([
    { line: 'orphans --context eu,nowhere', says: 'context "nowhere" does not exist' },
    { line: 'orphans --context eu,', says: 'context "" does not exist' },
    { line: 'orphans --context eu,us --server https://x', says: '--server is for one cluster' },
    { line: 'orphans --context eu,us --token x', says: '--token is for one cluster' },
    {
      line: 'audit --context eu,us --baseline b.json',
      says: 'a baseline is for one cluster',
    },
    { line: 'snapshot save - --context eu,us', says: 'stdout takes one snapshot' },
    { line: 'orphans -l a=b=c --context eu,us', says: 'a=b=c' },
  ])('$line', async ({ line, says }) => {
    const { code, lines } = await run(line);
    expect([code, lines.join(' ').includes(says)], lines.join(' ')).toEqual([2, true]);
  });

  test('all, where the kubeconfig has no contexts', async () => {
    const { code, lines } = await run('orphans --context all', {});
    expect([code, lines[0]]).toEqual([2, 'error: context "all" does not exist in the kubeconfig']);
  });
});

test('a context whose name has a comma, or is all, is asked alone', async () => {
  for (const name of ['eu,us', 'all']) {
    const { code, stdout, lines } = await run(['orphans', '--context', name], {
      ...two,
      [name]: `${dead}/own`,
    });
    expect([code, stdout, lines[0]?.includes(`${dead}/own`)]).toEqual([3, '', true]);
  }
});

test('clusters that do not answer are all in the document, with their servers and reasons', async () => {
  const { code, stdout, lines } = await run('orphans -A -o json --context all', {
    ...two,
    twin: dead,
  });
  const { clusters, items } = JSON.parse(stdout);
  expect({ code, items, clusters }).toMatchObject({
    code: 3,
    items: [],
    clusters: [
      { context: 'eu', server: dead, status: 'not-read' },
      { context: 'twin', server: dead, status: 'not-read' },
      { context: 'us', server: `${dead}/us`, status: 'not-read' },
    ],
  });
  const said = lines.join(' ').replace(/\s+/g, ' ');
  expect(said).toContain(
    `These contexts are of one server, ${dead}, which is asked for each: eu, twin.`,
  );
  expect(said).toContain('Read 0 of 3 clusters; not read: eu, twin, us.');
  expect(said).toContain(`Warning: us: `);
});

test('a credential plugin that hangs is ended, and the other cluster is told apart', async () => {
  const path = configWith(two);
  const config = JSON.parse(readFileSync(path, 'utf8'));
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/bin/sh',
    args: ['-c', 'exec sleep 300'],
    interactiveMode: 'Never',
  };
  config.users = [{ name: 'hangs', user: { exec } }];
  config.contexts[1].context.user = 'hangs';
  config.clusters[1].cluster.server = 'https://127.0.0.1:1';
  writeFileSync(path, JSON.stringify(config));
  const line = 'orphans -A -o json --context eu,us --request-timeout 1s';
  const { code, stdout } = await gc(line, { env: { KUBECONFIG: path } });
  const { clusters } = JSON.parse(stdout);
  expect([code, clusters[0].failure.code, clusters[1].failure]).toEqual([
    3,
    'connection-refused',
    { code: 'login-timeout', message: 'the login did not end within 1 s' },
  ]);
});

test('snapshot save names files by their contexts, and says when one is of an earlier run', async () => {
  const saved = join(folder, 'saved');
  mkdirSync(saved);
  writeFileSync(join(saved, '%2E.%2Feu.json.gz'), '');
  const { code, lines } = await run(['snapshot', 'save', saved, '--force', '--context', 'all'], {
    '../eu': dead,
    us: dead,
  });
  expect([code, readdirSync(saved)]).toEqual([3, ['%2E.%2Feu.json.gz']]);
  expect(lines.join('').replace(/\s+/g, '')).toContain('%2E.%2Feu.json.gzisofanearlierrun');
});

test('snapshot save refuses contexts whose files some file systems would not tell apart', async () => {
  const { code, lines } = await run(['snapshot', 'save', folder, '--context', 'all'], {
    prod: dead,
    Prod: dead,
  });
  expect([code, lines[0]?.startsWith('error: the contexts Prod and prod differ only')]).toEqual([
    2,
    true,
  ]);
});
