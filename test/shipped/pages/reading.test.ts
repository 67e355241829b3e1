import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { frame, startReader, visit } from '../../support/opened-page.ts';
import { gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWatching } from '../../support/watching.ts';

/** What a person sees of a page who only looks. */
const shop = '--from examples/clusters/shop.json.gz';
const preview = `delete namespace/shop --preview ${shop}`;
const folder = temporaryFolder();
let reader: Awaited<ReturnType<typeof startReader>>;

beforeAll(async () => {
  reader = await startReader();
});
afterAll(() => reader.stop());

async function printed(command: string): Promise<string> {
  return (await gc(`${command} -o html`)).stdout;
}

test.each([`tree deployment/web -n shop ${shop}`, preview])(
  'the first screen of %s has the whole picture and its root, legible on a phone',
  async (command) => {
    const { page } = await reader.open(await printed(command));
    await page.setViewport({ width: 1280, height: 800 });
    await frame(page);
    const seen = await page.evaluate(`(() => {
      const { top, bottom } = document.querySelector('svg.picture').getBoundingClientRect();
      const root = document.querySelector('[role=treeitem][aria-level="1"]');
      return {
        isHigh: bottom - top > 300,
        isWithin: bottom <= innerHeight,
        chosen: document.querySelector('[aria-selected=true]') === root,
        told: root.getAttribute('aria-label').startsWith(document.querySelector('.panel h2').textContent),
      };
    })()`);
    expect(seen).toEqual({ isHigh: true, isWithin: true, chosen: true, told: true });
    await page.setViewport({ width: 390, height: 844 });
    await frame(page);
    const heights = await page.$$eval('.item .note', (notes) =>
      notes.map((note) => note.getBoundingClientRect().height),
    );
    expect(Math.min(...heights)).toBeGreaterThan(9);
    await page.close();
  },
);

test.each([
  `why namespace/preview-142 ${shop}`,
  `audit -A --fail-on never ${shop}`,
  `delete deployment/web -n shop --compare ${shop}`,
])('the first screen of %s has its number and its first rows, on a phone too', async (command) => {
  const { page } = await reader.open(await printed(command));
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await page.setViewport({ width, height });
    await frame(page);
    const seen = await page.evaluate(`(() => {
      const size = (selector) => parseFloat(getComputedStyle(document.querySelector(selector)).fontSize);
      const row = document.querySelector('#rows tbody tr').getBoundingClientRect();
      const picture = document.querySelector('.stage').getBoundingClientRect();
      return {
        isLargest: size('#figure b') > size('h1'),
        isWithin: row.bottom <= innerHeight && row.right <= innerWidth,
        isAbove: row.top < picture.top,
      };
    })()`);
    expect(seen).toEqual({ isLargest: true, isWithin: true, isAbove: true });
  }
  await page.close();
});

test('the first screen of a forecast has its timeline and its picture', async () => {
  const { page } = await reader.open(await printed(`forecast --within 7d ${shop}`));
  await page.setViewport({ width: 1280, height: 800 });
  await frame(page);
  const bottoms = await page.$$eval('svg.lanes, svg.picture', (pictures) =>
    pictures.map((picture) => picture.getBoundingClientRect().bottom),
  );
  expect(bottoms.map((bottom) => bottom <= 800)).toEqual([true, true]);
  await page.close();
});

/** The symbol of each box, as its class, and its words, which are not cut. */
function boxesOf(page: Page): Promise<string[]> {
  return page.$$eval('.item', (items) =>
    items.map((item) => {
      const words = item.querySelector('title')?.textContent?.replace('\n', ': ');
      return `${item.getAttribute('class')?.split('-').at(-1)}: ${words}`;
    }),
  );
}

test('a box says how its pod does, and only what is ready has a check', async () => {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web' }];
  const pod = (name: string, phase: string, ready: boolean) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', uid: name, ownerReferences },
    spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] },
    status: { phase, containerStatuses: [{ name: 'web', ready, state: { running: {} } }] },
  });
  const items = [
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web', namespace: 'shop', uid: 'web' },
      spec: { replicas: 3 },
      status: { replicas: 3, readyReplicas: 1 },
    },
    pod('runs', 'Running', true),
    pod('starts', 'Running', false),
    pod('waits', 'Pending', false),
    pod('done', 'Succeeded', false),
  ];
  const file = join(folder, 'pods.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const { page } = await reader.open(await printed(`tree rs/web -n shop --from ${file}`));
  expect(await boxesOf(page)).toEqual([
    'plain: web: ReplicaSet · has no owner · shop',
    'stays: done: Pod · 0/1 Succeeded, stays',
    'stays: runs: Pod · 1/1 Running, stays',
    'plain: starts: Pod · 0/1 Running, stays',
    'plain: waits: Pod · 0/1 Pending, stays',
  ]);
  await page.close();
});

test('view shows what is being deleted, although nothing owns it', async () => {
  const served = startWatching('view -A --from examples/clusters/stuck.yaml', {});
  await served.shows('\n');
  const { page } = await visit(reader.browser, served.stdout().trim());
  expect(await boxesOf(page)).toEqual([
    'stuck: lost: ConfigMap · Terminating · orders-archive',
    'stuck: orders: Namespace · Terminating',
    'stuck: data-db-0: PersistentVolumeClaim · Terminating · orders',
    'stuck: db-0: Pod · not ready Terminating · orders',
  ]);
  await page.close();
  await served.end();
});

test('a command is copied from the panel as it is, where the browser lets a page copy', async () => {
  const { page } = await reader.open(await printed(`audit -A --fail-on never ${shop}`));
  const withClipboard = (value: string) =>
    page.evaluate(
      `Object.defineProperty(navigator, 'clipboard', { configurable: true, value: ${value} })`,
    );
  const choose = async (words: string) => {
    await page.locator('input[type=search]').fill(words);
    await page.keyboard.press('Enter');
    await frame(page);
  };
  await withClipboard('undefined');
  await choose('Pod/stock-import');
  expect(await page.$('.copy')).toBeNull();
  await withClipboard('{ writeText: async (text) => { window.copied = text; } }');
  await choose('Deployment/web');
  await choose('Pod/stock-import');
  await page.locator('.copy').click();
  await page.waitForFunction(`document.querySelector('.copy').textContent === 'Copied'`);
  expect(await page.evaluate('window.copied')).toBe(
    'kubectl delete pod/stock-import -n shop --grace-period=0 --force',
  );
  await page.close();
});
