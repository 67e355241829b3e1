import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeKubeconfig } from '../support/kubeconfig.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
let server: Server;
let address = '';

interface Status {
  readonly code: number;
  readonly type: string;
  readonly body: string;
}

const status = (code: number, reason: string, message: string): Status => ({
  code,
  type: 'application/json',
  body: JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason,
    message,
    code,
  }),
});

/** What the server behind each path answers, whatever is asked. */
const answers: Readonly<Record<string, Status>> = {
  expired: status(401, 'Unauthorized', 'Unauthorized'),
  nothing: status(403, 'Forbidden', 'forbidden: User "bob" cannot get path "/api"'),
  login: { code: 200, type: 'text/html', body: '<html>Please log in</html>' },
  broken: { code: 500, type: 'text/plain', body: 'etcd is on fire' },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = answers[request.url?.split('/')[1] ?? ''];
    response.writeHead(answer?.code ?? 404, { 'content-type': answer?.type });
    response.end(answer?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function kubeconfig(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const config = kubeconfig('config', {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'gone', cluster: { server: 'http://127.0.0.1:1' } }],
  contexts: [
    { name: 'gone', context: { cluster: 'gone' } },
    { name: 'half', context: { cluster: 'nowhere' } },
  ],
  'current-context': 'gone',
});
/** A kubeconfig of one server, whose user logs in as that. */
const oneServer = (name: string, server: string, user: object = {}) =>
  writeKubeconfig(join(folder, name), { server }, user);
const dropped = (name: string) =>
  oneServer(name, 'https://127.0.0.1:1', { 'auth-provider': { name, config: {} } });
const invalid = kubeconfig('invalid', 'clusters: [\n');

/** Ten levels of ten aliases each. */
const aliasBomb = Array.from({ length: 10 }, (_, level) =>
  level === 0
    ? 'a0: &a0 [x]\n'
    : `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(',')}]\n`,
).join('');

const expired = `error: could not find out which kinds SERVER/expired serves: the server has asked for the client to provide credentials (HTTP 401)
  Log in again: the token or certificate may have expired.
  Check who you are: kubectl auth whoami --server SERVER/expired --token=TOKEN`;
const refused = 'Check the host and port, and that the server is running.';

/** Command line, exit code, what is said: `SERVER` stands for the address above. */
const cases: readonly [string, string, number, string][] = [
  [
    'a kubeconfig that is not there',
    `orphans --kubeconfig ${folder}/none`,
    3,
    `error: kubeconfig ${folder}/none does not exist
  Name an existing file with --kubeconfig, or leave the flag out to use $KUBECONFIG or ~/.kube/config.`,
  ],
  [
    'no kubeconfig at all',
    'tree pod/a',
    3,
    `error: could not reach the API server http://localhost:8080: the connection was refused
  No kubeconfig names a server (looked in /nonexistent/.kube/config), so kubectl's default was tried: pass --kubeconfig or --server, or work offline.
  ${refused}`,
  ],
  [
    'a kubeconfig that is no YAML',
    `owners pod/a --kubeconfig ${invalid}`,
    2,
    `error: kubeconfig ${invalid} cannot be used: it is invalid YAML: a missing quote, bracket, comma, colon or space
  Correct the file, or name another one with --kubeconfig.`,
  ],
  [
    'a kubeconfig with an alias that leads nowhere',
    `owners pod/a --kubeconfig ${kubeconfig('alias', 'clusters: [*nothing]\n')}`,
    2,
    `error: kubeconfig ${folder}/alias cannot be used: it is invalid YAML: an alias without its anchor
  Correct the file, or name another one with --kubeconfig.`,
  ],
  [
    'a kubeconfig whose aliases would grow beyond measure',
    `owners pod/a --kubeconfig ${kubeconfig('bomb', aliasBomb)}`,
    2,
    `error: kubeconfig ${folder}/bomb cannot be used: it is YAML whose aliases expand too far
  Correct the file, or name another one with --kubeconfig.`,
  ],
  [
    'a context that is not there',
    `snapshot save - --kubeconfig ${config} --context production`,
    2,
    'error: context "production" does not exist in the kubeconfig\n  Choose one of: gone, half.',
  ],
  [
    'a context whose cluster is not there',
    `orphans --kubeconfig ${config} --context half`,
    2,
    'error: cluster "nowhere" does not exist in the kubeconfig\n  Choose one of: gone.',
  ],
  [
    'a server that does not answer',
    `invalid-ownerrefs -A --kubeconfig ${config}`,
    3,
    `error: could not reach the API server http://127.0.0.1:1: the connection was refused
  ${refused}`,
  ],
  [
    'a host that does not exist',
    'orphans -s https://api.invalid',
    3,
    `error: could not reach the API server https://api.invalid: its host name cannot be resolved
  Check the host name, the network and the VPN.`,
  ],
  [
    'an address with a password that cannot be used',
    `orphans -A --kubeconfig ${oneServer('address', 'https://admin:s3cret@host:99999')}`,
    2,
    `error: the server's address "https://host:99999" is not an http or https address
  Write it as https://host:port in the kubeconfig or in --server.`,
  ],
  ...[
    ['gcp', 'gke-gcloud-auth-plugin'],
    ['azure', 'kubelogin'],
  ].map(([name = '', plugin]): [string, string, number, string] => [
    `the auth-provider ${name}, which kubectl dropped`,
    `owners pod/a --kubeconfig ${dropped(name)}`,
    3,
    `error: the kubeconfig's auth-provider "${name}" is not known
  Use the exec credential plugin ${plugin}, as for kubectl since v1.26.`,
  ]),
  ['an expired token', 'orphans -A -s SERVER/expired --token old', 3, expired],
  ['an expired token, for owners', 'owners pod/a -s SERVER/expired --token old', 3, expired],
  [
    'no permission to discover',
    'orphans -A -s SERVER/nothing',
    3,
    `error: could not find out which kinds SERVER/nothing serves: forbidden: User "bob" cannot get path "/api" (HTTP 403)
  Ask an administrator for the missing permission.
  To see what is permitted: kubectl auth can-i --list --server SERVER/nothing`,
  ],
  [
    'a login page',
    'tree pod/a -s SERVER/login',
    3,
    `error: the server at SERVER/login does not answer as a Kubernetes API server: /api: the answer is not JSON
  Check the server's address; a proxy in front of it may require a login.`,
  ],
  [
    'a server that fails',
    'snapshot save - -s SERVER/broken',
    3,
    `error: could not find out which kinds SERVER/broken serves: etcd is on fire (HTTP 500)
  Try again later.`,
  ],
];

describe('a cluster that cannot be asked is told on stderr alone', () => {
  test.each(cases)('%s', async (_, line, code, stderr) => {
    const run = await gc(line.replace('SERVER', address));
    expect({ ...run, stderr: run.stderr.replaceAll(address, 'SERVER') }).toEqual({
      code,
      stdout: '',
      stderr: `${stderr}\n`,
    });
  });
});
