import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { frame, startReader, visit } from '../../support/opened-page.ts';
import { gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const shop = '--from examples/clusters/shop.json.gz';
const commands = {
  tree: `tree deployment/web -n shop ${shop}`,
  owners: `owners statefulset/orders-db -n payments ${shop}`,
  preview: `delete namespace/shop --preview ${shop}`,
  compare: `delete statefulset/orders-db -n payments --compare ${shop}`,
  simulate: `simulate --delete deployment/web -n shop --cascade=foreground ${shop}`,
  forecast: `forecast --within 7d ${shop}`,
  why: `why namespace/preview-142 ${shop}`,
  stuck: `why -A ${shop}`,
  orphans: `orphans -A ${shop}`,
  audit: `audit -A --fail-on never ${shop}`,
  diff: 'snapshot diff examples/clusters/shop.json.gz examples/clusters/shop-later.json.gz',
  chain: `deleted pod/recommendations-575c7ff47-dkqnm -n shop --audit-log examples/audit/shop.log.gz`,
  deletions: 'deleted -A --audit-log examples/audit/shop.log.gz',
} as const;
type Name = keyof typeof commands;
const small: readonly Name[] = ['tree', 'owners', 'why', 'stuck', 'orphans'];
const names = Object.keys(commands) as Name[];

const made = new Map<Name, Promise<string>>();
const folder = temporaryFolder();
let reader: Awaited<ReturnType<typeof startReader>>;

beforeAll(async () => {
  reader = await startReader();
});
afterAll(() => reader.stop());

/** The page that a command prints; each command runs once. */
function html(name: Name): Promise<string> {
  const known = made.get(name) ?? gc(`${commands[name]} -o html`).then(({ stdout }) => stdout);
  made.set(name, known);
  return known;
}

/** A page, which complains of nothing until the test has ended. */
async function opened(content: string, look: Parameters<typeof reader.open>[1] = {}) {
  const { page, complaints } = await reader.open(content, look);
  onTestFinished(async () => {
    expect(complaints).toEqual([]);
    await page.close();
  });
  return page;
}

const texts = (page: Page, selector: string) =>
  page.$$eval(selector, (found) => found.map(({ textContent }) => textContent ?? ''));
const text = async (page: Page, selector: string) => (await texts(page, selector)).join('|');
const count = (page: Page, selector: string) => page.$$eval(selector, ({ length }) => length);
/** Clicks as a mouse does: at the middle of what is there. */
async function press(page: Page, selector: string): Promise<void> {
  await page.locator(selector).click();
  await frame(page);
}

const button = (words: string) => `::-p-xpath(//button[normalize-space()="${words}"])`;
const box = (name: string) => `[role=treeitem][aria-label^="${name}"]`;

const expected = (name: string) =>
  new URL(`../../fixtures/expected/pages/${name}.png`, import.meta.url);

/** The share of pixels that differ visibly from the picture that is kept; words are left out, as fonts differ. */
async function differenceFrom(name: string, page: Page, mayKeep = true): Promise<unknown> {
  await page.evaluate(
    `{ const [sheet] = document.styleSheets; sheet.insertRule('.picture text { display: none }', sheet.cssRules.length); }`,
  );
  await frame(page);
  const picture = await page.$('svg.picture');
  const now = await picture?.screenshot({ encoding: 'base64' });
  if (now === undefined) throw new Error('the page has no picture');
  if (mayKeep && process.env.UPDATE_PICTURES)
    writeFileSync(expected(name), Buffer.from(now, 'base64'));
  const kept = readFileSync(expected(name), 'base64');
  const blank = await reader.browser.newPage();
  const share = await blank.evaluate(`(async () => {
    const [a, b] = await Promise.all(${JSON.stringify([kept, now])}.map(async (png) => {
      const image = new Image();
      image.src = 'data:image/png;base64,' + png;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      return { size: [image.width, image.height].join(), data: canvas.getImageData(0, 0, image.width, image.height).data };
    }));
    if (a.size !== b.size) return a.size + ' is not ' + b.size;
    let different = 0;
    for (let at = 0; at < a.data.length; at += 4)
      if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > 48)) different++;
    return different / (a.data.length / 4);
  })()`);
  await blank.close();
  return share;
}

test.each([
  ['preview', 'light'],
  ['tree', 'dark'],
] as const)('the picture of %s looks as it did, %s', async (name, scheme) => {
  const page = await opened(await html(name), { width: 900, scheme });
  // A busy machine draws the page late.
  await expect.poll(() => differenceFrom(name, page), { timeout: 10_000 }).toBeLessThan(0.01);
});

test('a search finds findings by their rule, severity and status', async () => {
  const page = await opened(await html('audit'));
  const rows = () => texts(page, 'tbody tr td:nth-of-type(3)');
  const all = await rows();
  expect(new Set(all).size).toBeGreaterThan(1);
  await page.focus('input[type=search]');
  await page.keyboard.sendCharacter('missing-owner error');
  await frame(page);
  const found = await rows();
  expect(found.length).toBeLessThan(all.length);
  expect(new Set(found)).toContain('missing-owner');
});

test('a picture that looks otherwise is noticed', async () => {
  const page = await opened(await html('tree'), { width: 900, scheme: 'dark' });
  await press(page, `${box('ReplicaSet/web-86864d7b59')} .toggle`);
  expect(await differenceFrom('tree', page, false)).toBeGreaterThan(0.01);
});

describe.each(names)('the page of %s', (name) => {
  test('shows every object as a picture and as a table, fetches nothing, and can be used by all', async () => {
    const page = await opened(await html(name), {
      scheme: names.indexOf(name) % 2 === 0 ? 'light' : 'dark',
    });
    const seen = await page.evaluate(`(() => {
      const { objects, views, table } = JSON.parse(document.querySelector('#data').textContent);
      return {
        pictures: document.querySelectorAll('svg.picture').length === views.length,
        boxes: document.querySelectorAll('[role=treeitem]').length > 0,
        rows: document.querySelectorAll('tbody tr').length === table.rows.length,
        known: table.rows.every((row) => objects.some(({ id }) => id === row.object)),
        overflows: document.documentElement.scrollWidth > window.innerWidth,
      };
    })()`);
    expect(seen).toEqual({
      pictures: true,
      boxes: true,
      rows: true,
      known: true,
      overflows: false,
    });
    await page.evaluate(axe.source);
    // All pages have one style, and the contrast of a large one takes long to compute.
    const rules = small.includes(name) ? '{}' : `{ 'color-contrast': { enabled: false } }`;
    const found = await page.evaluate(
      `axe.run({ iframes: false, resultTypes: ['violations'], rules: ${rules} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ').slice(0, 300)))`,
    );
    expect(found).toEqual([]);
  });
});

/** Pages that begin with a list, and have their picture below it. */
const lists: ReadonlySet<Name> = new Set([
  'why',
  'stuck',
  'audit',
  'compare',
  'chain',
  'deletions',
]);

describe.each([
  [1280, 800],
  [390, 844],
])('a window of %i by %i pixels', (width, height) => {
  test.each(names)(
    'shows the answer of %s as it opens, in letters that can be read',
    async (name) => {
      const page = await opened(await html(name), { width, height });
      const seen = await page.evaluate(`(() => {
      const box = document.querySelector('[role=treeitem] .box');
      const item = document.querySelector('${lists.has(name) ? 'tbody tr' : '[role=treeitem]'}');
      const [figure, ...others] = ['#figure b', ...'h1, h2, h3, p, td, th, li'.split(', ')].map(
        (selector) => Math.max(0, ...[...document.querySelectorAll(selector)].map(
          (one) => parseFloat(getComputedStyle(one).fontSize))));
      const isReadable = box && box.getBoundingClientRect().height >= 40 * 0.9;
      return {
        isReadable,
        inSight: item.getBoundingClientRect().bottom <= innerHeight,
        isFigureLargest: figure > Math.max(...others),
        overflows: document.documentElement.scrollWidth > innerWidth,
        cut: [...document.querySelectorAll('#rows table')].some(
          (table) => table.scrollWidth > table.parentElement.clientWidth),
      };
    })()`);
      expect(seen).toEqual({
        ...{ isReadable: true, inSight: true, isFigureLargest: true },
        ...{ overflows: false, cut: false },
      });
    },
  );
});

test('a page without JavaScript shows only the whole table', async () => {
  const page = await opened(await html('tree'), { withoutScript: true });
  expect(await texts(page, 'tbody th')).toEqual([
    'Deployment/web',
    'ConfigMap/catalog-db-config',
    'ReplicaSet/web-546dc47c97',
    'ReplicaSet/web-746c969c9c',
    'ReplicaSet/web-86864d7b59',
    'ReplicaSet/web-8696849bc8',
    'Secret/web-session-keys',
    'Pod/web-86864d7b59-68df5',
    'Pod/web-86864d7b59-bzf2c',
    'Pod/web-86864d7b59-kbp9b',
  ]);
  expect(await page.$eval('#app', (app) => app.children.length)).toBe(0);
});

test('a printed page is dark on light, with every row and without controls', async () => {
  const page = await opened(await html('preview'), { scheme: 'dark' });
  await page.emulateMediaType('print');
  const seen = await page.evaluate(`(() => {
    const shown = (selector) =>
      [...document.querySelectorAll(selector)].some(({ offsetHeight }) => offsetHeight > 0);
    const light = (color) => color.match(/\\d+/g).slice(0, 3).every((part) => Number(part) > 127);
    const rows = document.querySelector('#rows');
    return {
      controls: shown('.toolbar') || shown('.player') || shown('.hits'),
      light: [...document.querySelectorAll('h1, tbody th, tbody td')].filter((each) =>
        light(getComputedStyle(each).color),
      ).length,
      cut: getComputedStyle(rows).overflowY !== 'visible' && rows.scrollHeight > rows.clientHeight,
      rows: shown('tbody tr'),
    };
  })()`);
  expect(seen).toEqual({ controls: false, light: 0, cut: false, rows: true });
  const paper = Buffer.from(await page.pdf({ format: 'a4' }));
  expect(paper.subarray(0, 5).toString()).toBe('%PDF-');
});

test('a search finds an object, and the panel shows its details', async () => {
  const page = await opened(await html('preview'));
  await page.type('input[type=search]', 'pod recommendations-575c7ff47');
  expect(await text(page, '.searching output')).toBe('1 found');
  expect(await count(page, 'tbody tr')).toBe(1);
  await page.keyboard.press('Enter');
  await frame(page);
  expect(await text(page, '.panel h2')).toBe('Pod/recommendations-575c7ff47-dkqnm');
  expect(await text(page, '.panel .verdict')).toBe('stuck, then deleted');
  expect(await text(page, '.panel')).toContain('shop.example.com/drain-sessions');
  expect(await count(page, '.item.found')).toBe(1);
  // Its owner stands in the panel, and leads there.
  await press(page, '.panel li button');
  expect(await text(page, '.panel h2')).toBe('ReplicaSet/recommendations-575c7ff47');
});

test('dependents are folded and unfolded by mouse, by keyboard and by kind', async () => {
  const page = await opened(await html('tree'));
  expect(await count(page, '[role=treeitem]')).toBe(10);
  await press(page, `${box('ReplicaSet/web-86864d7b59')} .toggle`);
  expect(await count(page, '[role=treeitem]')).toBe(7);
  expect(await text(page, `${box('ReplicaSet/web-86864d7b59')} .count`)).toBe('3');

  await page.evaluate(`document.querySelector('svg.picture').focus()`);
  const [down, right] = ['ArrowDown', 'ArrowRight'] as const;
  for (const key of [down, right, down, down, down, 'Enter'] as const) {
    await page.keyboard.press(key);
  }
  await frame(page);
  expect(await text(page, '.panel h2')).toBe('ReplicaSet/web-86864d7b59');
  expect(await count(page, '[role=treeitem]')).toBe(10);

  await press(page, 'summary');
  await press(page, '::-p-xpath(//label[contains(., "ReplicaSet")])');
  expect(await count(page, '[role=treeitem]')).toBe(4);
  expect(await count(page, box('4 ReplicaSets, stays, 3 below'))).toBe(1);
  await press(page, button('Open all'));
  expect(await count(page, '[role=treeitem]')).toBe(10);
});

test('a plan plays: deleted immediately, blocked by a finalizer, deleted', async () => {
  const page = await opened(await html('preview'));
  await press(page, '[aria-label="Show the whole picture"]');
  const pod = box('Pod/catalog-db-0');
  const moments: string[] = [];
  for (let at = 0; at < 12; at++) {
    const [state] = await page.$$eval(pod, (found) =>
      found.map((one) => one.getAttribute('class')),
    );
    moments.push(`${await text(page, '.moment')}: ${state}`);
    await press(page, button('Next'));
  }
  expect([...new Set(moments)]).toEqual([
    'Result: item mark-goes',
    'Before: item mark-plain',
    'Step 0: item mark-plain',
    'Step 1: item mark-goes',
    'Step 2: item mark-gone',
    'Once removed: shop.example.com/drain-sessions on Pod/recommendations-575c7ff47-dkqnm; tailscale.com/finalizer on Service/partner-api, which Tailscale operator removes: item mark-gone',
    'Once removed: shop.example.com/drain-sessions on Pod/recommendations-575c7ff47-dkqnm: item mark-gone',
    'Once removed: tailscale.com/finalizer on Service/partner-api, which Tailscale operator removes: item mark-gone',
    'After: item mark-gone',
  ]);
  await press(page, button('Play'));
  await page.waitForFunction(`document.querySelector('.moment').textContent === 'Step 0'`);
  expect(await text(page, '.player button')).toBe('Pause|Back|Next');
});

test('policies stand beside each other, with one zoom and one selection', async () => {
  const page = await opened(await html('compare'));
  expect(await texts(page, 'figcaption')).toEqual(['background', 'foreground', 'orphan']);
  await press(page, '[aria-label="Show the whole picture"]');
  const marks = () =>
    page.$$eval(box('Pod/orders-db-0'), (found) => found.map((one) => one.getAttribute('class')));
  expect(await marks()).toEqual(['item mark-goes', 'item mark-goes', 'item mark-left']);
  await press(page, box('Pod/orders-db-0'));
  expect(await count(page, '[aria-selected=true]')).toBe(3);
  expect(await texts(page, '.panel .verdict')).toEqual([
    'background: will be deleted',
    'foreground: will be deleted',
    'orphan: will be orphaned',
  ]);
  const transforms = async () =>
    new Set(
      await page.$$eval('.picture > g', (all) => all.map((g) => g.getAttribute('transform'))),
    );
  const before = await transforms();
  await press(page, '[aria-label="Zoom in"]');
  const after = await transforms();
  expect([before.size, after.size]).toEqual([1, 1]);
  expect(after).not.toEqual(before);
});

test('a forecast has a lane for each controller, and lists what happens at a time', async () => {
  const page = await opened(await html('forecast'));
  expect((await texts(page, '.lane-title')).slice(0, 4)).toEqual([
    'garbage-collector',
    'kubelet',
    'pod-garbage-collector',
    'ttl-after-finished',
  ]);
  await page.evaluate(`document.querySelector('.bin[aria-label^="ttl-after-finished"]').focus()`);
  await page.keyboard.press('Enter');
  await frame(page);
  expect(await text(page, '.moment-list h3')).toMatch(
    /^ttl-after-finished, (from|at) .*: will be deleted$/,
  );
  expect(await text(page, '.panel h2')).toMatch(/^Job\//);
});

test('a comparison shows what was there before and what is there after', async () => {
  const page = await opened(await html('diff'));
  await press(page, '[aria-label="Show the whole picture"]');
  const classes = (name: string) =>
    page.$$eval(box(name), (found) => found.map((one) => one.getAttribute('class')));
  expect(await classes('ReplicaSet/web-6d5f9c8b74')).toEqual(['item mark-gone', 'item mark-new']);
  expect(await classes('ReplicaSet/web-546dc47c97')).toEqual(['item mark-goes', 'item mark-gone']);
});

/** A list of ConfigMaps, each below the one that it names as its owner. */
function written(
  name: string,
  objects: readonly (readonly [name: string, owner?: string])[],
): string {
  const uids = new Map(objects.map(([one], index) => [one, `${one} ${index}`]));
  const items = objects.map(([one, owner]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: one,
      namespace: 'shop',
      uid: uids.get(one),
      finalizers: ['example.com/</script><script>alert(2)</script>'],
      ...(owner !== undefined && {
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: uids.get(owner) },
        ],
      }),
    },
  }));
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return path;
}

