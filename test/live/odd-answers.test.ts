import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { customDefinition } from '../support/custom-resources.ts';
import { gc } from '../support/run-gc.ts';
import { breakConversion, restoreConversion, serveKind } from '../support/served-kinds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { type Disturbance, proxyOfFile } from './proxy.ts';

/**
 * A real API server behind a proxy that replaces some of its answers, with HTTP status 200, or gives none: no command
 * waits without end, and every gap is named.
 */
const plane = sharedControlPlane();
const namespace = 'odd-answers';
const proxy = await proxyOfFile(plane);

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  await plane.make(`ConfigMap ${namespace}/kept`);
});

function ask(line: string) {
  return gc(`${line} -s ${proxy.address}`, { env: { KUBECONFIG: plane.kubeconfigPath } });
}

/** What takes the place of an answer; undefined leaves it as it is. */
function replace(answer: (path: string) => unknown): void {
  proxy.before = ({ path }): Disturbance | Promise<undefined> => {
    const body = answer(path);
    if (body === undefined || body instanceof Promise) return body;
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify(body) };
  };
}
const never = new Promise<undefined>(() => undefined);

/** What could not be read. */
async function gapsOf(line: string) {
  const { code, stdout } = await ask(`${line} -o json`);
  const { coverage } = JSON.parse(stdout);
  return { code, complete: coverage.complete, problems: coverage.problems };
}
const gap = (reason: string, message: string, resource: string, apiVersion = 'v1') => ({
  code: 0,
  complete: false,
  problems: [{ reason, message, resource, apiVersion }],
});

const login = { error: 'login required' };
const empty = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items: [] };

test.each([
  ['a login page for everything', () => login, '/api', 'the answer is not a list of APIs'],
  [
    'a Status for everything',
    () => ({ kind: 'Status', code: 401, message: 'Unauthorized' }),
    '/api',
    'the answer is a Status of 401: Unauthorized',
  ],
  [
    'nothing for /apis',
    (path: string) => (path === '/apis' ? {} : undefined),
    '/apis',
    'the answer is not a list of APIs',
  ],
  [
    'an empty list for /apis',
    (path: string) => (path === '/apis' ? empty : undefined),
    '/apis',
    'the answer names no API',
  ],
])('%s is no cluster without objects', async (_, answer, root, reason) => {
  replace(answer);
  const error = `error: the server at ${proxy.address} does not answer as a Kubernetes API server: ${root}: ${reason}
  Check the server's address; a proxy in front of it may require a login.
`;
  for (const line of [
    'audit -A',
    'orphans',
    'owners pod/p1',
    'delete cm --all --yes',
    'why cm/x',
  ]) {
    expect([line, await ask(line)]).toEqual([line, { code: 3, stdout: '', stderr: error }]);
  }
});

