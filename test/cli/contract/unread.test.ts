import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commands } from '../../../src/commands/index.ts';
import { discoveryOf } from '../../support/discovery-answers.ts';
import { writeKubeconfig } from '../../support/kubeconfig.ts';
import { mockHttpServer } from '../../support/mock-cluster.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What was not read is never nothing: each command that counts, beside each way in which a part may not be read. */
const folder = temporaryFolder('unread');

const objects: Readonly<Record<string, readonly object[]>> = {
  namespaces: ['default', 'kube-system', 'shop'].map((name) => ({
    metadata: { name, uid: `of-${name}` },
  })),
  configmaps: [{ metadata: { name: 'plain', namespace: 'shop', uid: 'of-plain' } }],
  pods: [],
  nodes: [],
  services: [],
};
const discovery: Readonly<Record<string, object>> = discoveryOf(
  ...['Pod', 'ConfigMap', 'Namespace', 'Node', 'Service'],
);

type Refusal = (path: string) => number | undefined;
const isList = (path: string, kind: string) => new RegExp(`/${kind}(\\?|$)`).test(path);
const isAnyList = (path: string) => /\/[a-z]+s(\?|$)/.test(path);
/** Which requests are refused, and how. */
const conditions: Readonly<Record<string, Refusal>> = {
  'nothing but get': (path) => (isAnyList(path) ? 403 : undefined),
  'a role in one namespace': (path) =>
    isAnyList(path) && !path.includes('/namespaces/shop/') ? 403 : undefined,
  'one kind that may not be listed': (path) => (isList(path, 'pods') ? 403 : undefined),
  'one kind that the server cannot list': (path) => (isList(path, 'pods') ? 501 : undefined),
  'one API that is down': () => undefined,
};
const apiDown = {
  kind: 'APIGroupDiscoveryList',
  items: [
    { metadata: { name: 'apps' }, versions: [] },
    {
      metadata: { name: 'toys.example.com' },
      versions: [{ version: 'v1', freshness: 'Stale', resources: [] }],
    },
  ],
};
/** Half of a cluster: what it does not show may be there. */
const half = join(folder, 'half.yaml');
writeFileSync(
  half,
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, uid: of-a}\n',
);

let refuse: Refusal = () => undefined;
let isApiDown = false;
const server = await mockHttpServer(answer);
afterAll(() => server.close());

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [status, body] = replyTo(url);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function replyTo(url: string): readonly [status: number, body: object] {
  const [path = ''] = url.split('?');
  const known = isApiDown && path === '/apis' ? apiDown : discovery[path];
  if (known) return [200, known];
  const failure = { kind: 'Status', apiVersion: 'v1', status: 'Failure' };
  const refused = refuse(url);
  if (refused !== undefined) {
    return [refused, { ...failure, message: `refused with ${refused}`, code: refused }];
  }
  const name = path.split('/').at(-1) ?? '';
  const items = objects[name];
  if (items) {
    const head = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
    return [200, { ...head, metadata: { resourceVersion: '1' }, items }];
  }
  const details = { name, kind: 'namespaces' };
  return [404, { ...failure, reason: 'NotFound', message: 'not found', details, code: 404 }];
}

const kubeconfig = { server: server.url };
const env = {
  NO_COLOR: '1',
  KUBECONFIG: writeKubeconfig(join(folder, 'kubeconfig'), kubeconfig, { token: 't' }),
};

/** What counts objects, with the code of an answer that is not complete; undefined: it counts none, or writes. */
const counting: Readonly<
  Record<keyof typeof commands, readonly [line: string, code: number] | undefined>
> = {
  ...(Object.fromEntries(Object.keys(commands).map((id) => [id, undefined])) as Record<
    keyof typeof commands,
    undefined
  >),
  status: ['status', 0],
  orphans: ['orphans -A', 0],
  'invalid-ownerrefs': ['invalid-ownerrefs -A', 0],
  why: ['why -A', 0],
  forecast: ['forecast', 0],
  'podgc-preview': ['podgc-preview', 0],
  audit: ['audit -A --no-config', 3],
};

/** Said without a word of what was not read. */
const allClear =
  /^(.* {2})?(none|nothing( is)?( being)? ?\w*)$|\bNo (?!.*in what could be read)[a-z -]+ found\b/m;

const lines = Object.values(counting).filter((one) => one !== undefined);
const apiIsDown = 'one API that is down';
/** Pods and Nodes are of another API, and that one is down is a finding of an audit. */
const other = ['podgc-preview', 'audit -A --no-config'];
const cases = Object.keys(conditions).flatMap((condition) =>
  lines
    .filter(([line]) => condition !== apiIsDown || !other.includes(line))
    .map((one) => [condition, ...one] as const),
);

async function expectIncomplete(line: string, code: number): Promise<void> {
  const coloured = await gcHere(`${line} --color=always`, { ...env, FORCE_COLOR: '1' });
  const plain = await gcHere(line, env);
  const json = await gcHere(`${line} -o json`, env);
  expect([plain.code, json.code], plain.stderr).toEqual([code, code]);
  expect(`${plain.stdout}\n${plain.stderr}`).not.toMatch(allClear);
  expect(coloured.stdout).not.toContain('\u001b[32m');
  const { coverage } = JSON.parse(json.stdout);
  expect([coverage.complete, coverage.problems.length > 0]).toEqual([false, true]);
}

test.each(cases)('%s: %s is incomplete, and calls nothing clear', async (name, line, code) => {
  refuse = conditions[name] ?? refuse;
  isApiDown = name === apiIsDown;
  await expectIncomplete(line, code);
});

/** An audit of files is about what they hold, and is complete where it could judge all of that. */
test.each(lines.filter(([line]) => !line.startsWith('audit')))(
  'of files that hold a part of a cluster, %s is incomplete, and calls nothing clear',
  async (line, code) => expectIncomplete(`${line} --from ${half}`, code),
);

test.each(lines)('in a namespace that does not exist, %s is refused', async (line) => {
  refuse = () => undefined;
  isApiDown = false;
  const { code, stdout, stderr } = await gcHere(`${line.replace(' -A', '')} -n nosuch`, env);
  expect([code, stdout, stderr.includes('namespaces "nosuch" not found')]).toEqual([3, '', true]);
});

test('where everything can be read, a zero is a zero', async () => {
  refuse = () => undefined;
  isApiDown = false;
  const { stderr } = await gcHere('orphans -A', env);
  expect(stderr).toBe('No orphans found.\n');
  const { stdout } = await gcHere('status --color=always', { ...env, FORCE_COLOR: '1' });
  expect(stdout).toContain('\u001b[32m');
});
