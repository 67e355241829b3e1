// `npm test`: runs all checks under the Node of node_modules, whichever Node the machine has.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const neededMajor = 26;
const root = fileURLToPath(new URL('..', import.meta.url));

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  // Loaded late because an older Node cannot read TypeScript.
  const { runChecks } = await import('./checks/run-checks.ts');
  process.exitCode = await runChecks(root);
} else {
  process.exitCode = await underNewerNode(join(root, 'node_modules', 'node', 'bin', 'node'));
}

/** @param {string} node */
async function underNewerNode(node) {
  if (!existsSync(node)) {
    console.error(`The checks need Node ${neededMajor}; this is Node ${process.versions.node}.`);
    console.error('The development dependency `node` brings it, but it is not installed.');
    console.error('Run `npm ci` without --ignore-scripts: the package fetches Node in a script.');
    return 2;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  const [status] = await once(child, 'close');
  return status ?? 2;
}
