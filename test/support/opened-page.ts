import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';
import { type BrowserFont, startBrowser } from './browser.ts';

/** A page as a reader has it, and all that the browser says against it: errors, requests, dialogs, violations of its policy. */
export interface OpenedPage {
  readonly page: Page;
  readonly complaints: string[];
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly withoutScript?: boolean;
}

/** One browser for all pages of a file of tests. */
export async function startReader(font?: BrowserFont) {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-pages-'));
  const { browser, stop } = await startBrowser(font);
  let files = 0;
  return {
    browser,
    /** Opens a page as a browser opens a saved file. */
    open: (html: string, options: OpenOptions = {}) => {
      const path = join(folder, `${files++}.html`);
      writeFileSync(path, html);
      return visit(browser, pathToFileURL(path).href, options);
    },
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Waits until the page has been drawn once more. */
export const frame = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

/** Opens an address, and waits until the page has drawn itself. */
export async function visit(
  browser: Browser,
  address: string,
  { width = 1200, height = 900, scheme = 'light', withoutScript = false }: OpenOptions = {},
): Promise<OpenedPage> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(address).origin) complaints.push(request.url());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.setJavaScriptEnabled(!withoutScript);
  await page.goto(address);
  // A picture gets its role when it is drawn.
  if (!withoutScript) {
    await page.waitForFunction(
      `document.querySelector('.panel') !== null && document.querySelector('.picture:not([role])') === null`,
    );
  }
  return { page, complaints };
}
