// `node scripts/page-picture.ts`: the picture of a page that docs/output.md shows, from the build and the bundled example.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startReader } from '../test/support/opened-page.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = 'delete namespace/shop --preview -o html --from examples/clusters/shop.json.gz';
const { stdout } = spawnSync(process.execPath, ['bin/kubectl-gc.cjs', ...command.split(' ')], {
  cwd: root,
  encoding: 'utf8',
});
const reader = await startReader();
try {
  const { page } = await reader.open(stdout, { width: 1280 });
  await page.focus('input[type=search]');
  await page.keyboard.sendCharacter('recommendations-575c7ff47-dkqnm');
  await page.keyboard.press('Enter');
  await page.$eval('input[type=search]', (input) => {
    input.value = '';
    input.dispatchEvent(new Event('input'));
    input.blur();
  });
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  );
  await page.screenshot({ path: `${root}docs/page.png` });
} finally {
  await reader.stop();
}