test.each([
  ['no list', login, 'the answer is not a list'],
  [
    'a list without items',
    { kind: 'List', items: {} },
    'the answer is not a list, but a List without items',
  ],
  [
    'an item that is null',
    { kind: 'List', items: [null] },
    'item 1 of the list is not an object with a name',
  ],
])('one kind that answers with %s is not read, and the others are', async (_, body, reason) => {
  replace((path) => (path.includes('/configmaps') ? body : undefined));
  const message = `cannot list configmaps: ${reason}`;
  expect(await gapsOf('orphans -A')).toEqual(gap('unreadable', message, 'configmaps'));
  expect(await ask(`delete cm --all -n ${namespace} --yes`)).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: the answer of the server is malformed: ${reason}\n`,
  });
});

test('a list without an end is not read, and the others are', async () => {
  let pages = 0;
  replace((path) => {
    if (!path.startsWith('/api/v1/configmaps')) return undefined;
    pages += 1;
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { continue: pages % 2 === 0 ? 'even' : 'odd' },
      items: [{ metadata: { name: `settings-${pages}`, namespace } }],
    };
  });
  const message = 'cannot list configmaps: the server sent the same continue token twice';
  expect(await gapsOf('orphans -A')).toEqual(gap('unreadable', message, 'configmaps'));
  expect(pages).toBe(3);
});

test('a kind whose list hangs is given up after --request-timeout, and the others are read', async () => {
  replace((path) => (path.startsWith('/api/v1/configmaps') ? never : undefined));
  const message = `cannot list configmaps: the API server ${proxy.address} did not answer within 2 s`;
  expect(await gapsOf('orphans -A --request-timeout 2s')).toEqual(
    gap('timed-out', message, 'configmaps'),
  );
});

test('a server of which every list hangs ends the command, one kind after the other', async () => {
  replace((path) => (/^\/(api\/v1|apis\/[^/]+\/[^/]+)\/[a-z]+\?/.test(path) ? never : undefined));
  const { code, problems } = await gapsOf('orphans -A --request-timeout 1s');
  const reasons = new Set(problems.map(({ reason }: { reason: string }) => reason));
  expect({ code, reasons: [...reasons], many: problems.length > 40 }).toEqual({
    code: 0,
    reasons: ['timed-out'],
    many: true,
  });
});

test('an API that is described oddly is unknown, and the others are read', async () => {
  const discovery = await plane.get<{ items: { metadata: { name: string }; versions: unknown }[] }>(
    '/apis',
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  );
  const items = discovery.items.map((item) =>
    item.metadata.name === 'batch' ? { ...item, versions: [{ version: {} }] } : item,
  );
  replace((path) => (path === '/apis' ? { ...discovery, items: [...items, null] } : undefined));
  const malformed = (api: string, apiVersion: string) => ({
    reason: 'discovery-failed',
    message: `${api} is described in a malformed way, so the kinds it serves are unknown`,
    apiVersion,
  });
  expect(await gapsOf('orphans -A')).toEqual({
    code: 0,
    complete: false,
    problems: [
      malformed('the API batch', 'batch'),
      malformed('an API that the server does not name', '?'),
    ],
  });
});

test('a cluster whose namespaces are filtered is not whole', async () => {
  const items = [{ metadata: { name: namespace } }];
  replace((path) =>
    /^\/api\/v1\/namespaces(\?|$)/.test(path)
      ? { kind: 'NamespaceList', apiVersion: 'v1', items }
      : undefined,
  );
  const { code, stdout, stderr } = await ask('audit -A -o json --rule cross-namespace-owner');
  const { coverage, verdict } = JSON.parse(stdout);
  expect([code, verdict, coverage.complete], stderr).toEqual([3, 'incomplete', false]);
  expect(coverage.problems).toEqual([
    {
      reason: 'truncated',
      message:
        'the list of namespaces is incomplete: every cluster has default and kube-system, and it lacks default and kube-system, so other objects may be missing too',
      resource: 'namespaces',
      apiVersion: 'v1',
    },
  ]);
});

test('empty lists of the real server are lists: of metadata and of whole objects, in JSON and protobuf', async () => {
  const json = 'application/json';
  const metadata = `${json};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
  const told = async (path: string, accept: string) => {
    const { kind, items } = await plane.get<{ kind: string; items: unknown }>(path, accept);
    return [kind, items];
  };
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const widgets = `/apis/example.com/v1/namespaces/${namespace}/widgets`;
  expect([
    await told(pods, json),
    await told(pods, metadata),
    await told(widgets, json),
    await told(widgets, metadata),
  ]).toEqual([
    ['PodList', []],
    ['PartialObjectMetadataList', null],
    ['WidgetList', []],
    ['PartialObjectMetadataList', null],
  ]);
  expect((await gapsOf(`orphans -n ${namespace}`)).problems).toEqual([]);
});

test('a kind behind a dead conversion webhook is not read, after 5 s at most', async () => {
  const scrolls = 'scrolls.unanswered.example.com';
  const scroll = customDefinition('Scroll', 'unanswered.example.com', { versions: ['v1', 'v2'] });
  const definition = await serveKind(plane, scroll);
  onTestFinished(async () => {
    await restoreConversion(plane, scroll);
    await plane.request(definition, { method: 'DELETE' });
  });
  await plane.make(`unanswered.example.com/v1 Scroll ${namespace}/old`);
  const refused = await breakConversion(plane, scroll);
  const asked: number[] = [];
  proxy.before = ({ path: list }) => {
    if (list.startsWith('/apis/unanswered.example.com/v2/scrolls')) asked.push(performance.now());
    return undefined;
  };
  const kind = 'unanswered.example.com/v1, Kind=Scroll';
  const message = `cannot list ${scrolls}: conversion webhook for ${kind} failed: Post "https://127.0.0.1:1/?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused`;
  expect(await gapsOf('orphans -A')).toEqual(
    gap('unavailable', message, scrolls, 'unanswered.example.com/v2'),
  );
  expect(refused).toBe(429);
  // With the time that the server takes for its answers.
  expect((asked.at(-1) ?? Number.NaN) - (asked[0] ?? 0)).toBeLessThan(12_000);
});
