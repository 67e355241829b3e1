import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { keptPackage } from '../../../scripts/release/executable.ts';
import { startReader } from '../../support/opened-page.ts';
import { gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Words are measured as they are drawn, whichever font the reader has. */
const shop = '--from examples/clusters/shop.json.gz';
const preview = `delete namespace/shop --preview ${shop}`;
const folder = temporaryFolder();
let drawn: readonly string[] = [];

beforeAll(async () => {
  const names = ['session-replicas-5f7d9c8b6d-abcde-and-more-of-it-x2x9q', 'W'.repeat(40)];
  const items = names.map((name) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop', uid: name, finalizers: ['example.com/hold'] },
  }));
  const file = join(folder, 'wide.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const wide = `delete configmap --all -n shop --preview --from ${file}`;
  const printed = async (command: string, format: string) =>
    (await gc(`${command} -o ${format}`)).stdout;
  const pages = [wide, preview, `forecast --within 7d ${shop}`];
  const pictures = await Promise.all([wide, preview].map((one) => printed(one, 'svg')));
  expect(pictures[0]).toContain('>session-replicas-…x2x9q<');
  drawn = [
    ...(await Promise.all(pages.map((one) => printed(one, 'html')))),
    ...pictures.map((one) => `<p class="panel">${one}`),
  ];
}, 120_000);

/** The fonts in which the words of the boxes are really drawn. */
async function familiesIn(page: Page, family: string): Promise<string[]> {
  const session = await page.createCDPSession();
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const { nodeIds } = await session.send('DOM.querySelectorAll', {
    ...{ nodeId: root.nodeId, selector: 'svg text' },
  });
  const used = await Promise.all(
    nodeIds.map((nodeId) => session.send('CSS.getPlatformFontsForNode', { nodeId })),
  );
  const names = used.flatMap(({ fonts }) => fonts.map(({ familyName }) => familyName));
  // Some have a family of their own for what is half bold.
  return [...new Set(names.map((name) => (name.startsWith(`${family} `) ? family : name)))];
}

/** Arimo is as wide as Arial, Liberation Sans and Helvetica. */
describe.each([
  ['DejaVu Sans', 'dejavu-fonts-ttf@2.37.3', 'ttf'],
  ['Noto Sans', '@expo-google-fonts/noto-sans@0.4.2', ''],
  ['Arimo', '@expo-google-fonts/arimo@0.4.3', ''],
])('in %s', (family, named, below) => {
  test('words stay in their boxes, and are cut between words, in pages and in pictures', async () => {
    const reader = await startReader({ folder: join(keptPackage(named), below), family });
    const seen: unknown[] = [];
    for (const content of drawn) {
      const { page } = await reader.open(content);
      const outside =
        await page.evaluate(`[...document.querySelectorAll('.box, .span')].flatMap((box) => {
        const { right } = box.getBoundingClientRect();
        const texts = [...box.parentElement.querySelectorAll(':scope > text')];
        return texts.filter((text) => text.getBoundingClientRect().right > right).map(({ textContent }) => textContent);
      })`);
      seen.push({ outside, families: await familiesIn(page, family) });
      await page.close();
    }
    await reader.stop();
    expect(seen).toEqual(drawn.map(() => ({ outside: [], families: [family] })));
  }, 120_000);
});