const hostileNames = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(3)>',
  "'`(alert(4))",
  '\u202egnp.exe\u2066\u0007\u001b[31m\ud800',
  '__proto__',
  '<!--<script>',
];

test('names that are markup, scripts or controls are text, and nothing else', async () => {
  const file = written('hostile', [
    ['root'],
    ...hostileNames.map((name) => [name, 'root'] as const),
  ]);
  for (const command of [
    ['tree', 'configmap/root', '-n', 'shop', '-o', 'html'],
    ['delete', 'configmap/root', '-n', 'shop', '--preview', '-o', 'html'],
  ]) {
    const { stdout } = await gc([...command, '--from', file]);
    for (const withoutScript of [false, true]) {
      const page = await opened(stdout, { withoutScript });
      if (!withoutScript) {
        await press(page, box('ConfigMap/<img'));
        await page.type('input[type=search]', 'alert');
        await frame(page);
      }
      const told = await page.$$eval(
        'script, img, iframe, svg[onload], [onerror]',
        (found) => found.length,
      );
      // The data and the program.
      expect(told).toBe(2);
      expect(await text(page, 'tbody th')).toContain('ConfigMap/<img src=x onerror=alert(1)>');
    }
    const { stdout: picture } = await gc([...command.slice(0, -1), 'svg', '--from', file]);
    const page = await opened(`<!doctype html><div id="app"><p class="panel"></div>${picture}`);
    expect(await count(page, 'script, img, svg svg')).toBe(0);
    expect(await text(page, 'svg')).toContain('<img src=x onerror=alert(1)>');
  }
});

