import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discoveryOf } from '../support/discovery-answers.ts';
import { mockHttpServer } from '../support/mock-cluster.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Contexts whose servers refuse connections: what is refused before is told apart by its words. */
const folder = temporaryFolder();

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
    'snapshot save clusters',
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
    { line: 'audit --context eu,us -o sarif', says: '-o sarif is for one cluster' },
    { line: 'orphans --context eu,us --sort-by .x', says: '--sort-by is for one cluster' },
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

test('what is wrong for every cluster is said of the first, with commands for that one', async () => {
  const answers = discoveryOf('ConfigMap');
  const server = await mockHttpServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers[url.startsWith('/apis') ? '/apis' : '/api']));
  });
  const contexts = { eu: server.url, us: server.url };
  const { code, lines } = await run('orphans nosuchkind --context eu,us', contexts);
  await server.close();
  expect([code, ...lines]).toEqual([
    2,
    expect.stringContaining('"nosuchkind"'),
    '  See: kubectl api-resources --context eu',
  ]);
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

test('clusters that do not answer are all in the document, with their reasons', async () => {
  const { code, stdout, lines } = await run('orphans -A -o json --context all');
  const { clusters, coverage } = JSON.parse(stdout);
  const failure = (server: string) => ({
    code: 'connection-refused',
    message: expect.stringContaining(server),
  });
  expect({ code, clusters, complete: coverage.complete }).toEqual({
    code: 3,
    clusters: [
      { context: 'eu', failure: failure(dead) },
      { context: 'us', failure: failure(`${dead}/us`) },
    ],
    complete: false,
  });
  expect(lines.join(' ').replace(/\s+/g, ' ')).toContain('Warning: us: ');
});
