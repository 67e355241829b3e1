import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { startBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { startWatching } from '../support/watching.ts';

/** The page that follows a cluster. */
const plane = sharedControlPlane();
const namespace = 'viewed';
let started: { browser: Browser; stop(): Promise<void> };

function create(name: string, owner?: KubeObject) {
  const { name: of = '', uid } = owner?.metadata ?? {};
  const ownerReferences = owner ? [{ apiVersion: 'v1', kind: 'ConfigMap', name: of, uid }] : [];
  return plane.make(`ConfigMap ${namespace}/${name}`, { metadata: { ownerReferences } });
}

beforeAll(async () => {
  started = await startBrowser();
  await plane.make(`Namespace ${namespace}`);
});
afterAll(async () => {
  await started.stop();
});

test('what changes in the cluster shows in the browser; Ctrl-C ends it well', async () => {
  const root = await create('root');
  await create('first', root);
  const running = startWatching(`view cm/root -n ${namespace}`, {
    KUBECONFIG: plane.kubeconfigPath,
  });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  await running.shows('\n');
  const url = new URL(running.stdout().trim());
  const page = await started.browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(url.href);
  const rows = () => page.$eval('#rows', (element) => element.textContent ?? '');
  expect(await page.title()).toBe('Tree of ConfigMap/root');
  expect(await rows()).toContain('ConfigMap/first');
  await create('second', root);
  await eventually('the new object', async () => (await rows()).includes('ConfigMap/second'));
  await plane.remove(`ConfigMap ${namespace}/first`);
  await eventually('what is gone', async () => !(await rows()).includes('ConfigMap/first'));
  expect(errors).toEqual([]);
  const { code, stdout } = await running.end();
  expect([code, stdout]).toEqual([0, `${url.href}\n`]);
  await page.close();
});