test('a graph of 10,000 objects begins folded, opens in parts, and is found through', async () => {
  const objects: (readonly [string, string?])[] = [['root']];
  for (let one = 0; one < 100; one++) {
    objects.push([`group-${one}`, 'root']);
    for (let two = 0; two < 99; two++) objects.push([`leaf-${one}-${two}`, `group-${one}`]);
  }
  const { stdout } = await gc(
    `tree configmap/root -n shop -o html --from ${written('large', objects)}`,
  );
  const [data = ''] = /<script type="application\/json".*?<\/script>/s.exec(stdout) ?? [];
  const [rows = ''] = /<table>.*<\/table>/s.exec(stdout) ?? [];
  const program = stdout.length - data.length - rows.length;
  expect(program).toBeGreaterThan(20_000);
  expect(program).toBeLessThan(1_500_000);

  const page = await opened(stdout);
  const boxes = () => count(page, '[role=treeitem]');
  expect(await boxes()).toBe(2);
  expect(await count(page, box('100 ConfigMaps'))).toBe(1);
  await press(page, box('100 ConfigMaps'));
  expect(await count(page, '[role=treeitem], .spots')).toBeGreaterThan(5);
  await page.focus('input[type=search]');
  await page.keyboard.sendCharacter('leaf-77-42');
  await page.keyboard.press('Enter');
  await frame(page);
  expect(await text(page, '.panel h2')).toBe('ConfigMap/leaf-77-42');
  expect(await count(page, '.item.found[aria-selected=true]')).toBe(1);
  // All of them: only what is in sight is drawn, and from afar without words.
  await press(page, button('Open all'));
  await press(page, '[aria-label="Show the whole picture"]');
  expect(await boxes()).toBeLessThan(1300);
  expect(await count(page, 'tbody tr')).toBeLessThanOrEqual(200);
});

