// `npm test`: runs all checks under the Node of node_modules, whichever Node the machine has.
import { spawnSync } from 'node:child_process';
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
  process.exitCode = underNewerNode(join(root, 'node_modules', 'node', 'bin', 'node'));
}

/** @param {string} node */
function underNewerNode(node) {
  if (!existsSync(node)) {
    console.error(`The checks need Node ${neededMajor}; this is Node ${process.versions.node}.`);
    console.error('The development dependency `node` brings it, but it is not installed.');
    console.error('Run `npm ci` without --ignore-scripts: the package fetches Node in a script.');
    return 2;
  }
  const script = fileURLToPath(import.meta.url);
  const { status, error } = spawnSync(node, [script], { stdio: 'inherit' });
  if (error) console.error(`Cannot start ${node}: ${error.message}`);
  return status ?? 2;
}
