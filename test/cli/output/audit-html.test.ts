import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditHtml } from '../../../src/output/audit-formats/html.ts';
import { auditedRecords, reportOf } from '../../support/audit-report.ts';
import { startBrowser } from '../../support/browser.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
let browser: Browser;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  ({ browser, stop } = await startBrowser());
});
afterAll(() => stop());

/** Opens the page as a browser opens a saved file, and notes whatever it complains about. */
async function opened(html: string, width = 1200): Promise<{ page: Page; complaints: string[] }> {
  const path = join(folder, 'audit.html');
  writeFileSync(path, html);
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) complaints.push(request.url());
  });
  await page.setViewport({ width, height: 900 });
  await page.goto(pathToFileURL(path).href);
  return { page, complaints };
}

const titles = (page: Page) =>
  page.$$eval('article:not([hidden]) h3', (found) => found.map((each) => each.textContent ?? ''));

test('shows the findings, and only those that the filter asks for', async () => {
  const { page, complaints } = await opened(auditHtml(reportOf()));
  const all = await titles(page);
  expect(all.length).toBe(5);
  expect(await page.$eval('#shown', (shown) => shown.textContent)).toBe('5 findings');

  await page.type('input[name=text]', 'web-FLAGS');
  expect(await titles(page)).toEqual(['error ConfigMap shop/web-flags']);
  expect(await page.$eval('#shown', (shown) => shown.textContent)).toBe('1 of 5 findings');

  await page.click('input[name=text]', { count: 3 });
  await page.keyboard.press('Backspace');
  await page.select('select[name=severity]', 'warning');
  expect(await titles(page)).toEqual(['warning ClusterRole a:b/c']);
  await page.select('select[name=severity]', '');
  await page.select('select[name=status]', 'waived');
  expect(await titles(page)).toEqual(['error ConfigMap shop/waived']);
  await page.select('select[name=status]', '');
  await page.select('select[name=rule]', 'missing-owner');
  expect((await titles(page)).length).toBe(4);
  expect(complaints).toEqual([]);
  await page.close();
});

test.each([
  ['light', 1200],
  ['dark', 1200],
  ['light', 380],
] as const)('fits the window and can be read, %s, %i wide', async (scheme, width) => {
  const { page, complaints } = await opened(auditHtml(reportOf()), width);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  // As text: the tests know no browser's types.
  const seen = await page.evaluate(`({
    overflows: document.documentElement.scrollWidth > window.innerWidth,
    pictures: document.querySelectorAll('article svg').length,
    colours: getComputedStyle(document.body).color + getComputedStyle(document.body).backgroundColor,
  })`);
  expect(seen).toEqual({
    overflows: false,
    pictures: 5,
    colours:
      scheme === 'dark' ? 'rgb(228, 233, 240)rgb(18, 22, 28)' : 'rgb(28, 36, 48)rgb(246, 247, 249)',
  });
  if (process.env.SCREENSHOTS) {
    const path = join(process.env.SCREENSHOTS, `audit-${scheme}-${width}.png`);
    await page.screenshot({ path: path as `${string}.png`, fullPage: true });
  }
  expect(complaints).toEqual([]);
  await page.close();
});

test('without findings there is no filter', async () => {
  const { page, complaints } = await opened(auditHtml(reportOf(auditedRecords.slice(0, 1), {})));
  expect(await page.$$('form, article, script')).toEqual([]);
  expect(await page.$eval('h1', (heading) => heading.textContent)).toBe('kubectl gc audit passed');
  expect(complaints).toEqual([]);
  await page.close();
});
