import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { terminalPicture } from '../../scripts/terminal-picture.ts';
import { gcHere } from '../support/run-here.ts';

const picture = fileURLToPath(new URL('../../docs/first-screen.svg', import.meta.url));
const commands = ['delete deployment/web -n shop --preview', 'why namespace/preview-142'];

test('the picture of the README shows what the commands print (npm run update draws it anew)', async () => {
  const screens = [];
  for (const command of commands) {
    const line = `${command} --from examples/clusters/shop.json.gz`;
    const { code, stdout, stderr } = await gcHere(line, {}, 100);
    expect(code).toBe(0);
    screens.push({ command: `kubectl gc ${command}`, output: `${stdout}${stderr}` });
  }
  await expect(terminalPicture(screens)).toMatchFileSnapshot(picture);
});

test('colours, markup and long lines', () => {
  const output = `\u001b[31mred <b>\u001b[39m & plain\n${'x'.repeat(101)}`;
  const lines = terminalPicture([{ command: 'kubectl gc', output }]).split('\n');
  expect(
    lines.filter((line) => line.startsWith('<text')).map((line) => line.replace(/<text[^>]*>/, '')),
  ).toEqual([
    '<tspan class="bold">$ kubectl gc</tspan></text>',
    '<tspan class="red">red &lt;b&gt;</tspan> &amp; plain</text>',
    `${'x'.repeat(100)}</text>`,
    'x</text>',
  ]);
});
