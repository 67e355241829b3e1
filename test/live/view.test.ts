import type { Browser } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { PageData } from '../../src/output/pages/page-data.ts';
import { startBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { permit } from '../support/permissions.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { startWatching, type Watching } from '../support/watching.ts';

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
  return plane.make(`ConfigMap ${namespace}/${name}`, { metadata: { ownerReferences } });
}

beforeAll(async () => {
  started = await startBrowser();
  await plane.make(`Namespace ${namespace}`);
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
  await eventually('the new object', async () => (await rows()).includes('ConfigMap/second'));
  await plane.request(`${configMaps}/first`, { method: 'DELETE' });
  await eventually('what is gone', async () => !(await rows()).includes('ConfigMap/first'));
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
