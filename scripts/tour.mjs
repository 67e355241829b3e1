// `npm start`: three screens on the bundled example, offline, and the commands for the rest.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const example = 'examples/clusters/shop.json.gz';
const colour = process.env.NO_COLOR ? {} : { FORCE_COLOR: '1' };
const bold = (text) => (process.env.NO_COLOR ? text : `\u001b[1m${text}\u001b[22m`);
const dim = (text) => (process.env.NO_COLOR ? text : `\u001b[2m${text}\u001b[22m`);

/** Shown here, each on a screen of its own; all others are printed as commands. */
const steps = [
  ['What is stuck, wrong or about to be deleted?', 'status'],
  ['Why does Namespace preview-142 stay in Terminating?', 'why namespace/preview-142'],
  ['What else is deleted with StatefulSet search?', 'delete statefulset/search -n shop --preview'],
];
const others = [
  ['Dependents of an object', 'tree deployment/web -n shop'],
  ['Owners of an object', 'owners statefulset/search -n shop'],
  ['Wrong owner references', 'invalid-ownerrefs -A'],
  ['Objects without an existing owner', 'orphans -A'],
  ['What the controllers delete next', 'forecast'],
  ['What changed five minutes later', 'snapshot diff examples/clusters/shop-later.json.gz'],
];

function run(args) {
  const bin = join(root, 'bin/kubectl-gc.cjs');
  const { status } = spawnSync(process.execPath, [bin, ...args, '--from', example], {
    cwd: root,
    env: { ...process.env, ...colour },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 3);
}

/** On a terminal, the next screen comes when the reader is ready. */
async function nextScreen() {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  await lines.question(dim('Press Enter for the next step. '));
  lines.close();
}

for (const [at, [question, command]] of steps.entries()) {
  console.log(bold(`${at + 1}/${steps.length} ${question}`));
  console.log(dim(`$ kubectl gc ${command} --from ${example}`));
  run(command.split(' '));
  await nextScreen();
}
console.log(bold('\nMore, on the same recorded cluster'));
for (const [title, command] of others) {
  const files = command.startsWith('snapshot diff')
    ? command.replace('diff ', `diff ${example} `)
    : `${command} --from ${example}`;
  console.log(`${title.padEnd(34)}$ kubectl gc ${files}`);
}
console.log(`On your cluster: add bin to PATH (README.md), then ${bold('kubectl gc status')}`);
