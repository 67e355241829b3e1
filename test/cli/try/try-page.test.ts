import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReader } from '../../support/opened-page.ts';

/** docs/try.html, as the build makes it, in a real browser. */
const page = readFileSync('docs/try.html', 'utf8');
let reader: Awaited<ReturnType<typeof startReader>>;
beforeAll(async () => {
  reader = await startReader();
});
afterAll(() => reader?.stop());

const textOf = (shown: Page, selector: string) =>
  shown.$$eval(selector, (found) => found.map((one) => one.textContent?.trim() ?? ''));

/** Puts a text in the place of the example, as a paste does. */
async function paste(shown: Page, text: string): Promise<void> {
  await shown.$eval(
    '#text',
    (area, value) => {
      (area as unknown as { value: string }).value = value;
      area.dispatchEvent(new Event('change'));
    },
    text,
  );
}

test('needs nothing else, and is no larger than a picture', () => {
  expect(gzipSync(page).length).toBeLessThan(190_000);
  expect(/\bnode:[a-z]|<link|@import/.test(page)).toBe(false);
});

test('plays each example, and compares the policies', async () => {
  const { page: shown, complaints } = await reader.open(page);
  expect(await textOf(shown, 'h1')).toEqual(['Three ways to delete Deployment/web']);
  expect(await textOf(shown, '#summary p')).toEqual([
    'background: 4 deleted',
    'foreground: 4 deleted',
    'orphan: 1 deleted, 1 orphaned',
    expect.stringMatching(/^Note: with orphan: .* adopts ReplicaSet web-5d7c; /),
  ]);
  await shown.select('#policy', 'Orphan');
  expect(await textOf(shown, 'h1')).toEqual(['Deletion of Deployment/web']);
  await shown.select('#example', '1');
  const held = await textOf(shown, '#rows td, #rows th');
  expect(held.filter((cell) => cell.includes('example.com/backup')).length).toBeGreaterThan(0);
  await shown.select('#example', '2');
  expect((await textOf(shown, '#rows td')).join(' ')).toMatch(/stays|kept/);
  await shown.select('#example', '3');
  expect(await textOf(shown, 'h1')).toEqual(['Deletion of Namespace/shop']);
  const pictures = await shown.$$eval('.picture', (all) => all.length);
  expect(pictures).toBe(1);
  expect(complaints).toEqual([]);
});

test('reads lists, JSON and another object, and says what it cannot read', async () => {
  const { page: shown, complaints } = await reader.open(page);
  const metadata = (name: string, uid: string) => ({ name, namespace: 'shop', uid });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'root', uid: '1' }];
  const items = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('root', '1') },
    { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata('child', '2'), ownerReferences } },
  ];
  await paste(shown, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  expect(await textOf(shown, '#target option')).toEqual([
    'configmap/root -n shop',
    'secret/child -n shop',
  ]);
  await shown.select('#target', '1');
  expect(await textOf(shown, 'h1')).toEqual(['Three ways to delete Secret/child']);
  await paste(shown, `${JSON.stringify(items[0])}\n---\na: [\n---\nkind: Deployment\n`);
  expect(await textOf(shown, '#gaps li')).toEqual([
    expect.stringContaining('invalid YAML'),
    expect.stringContaining('text:'),
  ]);
  await paste(shown, 'nothing');
  expect(await textOf(shown, '#fault')).toEqual(['The text contains no Kubernetes object.']);
  expect(complaints).toEqual([]);
});

test('runs nothing that stands in a text', async () => {
  const { page: shown, complaints } = await reader.open(page);
  const names = [
    '<img src=x onerror=alert(1)>',
    '</script><script>alert(1)</script>',
    '"><svg onload=alert(1)>',
    'javascript:alert(1)',
    '__proto__',
    '\u202eevil\u0007',
  ];
  const objects = names.map((name, at) =>
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: { name, namespace: name, uid: name, finalizers: at === 0 ? [name] : [] },
    }),
  );
  await paste(shown, objects.join('\n---\n'));
  expect(await textOf(shown, '#gaps li')).toEqual([
    expect.stringContaining('no server accepts the ConfigMap: invalid resource name'),
    expect.stringContaining('the input does not show all configmaps'),
  ]);
  expect(await shown.$$eval('#target option', (all) => all.length)).toBe(names.length - 1);
  for (const at of names.slice(1).keys()) {
    await shown.select('#target', String(at));
    for (const policy of ['Foreground', 'compare']) await shown.select('#policy', policy);
  }
  const made = await shown.$$eval(
    'main img, main script, main [onload], main [onerror]',
    (all) => all.length,
  );
  expect(made).toBe(0);
  expect(complaints).toEqual([]);
});
