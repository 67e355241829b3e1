import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { commands } from '../../../src/commands/index.ts';
import { discoveryOf } from '../../support/discovery-answers.ts';
import { writeKubeconfig } from '../../support/kubeconfig.ts';
import { mockHttpServer } from '../../support/mock-cluster.ts';
import { gcHere } from '../../support/run-here.ts';
import { shortened } from '../../support/short-waits.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What was not read is never nothing: each command that counts, beside each way in which a part may not be read. */
vi.mock('node:timers/promises', async (original) => shortened(await original()));

const folder = temporaryFolder('unread');

const objects: Readonly<Record<string, readonly object[]>> = {
  namespaces: ['default', 'kube-system', 'shop'].map((name) => ({
    metadata: { name, uid: `of-${name}` },
  })),
  configmaps: [{ metadata: { name: 'plain', namespace: 'shop', uid: 'of-plain' } }],
  pods: [],
  nodes: [],
  services: [],
  events: [],
};
const discovery: Readonly<Record<string, object>> = discoveryOf(
  ...['Pod', 'ConfigMap', 'Namespace', 'Node', 'Service', 'Event'],
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
  'one kind whose lists fail with 500': (path) => (isList(path, 'pods') ? 500 : undefined),
  'one kind whose lists are always answered with 429': (path) =>
    isList(path, 'pods') ? 429 : undefined,
  'one API that is down': () => undefined,
};
/** Which answers are refused at first, and how often. */
const passing: Readonly<Record<string, readonly [refuse: Refusal, times: number]>> = {
  'a server that answers with 429 for 7 s': [() => 429, 7],
  'a server that answers once with 500': [() => 500, 1],
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
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain, namespace: shop, uid: of-plain}\n',
);

const whole = 'examples/clusters/shop.json.gz';
const noNamespace = 'namespaces "nosuch" not found';

let refuse: Refusal = () => undefined;
let isApiDown = false;
/** Of the server, where it is another than that of discovery. */
let version: string | undefined;
/** How often each path was asked. */
let asked = new Map<string, number>();
const server = await mockHttpServer(answer);
afterAll(() => server.close());

function answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [status, body] = replyTo(url);
  const wait = status === 429 ? { 'retry-after': '1' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...wait });
  response.end(JSON.stringify(body));
}

