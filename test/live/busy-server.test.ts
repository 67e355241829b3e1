import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditReport } from '../../src/questions/audit/document.ts';
import type { OrphansReport } from '../../src/questions/orphans/document.ts';
import type { GarbageCollectorHealthReport } from '../../src/questions/why/document.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { startWatching } from '../support/watching.ts';
import { isWatch, type ProxiedRequest, proxyOfFile } from './proxy.ts';

/** A real API server that is busy or fails for a while: requests are repeated as client-go repeats them, and no more often. */
const plane = sharedControlPlane();
const namespace = 'busy-server';
const proxy = await proxyOfFile(plane);
const env = { KUBECONFIG: plane.kubeconfigPath };
const ask = (line: string) => gc(`${line} -s ${proxy.address}`, { env });

/** Objects that name an owner which does not exist, and stay until their finalizers are removed. */
const dependents = Array.from({ length: 60 }, (_, index) => `dependent-${index}`);
const path = `/api/v1/namespaces/${namespace}/configmaps`;

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  await plane.make(`ConfigMap ${namespace}/wanted`);
  for (const name of dependents) {
    const uid = `of-${name}`;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: `owner-of-${name}`, uid };
    const metadata = { finalizers: ['example.com/hold'], ownerReferences: [owner] };
    await plane.make(`ConfigMap ${namespace}/${name}`, { metadata });
  }
});
afterAll(async () => {
  for (const name of dependents) {
    await plane.merge(`${path}/${name}`, { metadata: { finalizers: null } });
  }
  await plane.remove(`Namespace ${namespace}`);
});

const busy = { status: 429, headers: { 'retry-after': '1' } };
const listsPods = ({ method, path: at }: ProxiedRequest) =>
  method === 'GET' && /^\/api\/v1\/pods(\?|$)/.test(at) && !isWatch({ method, path: at });

test('a list is waited for as long as the server asks for it', async () => {
  let until = Number.POSITIVE_INFINITY;
  proxy.before = (request) => {
    if (!listsPods(request)) return undefined;
    until = Math.min(until, performance.now() + 7_000);
    return performance.now() < until ? busy : undefined;
  };
  const { stdout } = await ask('audit -A --no-config --rule unlistable-kind -o json');
  const { coverage, verdict }: AuditReport = JSON.parse(stdout);
  expect([verdict, coverage.problems]).toEqual(['passed', []]);
  const asked = proxy.requests.filter(listsPods).length;
  expect([asked > 5, asked <= 11]).toEqual([true, true]);
});

test('a list that fails makes an answer incomplete, and is no finding about the cluster', async () => {
  proxy.before = (request) => (listsPods(request) ? { status: 500 } : undefined);
  const { code, stdout } = await ask('audit -A --no-config --rule unlistable-kind -o json');
  const { items, verdict, coverage }: AuditReport = JSON.parse(stdout);
  expect([code, verdict, items]).toEqual([3, 'incomplete', []]);
  expect(coverage.problems).toMatchObject([
    { reason: 'unavailable', resource: 'pods', verb: 'list', status: 500 },
  ]);
  const health: GarbageCollectorHealthReport = JSON.parse((await ask('why --gc -o json')).stdout);
  expect(health.checks.find(({ id }) => id === 'kinds')?.state).toBe('unknown');
});

test('owners that cannot be read are asked for a few times, and none of them is reported as missing', async () => {
  const isOwner = ({ path: at }: ProxiedRequest) => at.includes('/configmaps/owner-of-');
  proxy.before = (request) => (isOwner(request) ? { status: 500 } : undefined);
  const { stdout } = await ask(`orphans -n ${namespace} -o json`);
  const { items, coverage }: OrphansReport = JSON.parse(stdout);
  expect([...new Set(items.map(({ owners }) => owners))]).toEqual(['unknown']);
  expect(coverage.complete).toBe(false);
  const asked = proxy.requests.filter(isOwner);
  const names = new Set(asked.map(({ path: at }) => at));
  expect([names.size < 20, asked.length <= names.size * 5]).toEqual([true, true]);
});

test.each([429, 503])(
  'a deletion answered %i is sent eleven times, as by kubectl',
  async (status) => {
    proxy.before = ({ method }) =>
      method === 'DELETE' ? { status, headers: { 'retry-after': '0' } } : undefined;
    const sent = () => proxy.requests.filter(({ method }) => method === 'DELETE').length;
    const { code } = await ask(`delete cm/wanted -n ${namespace} --yes --no-backup`);
    expect([code, sent()]).toEqual([3, 11]);
    proxy.forget();
    const line = `delete cm/wanted -n ${namespace} -s ${proxy.address}`;
    const kubectl = await plane.kubectl(line.split(' '));
    expect([kubectl.code, sent()]).toEqual([1, 11]);
    expect(await plane.isHealthy(`${path}/wanted`)).toBe(true);
  },
);

test('watches that end immediately are opened again later each time', async () => {
  proxy.before = (request) => (isWatch(request) ? { status: 200, body: '' } : undefined);
  const watching = startWatching(`orphans -A --watch -s ${proxy.address}`, env);
  await watching.shows('NAMESPACE');
  await new Promise((resolve) => setTimeout(resolve, 7_000));
  await watching.end();
  const byKind = Map.groupBy(proxy.requests.filter(isWatch), ({ path: at }) => at.split('?')[0]);
  const most = Math.max(...[...byKind.values()].map(({ length }) => length));
  expect([byKind.size > 30, most >= 2, most <= 4]).toEqual([true, true, true]);
});

test('a namespace that does not exist is refused, at the cost of one GET at most', async () => {
  const asking = async (line: string) => {
    proxy.forget();
    const { code, stdout } = await ask(line);
    const gets = proxy.requests.filter(({ path: at }) => at === '/api/v1/namespaces/nosuch');
    return [code, stdout, gets.length];
  };
  expect(await asking('status -n nosuch')).toEqual([3, '', 0]);
  expect(await asking('podgc-preview -n nosuch')).toEqual([3, '', 1]);
  expect(await asking('tree configmaps -n nosuch')).toEqual([3, '', 1]);
  const { code, stdout } = await ask('delete configmaps --all -n nosuch --yes');
  expect([code, stdout]).toEqual([0, 'No resources found\n']);
});
