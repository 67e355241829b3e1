import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { startProxy, type TestProxy } from './proxy.ts';

/** A real API server behind a proxy that replaces some of its answers, all with HTTP status 200. */
const plane = sharedControlPlane();
const namespace = 'odd-answers';
let replaced: (path: string) => unknown;
let proxy: TestProxy;

beforeAll(async () => {
  proxy = await startProxy(plane);
  proxy.before = ({ path }) => {
    const body = replaced(path);
    if (body === undefined) return undefined;
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: JSON.stringify(body) };
  };
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
  await plane.create(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'kept' } });
});
afterEach(() => {
  replaced = () => undefined;
});
afterAll(async () => {
  await proxy.close();
  plane.disconnect();
});

function ask(line: string) {
  return gc(`${line} -s ${proxy.address}`, { env: { KUBECONFIG: plane.kubeconfigPath } });
}

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
])('%s is no cluster without objects', async (_, replace, root, reason) => {
  replaced = replace;
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
  replaced = (path) => (path.includes('/configmaps') ? body : undefined);
  const { code, stdout } = await ask('orphans -A -o json');
  const { coverage } = JSON.parse(stdout);
  expect([code, coverage.complete, coverage.problems]).toEqual([
    0,
    false,
    [
      {
        reason: 'unreadable',
        message: `cannot list configmaps: ${reason}`,
        resource: 'configmaps',
        apiVersion: 'v1',
      },
    ],
  ]);
  const deletion = await ask(`delete cm --all -n ${namespace} --yes`);
  expect(deletion).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: the answer of the server is malformed: ${reason}\n`,
  });
});

test('a list without an end is not read, and the others are', async () => {
  const page = (name: string, token: string) => ({
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { continue: token },
    items: [{ metadata: { name, namespace } }],
  });
  let pages = 0;
  replaced = (path) => {
    if (!path.startsWith('/api/v1/configmaps')) return undefined;
    pages += 1;
    return page(`settings-${pages}`, pages % 2 === 0 ? 'even' : 'odd');
  };
  const { code, stdout } = await ask('orphans -A -o json');
  const { coverage } = JSON.parse(stdout);
  expect([pages, code, coverage.complete, coverage.problems]).toEqual([
    3,
    0,
    false,
    [
      {
        reason: 'unreadable',
        message: 'cannot list configmaps: the server sent the same continue token twice',
        resource: 'configmaps',
        apiVersion: 'v1',
      },
    ],
  ]);
});

test('an API that is described oddly is unknown, and the others are read', async () => {
  const discovery = await plane.get<{ items: { metadata: { name: string }; versions: unknown }[] }>(
    '/apis',
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  );
  const items = discovery.items.map((item) =>
    item.metadata.name === 'batch' ? { ...item, versions: [{ version: {} }] } : item,
  );
  replaced = (path) => (path === '/apis' ? { ...discovery, items: [...items, null] } : undefined);
  const { code, stdout } = await ask('orphans -A -o json');
  const { coverage } = JSON.parse(stdout);
  expect([code, coverage.complete, coverage.problems]).toEqual([
    0,
    false,
    [
      {
        reason: 'discovery-failed',
        message:
          'the API batch is described in a malformed way, so the kinds it serves are unknown',
        apiVersion: 'batch',
      },
      {
        reason: 'discovery-failed',
        message:
          'an API that the server does not name is described in a malformed way, so the kinds it serves are unknown',
        apiVersion: '?',
      },
    ],
  ]);
});

test('a cluster whose namespaces are filtered is not whole', async () => {
  replaced = (path) =>
    /^\/api\/v1\/namespaces(\?|$)/.test(path)
      ? { kind: 'NamespaceList', apiVersion: 'v1', items: [{ metadata: { name: namespace } }] }
      : undefined;
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
  const { coverage } = JSON.parse((await ask(`orphans -n ${namespace} -o json`)).stdout);
  expect(coverage.problems).toEqual([]);
});