function replyTo(url: string): readonly [status: number, body: object] {
  const [path = ''] = url.split('?');
  const known = isApiDown && path === '/apis' ? apiDown : discovery[path];
  if (path === '/version' && version) return [200, { gitVersion: version }];
  if (known) return [200, known];
  asked.set(url, (asked.get(url) ?? 0) + 1);
  const failure = { kind: 'Status', apiVersion: 'v1', status: 'Failure' };
  const refused = refuse(url);
  if (refused !== undefined) {
    return [refused, { ...failure, message: `refused with ${refused}`, code: refused }];
  }
  const [name = '', parent = ''] = path.split('/').reverse();
  const items = objects[name];
  if (items) {
    const head = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
    return [200, { ...head, metadata: { resourceVersion: '1' }, items }];
  }
  const one = path.includes('nosuch')
    ? undefined
    : objects[parent]?.find((object) => JSON.stringify(object).includes(`"${name}"`));
  if (one) return [200, { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', ...one }];
  const details = { name, kind: parent };
  return [404, { ...failure, reason: 'NotFound', message: 'not found', details, code: 404 }];
}

const kubeconfig = { server: server.url };
const env = {
  NO_COLOR: '1',
  KUBECONFIG: writeKubeconfig(join(folder, 'kubeconfig'), kubeconfig, { token: 't' }),
};

/** What counts objects, with the code of an answer that is not complete; else why a command does not. */
const counting: Readonly<Record<string, readonly [line: string, code: number] | string>> = {
  status: ['status', 0],
  orphans: ['orphans -A', 0],
  'invalid-ownerrefs': ['invalid-ownerrefs -A', 0],
  why: ['why -A', 0],
  forecast: ['forecast', 0],
  'podgc-preview': ['podgc-preview', 0],
  audit: ['audit -A --no-config', 3],
  tree: ['tree configmap/plain -n shop', 0],
  delete: ['delete configmap/plain -n shop --preview', 0],
  simulate: ['simulate configmap/plain -n shop', 0],
  deleted: ['deleted -A', 0],
  owners: 'asks for each object by its name, and lists nothing',
  'snapshot:diff': [`snapshot diff ${whole}`, 0],
  report: 'prints metrics, of which one says whether all could be read: below',
  'snapshot:save': 'saves what could be read, and what could not: below',
  'snapshot:info': 'reads files alone',
  'snapshot:export': 'reads files alone',
  restore: 'reads a backup, and asks for each object by its name',
  backups: 'reads files alone',
  settings: 'shows settings, and counts no objects',
  images: 'asks kubelets',
  containers: 'asks kubelets',
  view: 'serves what tree prints',
  mcp: 'serves the answers of other commands',
  guard: 'serves reviews, and refuses what it has not read',
  'run-controllers': 'acts on what it lists, and lists again what it could not',
  rbac: 'asks no cluster for objects',
  policies: 'asks no cluster',
  completion: 'asks no cluster',
  options: 'asks no cluster',
  version: 'asks no cluster for objects',
};

/** Said without a word of what was not read. */
const allClear =
  /^(.* {2})?(none|nothing( is)?( being)? ?\w*)$|\bNo (?!.*in what could be read)[a-z -]+ found\b/m;

const lines = Object.values(counting).filter((one) => typeof one !== 'string');
const apiIsDown = 'one API that is down';
/** Questions to which all could be read that they need, though something could not. */
const answeredWhole: Readonly<Record<string, readonly string[]>> = {
  // A ConfigMap, its owners and what it owns are all in its namespace.
  'a role in one namespace': [
    'tree configmap/plain -n shop',
    'delete configmap/plain -n shop --preview',
  ],
  // Pods and Nodes are of another API.
  [apiIsDown]: ['podgc-preview'],
};
const isWhole = (condition: string, line: string) =>
  answeredWhole[condition]?.includes(line) ?? false;
const cases = Object.keys(conditions).flatMap((condition) =>
  lines.map(([line, code]) => [condition, line, code] as const),
);
const [wholeCases, partCases] = [true, false].map((whole) =>
  cases.filter(([condition, line]) => isWhole(condition, line) === whole),
) as [typeof cases, typeof cases];

async function answersTo(line: string) {
  const coloured = await gcHere(`${line} --color=always`, { ...env, FORCE_COLOR: '1' });
  const plain = await gcHere(line, env);
  const json = await gcHere(`${line} -o json`, env);
  return { coloured, plain, json };
}

/** It answers as far as it could read, or that it could not read enough to answer. */
async function expectIncomplete(line: string, code: number): Promise<void> {
  const { coloured, plain, json } = await answersTo(line);
  expect(`${plain.stdout}\n${plain.stderr}`).not.toMatch(allClear);
  expect(coloured.stdout).not.toContain('\u001b[32m');
  if (json.stdout === '') {
    const isCalledAbsent = /not found/.test(plain.stderr);
    expect([plain.code, json.code, plain.stdout, isCalledAbsent]).toEqual([3, 3, '', false]);
    return;
  }
  expect([plain.code, json.code], plain.stderr).toEqual([code, code]);
  const { coverage } = JSON.parse(json.stdout);
  expect([coverage.complete, coverage.problems.length > 0]).toEqual([false, true]);
}

test('each command counts objects, or a reason says why it does not', () => {
  expect(Object.keys(counting).sort()).toEqual(Object.keys(commands).sort());
});

test.each(partCases)('%s: %s is incomplete, and calls nothing clear', async (name, line, code) => {
  refuse = conditions[name] ?? refuse;
  isApiDown = name === apiIsDown;
  // That an API is down is a finding of an audit.
  await expectIncomplete(line, isApiDown && line.startsWith('audit') ? 1 : code);
});

test.each(wholeCases)('%s: %s is complete, as it needs no more', async (name, line) => {
  refuse = conditions[name] ?? refuse;
  isApiDown = name === apiIsDown;
  const { plain, json } = await answersTo(line);
  expect([plain.code, JSON.parse(json.stdout).coverage.complete], plain.stderr).toEqual([0, true]);
});

/** That an API is down is a finding, and no gap. */
const gaps = Object.keys(conditions).filter((condition) => condition !== apiIsDown);

test.each(gaps)('%s: report fails, and its metrics say that it is not complete', async (name) => {
  refuse = conditions[name] ?? refuse;
  isApiDown = false;
  const { code, stdout } = await gcHere('report --no-config', env);
  expect([code, /^kubectl_gc_report_complete 0$/m.test(stdout)]).toEqual([3, true]);
});

test.each(Object.keys(conditions))('%s: a saved snapshot has what was not read', async (name) => {
  refuse = conditions[name] ?? refuse;
  isApiDown = name === apiIsDown;
  const { stdout, stderr } = await gcHere('snapshot save -', env);
  expect(JSON.parse(stdout).coverage.problems).not.toEqual([]);
  expect(stderr).toMatch(/^Warning: /m);
});

const whilePassing = Object.keys(passing).flatMap((name) =>
  lines.map(([line]) => [name, line] as const),
);

test.each(whilePassing)('%s: %s waits, and answers as of any other', async (name, line) => {
  const [refusal, times] = passing[name] ?? expect.fail(name);
  isApiDown = false;
  refuse = () => undefined;
  const usual = await gcHere(`${line} -o json`, env);
  asked = new Map();
  refuse = (url) => ((asked.get(url) ?? 0) <= times ? refusal(url) : undefined);
  const { code, stdout, stderr } = await gcHere(`${line} -o json`, env);
  expect({ code, stderr }).toEqual({ code: usual.code, stderr: usual.stderr });
  expect(JSON.parse(stdout).coverage).toEqual(JSON.parse(usual.stdout).coverage);
});

/** An audit of files is about what they hold, and is complete where it could judge all of that. */
test.each(lines.filter(([line]) => !line.startsWith('audit')))(
  'of files that hold a part of a cluster, %s is incomplete, and calls nothing clear',
  // What another file has no more is a difference.
  async (line, code) => expectIncomplete(`${line.replace(whole, half)} --from ${half}`, code),
);

/** In a namespace that does not exist any more, something may have been deleted. */
test.each(lines.filter(([line]) => !line.startsWith('deleted')))(
  'in a namespace that does not exist, %s is refused',
  async (line) => {
    refuse = () => undefined;
    isApiDown = false;
    const { code, stdout, stderr } = await gcHere(
      `${line.replace(/ -A| -n shop/, '')} -n nosuch`,
      env,
    );
    // What a simulated API server replies is an answer.
    const answer = line.startsWith('simulate') ? expect.stringContaining('404 NotFound') : '';
    expect([code, stdout, stderr]).toEqual([3, answer, expect.stringContaining(noNamespace)]);
  },
);

const elsewhere = join(folder, 'elsewhere.yaml');
writeFileSync(
  elsewhere,
  ['shop', 'nosuch']
    .map((at) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain, namespace: ${at}}\n`)
    .join('---\n'),
);

test.each([
  'configmap/plain -n nosuch --yes',
  'configmap/plain -n nosuch --dry-run=server',
  'configmap/plain -n nosuch --dry-run=client -o json',
  'configmap/plain -n nosuch --compare',
  `configmap/plain -n nosuch --plan ${join(folder, 'plan.json')}`,
  // What is in another namespace is accepted.
  `-f ${elsewhere} --dry-run=server`,
])('delete %s names the namespace that does not exist', async (line) => {
  refuse = () => undefined;
  isApiDown = false;
  const { code, stderr } = await gcHere(`delete ${line}`, env);
  expect([code, stderr.split(noNamespace).length - 1]).toEqual([3, 1]);
});

test.each(lines)('of a cluster newer than any that was tried, %s warns once', async (line) => {
  refuse = () => undefined;
  isApiDown = false;
  version = 'v1.99.0';
  const { stderr } = await gcHere(line, env).finally(() => {
    version = undefined;
  });
  expect(stderr.split('\n').filter((text) => /^Warning: .*v1\.99\.0/.test(text))).toHaveLength(1);
});

test('a count of zero is printed as zero if everything could be read', async () => {
  refuse = () => undefined;
  isApiDown = false;
  const { stderr } = await gcHere('orphans -A', env);
  expect(stderr.split('\n')[0]).toBe('No orphans found.');
  const { stdout } = await gcHere('status --color=always', { ...env, FORCE_COLOR: '1' });
  expect(stdout).toContain('\u001b[32m');
});
