// `npm start`: a short tour of the main questions on the bundled example, offline.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const example = 'examples/clusters/shop.json.gz';
const colour = process.env.NO_COLOR ? {} : { FORCE_COLOR: '1' };
const bold = (text) => (process.env.NO_COLOR ? text : `\u001b[1m${text}\u001b[22m`);
const dim = (text) => (process.env.NO_COLOR ? text : `\u001b[2m${text}\u001b[22m`);

const stops = [
  ['What is wrong, or about to happen?', 'status'],
  ['What hangs on the Deployment web?', 'tree deployment/web -n shop'],
  ['Who owns one of its pods, and what keeps it alive?', null],
  [
    'Which owner references are wrong, and what will the garbage collector do?',
    'invalid-ownerrefs -A',
  ],
  ['What is about to be collected, or left behind?', 'orphans -A'],
  ['What would go with the Deployment web?', 'delete deployment/web -n shop --preview'],
  ['Why does the Namespace preview-142 not go away?', 'why namespace/preview-142'],
];

function run(args, stdout) {
  const bin = join(root, 'bin/kubectl-gc.cjs');
  const result = spawnSync(process.execPath, [bin, ...args, '--from', example], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...colour },
    stdio: ['ignore', stdout, 'inherit'],
  });
  if (result.status !== 0) process.exit(result.status ?? 3);
  return result;
}

/** Some pod below the Deployment: its generated name is the recording's. */
function podOfWeb() {
  const { stdout } = run(['tree', 'deployment/web', '-n', 'shop', '-o', 'name'], 'pipe');
  return stdout.split('\n').find((name) => name.startsWith('pod/'));
}

console.log(
  `${bold('kubectl gc')}: a tour on ${example}, recorded from a real cluster. Nothing is contacted.\n`,
);
for (const [question, command] of stops) {
  const words = command ?? `owners ${podOfWeb()} -n shop`;
  console.log(bold(question));
  console.log(dim(`$ kubectl gc ${words} --from ${example}`));
  run(words.split(' '), 'inherit');
  console.log();
}
console.log("On your own cluster: put this checkout's bin first in PATH (see README.md), then");
console.log(`  ${bold('kubectl gc status')}`);
