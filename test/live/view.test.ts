import type { Browser } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { PageData } from '../../src/output/pages/page-data.ts';
import { startBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { permit } from '../support/permissions.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { startWatching, type Watching } from '../support/watching.ts';
import { isWatch, startProxy } from './proxy.ts';

/** The page that follows a cluster. */
const plane = sharedControlPlane();
const namespace = 'viewed';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
let started: { browser: Browser; stop(): Promise<void> };
let running: Watching | undefined;

async function view(line: string, kubeconfig = plane.kubeconfigPath): Promise<URL> {
  running = startWatching(`view ${line} -n ${namespace}`, { KUBECONFIG: kubeconfig });
  await running.shows('\n');
  return new URL(running.stdout().trim());
}

async function dataOf(url: URL): Promise<PageData> {
  const answer = await fetch(new URL(`/page.json${url.search}`, url));
  expect(answer.status).toBe(200);
  return (await answer.json()) as PageData;
}

function create(name: string, owner?: KubeObject) {
  const { name: of = '', uid } = owner?.metadata ?? {};
  const ownerReferences = owner ? [{ apiVersion: 'v1', kind: 'ConfigMap', name: of, uid }] : [];
  return plane.create<KubeObject>(configMaps, { metadata: { name, ownerReferences } });
}

beforeAll(async () => {
  started = await startBrowser();
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
});
afterEach(() => {
  running?.child.kill('SIGKILL');
});
afterAll(async () => {
  await started.stop();
});

test('what changes in the cluster shows in the browser; Ctrl-C ends it well', async () => {
  const root = await create('root');
  await create('first', root);
  const url = await view('cm/root');
  const page = await started.browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url.href);
  const rows = () => page.$eval('#rows', (element) => element.textContent ?? '');
  expect(await page.title()).toBe('Tree of ConfigMap/root');
  expect(await rows()).toContain('ConfigMap/first');
  await create('second', root);
  await eventually('the new object', async () =>
    (await rows()).includes('ConfigMap/second') ? true : undefined,
  );
  await plane.request(`${configMaps}/first`, { method: 'DELETE' });
  await eventually('what is gone', async () =>
    (await rows()).includes('ConfigMap/first') ? undefined : true,
  );
  expect(errors).toEqual([]);
  const { code, stdout } = await (running as Watching).end();
  expect([code, stdout]).toEqual([0, `${url.href}\n`]);
  await page.close();
});

test('without names it shows every tree of the namespace', async () => {
  await create('one-leaf', await create('one'));
  await create('another-leaf', await create('another'));
  await create('alone');
  const { title, objects } = await dataOf(await view(''));
  expect(title).toBe('Trees in namespace viewed');
  const names = objects.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['one', 'one-leaf', 'another', 'another-leaf']));
  expect(names).not.toContain('alone');
});

test('what may not be read stands on the page', async () => {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];
  await permit(plane, 'viewer', rules, 'viewed');
  await create('seen-leaf', await create('seen'));
  const { gaps, objects } = await dataOf(
    await view('cm/seen', plane.kubeconfigFor({ user: 'viewer' })),
  );
  expect(objects.map(({ name }) => name)).toEqual(['seen', 'seen-leaf']);
  expect(gaps.some((gap) => gap.startsWith('cannot list secrets in viewed: '))).toBe(true);
});

test('many changes at a time are shown together, which the page says', async () => {
  const proxy = await startProxy(plane);
  const root = await create('busy');
  await create('counter', root);
  const url = await view(`cm/busy -s ${proxy.address}`);
  // All of them arrive at once, however slow the machine is.
  proxy.before = (request) => (isWatch(request) ? 'drop' : undefined);
  proxy.cutWatches();
  await (running as Watching).tells('broke');
  for (let at = 0; at < 100; at++) {
    const labels = { at: String(at) };
    await plane.patch(`${configMaps}/counter`, { metadata: { labels } });
  }
  proxy.before = () => undefined;
  const notice = await eventually('what is said of it', async () => {
    const { notice: said } = await dataOf(url);
    return said?.includes('together') ? said : undefined;
  });
  expect(notice).toMatch(/^\d+ changes in \d+\.\d s are shown together; what was in between is/);
  await create('late', root);
  await eventually('the last change', async () =>
    (await dataOf(url)).objects.some(({ name }) => name === 'late') ? true : undefined,
  );
  await proxy.close();
});

test('an object that is not there is an error, before anything is served', async () => {
  const { code, stdout, stderr } = await gc(`view cm/missing -n ${namespace}`, {
    env: { KUBECONFIG: plane.kubeconfigPath },
  });
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(/^error: configmaps "missing" not found/);
});
