import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { writeKubeconfig } from '../support/kubeconfig.ts';
import { type MockServer, mockHttpServer } from '../support/mock-cluster.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** kubectl's flags that are not about a connection. */
const folder = temporaryFolder();
const example = '--from examples/clusters/shop.json.gz';
let server: MockServer;
let gitVersion = '';
let warnings: string[] = [];

beforeAll(async () => {
  server = await mockHttpServer(({ url, method }, response) => {
    response.setHeader('content-type', 'application/json');
    if (method === 'DELETE') response.setHeader('warning', warnings);
    response.end(JSON.stringify(url === '/version' ? { gitVersion } : { kind: 'Status' }));
  });
});
afterAll(() => server.close());

/** That every command takes them stands in test/fixtures/expected/command-line.txt. */
test('global flags with valid values do not change the output', async () => {
  const line = `orphans -A -o name ${example}`;
  const kuberc = join(folder, 'empty');
  writeFileSync(kuberc, '');
  const others = `--cache-dir ${folder} --vmodule=a=1 --log-flush-frequency 1s --kuberc ${kuberc}`;
  expect(await gcHere(`${others} ${line} --match-server-version --warnings-as-errors`)).toEqual(
    await gcHere(line),
  );
});

describe('--match-server-version', () => {
  test.each(['v1.36.3', 'v1.36.0', 'v1.35.9-gke.100', 'v1.34.4+k3s1', 'v1.37.0', 'v1.33.1'])(
    'takes %s',
    async (version) => {
      gitVersion = version;
      const { code } = await gcHere(`delete --raw /x --match-server-version -s ${server.url}`);
      expect([code, server.take().map(({ path }) => path)]).toEqual([0, ['/version', '/x']]);
    },
  );

  test.each([
    ['v1.32.13', "the server's version v1.32.13"],
    ['1', "the server's version 1"],
  ])('refuses %s before any request', async (version, message) => {
    gitVersion = version;
    const { code, stdout, stderr } = await gcHere(
      `delete --raw /x --match-server-version -s ${server.url}`,
    );
    expect([code, stdout, server.take().map(({ path }) => path)]).toEqual([3, '', ['/version']]);
    expect(stderr).toContain(`error: ${message}`);
  });

  test('is not asked for where it is not given', async () => {
    await gcHere(`delete --raw /x --match-server-version=false -s ${server.url}`);
    expect(server.take().map(({ path }) => path)).toEqual(['/x']);
  });
});

describe('warnings of the server', () => {
  const line = () => `delete --raw /x -s ${server.url}`;

  test('are printed, each once', async () => {
    warnings = ['299 - "it is \\"old\\""', '299 - "it is \\"old\\"", 299 k8s "and will go"'];
    const { code, stderr } = await gcHere(line());
    expect([code, stderr]).toEqual([0, 'Warning: it is "old"\nWarning: and will go\n']);
  });

  test('are errors with --warnings-as-errors, in the words of kubectl', async () => {
    warnings = ['299 - "old"'];
    const one = await gcHere(`${line()} --warnings-as-errors`);
    expect([one.code, one.stderr.split('\n').slice(0, 2)]).toEqual([
      3,
      ['Warning: old', 'error: 1 warning received'],
    ]);
    warnings = ['299 - "old"', '299 - "older"'];
    const two = await gcHere(`${line()} --warnings-as-errors`);
    expect([two.code, two.stderr]).toEqual([
      3,
      expect.stringContaining('\nerror: 2 warnings received\n'),
    ]);
    warnings = [];
    expect((await gcHere(`${line()} --warnings-as-errors`)).code).toBe(0);
  });
});

/** What it says where it is named stands in test/fixtures/transcripts/connections.txt. */
test.each([
  ['is broken', 'a: ['],
  // kubectl decodes each document as an object (decodePreference, pkg/kuberc/marshal.go).
  [
    'is an array',
    '[{apiVersion: kubectl.config.k8s.io/v1beta1, kind: Preference, credentialPluginPolicy: DenyAll}]',
  ],
])(
  'a kuberc that %s and that nobody named lets plugins run, with a warning',
  async (_, content) => {
    const home = join(folder, 'home');
    mkdirSync(join(home, '.kube'), { recursive: true });
    const file = join(home, '.kube', 'kuberc');
    writeFileSync(file, content);
    vi.stubEnv('HOME', home);
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'my-login',
      interactiveMode: 'Never',
    };
    const kubeconfig = writeKubeconfig(
      join(folder, 'config'),
      { server: 'https://127.0.0.1:1' },
      { exec },
    );
    const { stderr } = await gcHere(`delete --raw /x --kubeconfig ${kubeconfig}`);
    expect(stderr).toMatch(new RegExp(`^Warning: .* ${file}: `));
    expect(stderr).not.toContain('may not run');
  },
);