test('a page that is served shows what it is sent, and keeps zoom, selection, folding and search', async () => {
  const first = await html('tree');
  const [, json = ''] = /id="data">(.*?)<\/script>/s.exec(first) ?? [];
  const data = { ...JSON.parse(json), live: { events: './events' } };
  const served = first
    .replace(json, () => JSON.stringify(data))
    .replace(
      `require-trusted-types-for 'script'`,
      `require-trusted-types-for 'script'; connect-src 'self'`,
    );
  const listeners: ServerResponse[] = [];
  let isLost = false;
  const server = createServer((request, response) => {
    if (isLost) request.destroy();
    else if (request.url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': listening\n\n');
      listeners.push(response);
    } else response.writeHead(200, { 'content-type': 'text/html' }).end(served);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { page, complaints } = await visit(reader.browser, `http://127.0.0.1:${port}/`);
  await page.waitForFunction('performance.getEntriesByType("resource").length >= 0');
  await press(page, `${box('ReplicaSet/web-86864d7b59')} .toggle`);
  await press(page, box('Secret/web-session-keys'));
  await press(page, '[aria-label="Zoom in"]');
  await page.type('input[type=search]', 'secret');
  const look = () => page.$eval('.picture > g', (layer) => layer.getAttribute('transform'));
  const before = await look();
  const inSight = await count(page, '[role=treeitem]');
  while (listeners.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));

  const changed = structuredClone(data);
  changed.notice = 'Three changes were skipped.';
  for (const object of changed.objects) {
    if (object.kind === 'Secret') object.state = { mark: 'goes', words: 'will be deleted' };
  }
  for (const listener of listeners) listener.write(`data: ${JSON.stringify(changed)}\n\n`);
  await page.waitForFunction(
    `document.querySelector('.verdict').textContent === 'will be deleted'`,
  );
  await frame(page);
  expect(await text(page, '#notice')).toBe('Three changes were skipped.');
  expect(await count(page, '.fresh.mark-goes.found[aria-selected=true]')).toBe(1);
  expect(await count(page, '[role=treeitem]')).toBe(inSight);
  expect(await look()).toBe(before);
  expect(await text(page, '#live')).toBe('Live.');
  isLost = true;
  for (const listener of listeners) listener.destroy();
  await page.waitForFunction(
    `document.querySelector('#live.lost')?.textContent.startsWith('Disconnected: ')`,
  );
  expect(complaints.filter((line) => !line.includes('net::ERR'))).toEqual([]);
  await page.close();
  server.closeAllConnections();
  server.close();
});
