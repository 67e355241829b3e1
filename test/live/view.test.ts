import type { Browser } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { PageData } from '../../src/output/pages/page-data.ts';
import { startBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { permit } from '../support/permissions.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { startWatching, type Watching } from '../support/watching.ts';
import { isWatch, proxyOfFile } from './proxy.ts';

/** The page that follows a cluster. */
const plane = sharedControlPlane();
const namespace = 'viewed';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const proxy = await proxyOfFile(plane);
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

/** The page of a root with one leaf, through a proxy that may disturb its watches. */
async function disturbed(name: string) {
  const root = await create(name);
  await create(`${name}-leaf`, root);
  const url = await view(`cm/${name} -s ${proxy.address}`);
  const shows = (wanted: (page: PageData) => boolean) =>
    eventually('what has changed', async () => wanted(await dataOf(url)) || undefined);
  const names = ({ objects }: PageData) => objects.map((object) => object.name);
  return { root, running: running as Watching, shows, names };
}

test('watches that break are opened again, which is said, and nothing is missed', async () => {
  const { root, running, shows, names } = await disturbed('cut');
  // Each kind was listed once, and is watched since.
  const isList = (request: { readonly path: string }) => request.path.includes('/configmaps?');
  const lists = proxy.requests.filter((request) => isList(request) && !isWatch(request));
  expect(lists).toHaveLength(1);
  proxy.before = (request) => (isWatch(request) ? 'drop' : undefined);
  proxy.cutWatches();
  await running.tells(/The watch of \S+ and of \d+ other kinds broke, and is tried again: /);
  await create('meanwhile', root);
  proxy.before = () => undefined;
  await running.tells('Watching again, and no change was missed.');
  await shows((page) => names(page).includes('meanwhile'));
});

test('what the server has forgotten meanwhile is listed again, which is said', async () => {
  const { running, shows, names } = await disturbed('expired');
  let refused = 0;
  proxy.before = (request) => {
    if (!isWatch(request) || !request.path.includes('/configmaps') || refused++ > 0)
      return undefined;
    return { status: 410 };
  };
  await plane.request(`${configMaps}/expired-leaf`, { method: 'DELETE' });
  proxy.cutWatches();
  await running.tells('after listing 1 kind again');
  await shows((page) => !names(page).includes('expired-leaf'));
});

test('many changes at a time are shown together, which is said', async () => {
  const { running, shows } = await disturbed('busy');
  // All of them arrive at once, however slow the machine is.
  proxy.before = (request) => (isWatch(request) ? 'drop' : undefined);
  proxy.cutWatches();
  await running.tells('broke');
  for (let at = 0; at < 100; at++) {
    await plane.patch(`${configMaps}/busy-leaf`, { metadata: { labels: { at: String(at) } } });
  }
  proxy.before = () => undefined;
  await shows(({ notice = '' }) =>
    /^\d+ changes in \d+\.\d s are shown together; what was in between is skipped\.$/.test(notice),
  );
});

test('a root that goes is said to be gone, and is shown again when it comes back', async () => {
  const { shows, names } = await disturbed('phoenix');
  await plane.request(`${configMaps}/phoenix`, { method: 'DELETE' });
  await shows(
    ({ notice }) => notice === 'Not read again: configmaps "phoenix" not found in namespace viewed',
  );
  await create('phoenix');
  await shows((page) => page.notice === undefined && names(page).includes('phoenix'));
});
