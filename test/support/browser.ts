import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';

/** The one font of a browser. */
export interface BrowserFont {
  readonly folder: string;
  readonly family: string;
}

/**
 * Starts the Chromium that comes with npm, with the libraries it needs beside it: nothing has to be
 * installed. Rejects when it does not start. Without a font, it has the one that it brings.
 */
export async function startBrowser(font?: BrowserFont): Promise<{
  readonly browser: Browser;
  stop(): Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-browser-'));
  const { TMPDIR, AWS_EXECUTION_ENV, FONTCONFIG_FILE } = process.env;
  // It unpacks itself there, and its libraries only where it believes to be needed for them.
  process.env.TMPDIR = folder;
  process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs22.x';
  // The fonts it brings say that they are in /tmp; without any font it ends.
  const fonts = join(folder, 'fonts.conf');
  const only = font
    ? `<dir>${font.folder}</dir><match target="pattern"><edit name="family" mode="assign" binding="strong"><string>${font.family}</string></edit></match>`
    : `<dir>${folder}/fonts</dir>`;
  writeFileSync(fonts, `<fontconfig>${only}<cachedir>${folder}/cache</cachedir></fontconfig>`);
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
    // Node asks the process itself where temporary files go: another object in its place would not do.
    for (const [name, value] of Object.entries({ TMPDIR, AWS_EXECUTION_ENV, FONTCONFIG_FILE })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}
