import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';

/**
 * Starts the Chromium that comes with npm, with the libraries it needs beside it: nothing has to be
 * installed. Rejects when it does not start.
 */
export async function startBrowser(): Promise<{
  readonly browser: Browser;
  stop(): Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-browser-'));
  const before = { ...process.env };
  // It unpacks itself there, and its libraries only where it believes to be needed for them.
  process.env.TMPDIR = folder;
  process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs22.x';
  // The fonts it brings say that they are in /tmp; without any font it ends.
  const fonts = join(folder, 'fonts.conf');
  writeFileSync(
    fonts,
    `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>`,
  );
  process.env.FONTCONFIG_FILE = fonts;
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    const { default: puppeteer } = await import('puppeteer-core');
    const browser = await puppeteer.launch({
      executablePath: await chromium.executablePath(),
      // No sandbox, as tests may run as root; a container's /dev/shm may be tiny.
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      headless: 'shell',
      env: { ...process.env },
    });
    return {
      browser,
      stop: async () => {
        await browser.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } finally {
    process.env = before;
  }
}
