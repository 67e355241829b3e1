// `npm start`: three screens on the bundled example, offline, and the commands for the rest; in under 60 lines.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const example = 'examples/clusters/shop.json.gz';
const colour = process.env.NO_COLOR ? {} : { FORCE_COLOR: '1' };
const bold = (text) => (process.env.NO_COLOR ? text : `\u001b[1m${text}\u001b[22m`);
const dim = (text) => (process.env.NO_COLOR ? text : `\u001b[2m${text}\u001b[22m`);

/** Each fits a terminal of 24 rows; behind it stands what the next screen is about. */
const steps = [
  ['status', '2/3 Why is Service partner-api stuck?'],
  ['why service/partner-api -n shop', '3/3 What else is deleted with StatefulSet catalog-db?'],
  ['delete statefulset/catalog-db -n shop --preview', 'More, on the same recorded cluster'],
];
const later = 'examples/clusters/shop-later.json.gz';

function run(args) {
  const bin = join(root, 'bin/kubectl-gc.cjs');
  const { status } = spawnSync(process.execPath, [bin, ...args, '--from', example], {
    cwd: root,
    env: { ...process.env, ...colour },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 3);
}

/** On a terminal, the next screen comes when the reader is ready: what it is about stands below this one. */
async function nextScreen(title) {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    console.log(bold(title));
    return;
  }
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  await lines.question(`${bold(title)} ${dim('Press Enter.')} `);
  lines.close();
}

for (const [command, next] of steps) {
  console.log(dim(`$ kubectl gc ${command} --from ${example}`));
  run(command.split(' '));
  await nextScreen(next);
}
console.log(`5 minutes later: $ kubectl gc snapshot diff ${example} ${later}`);
console.log(`On your cluster: add bin to PATH (README.md), then ${bold('kubectl gc status')}`);
