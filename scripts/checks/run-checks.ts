import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findControlPlane } from '../control-plane.mjs';
import { type BackgroundBuild, startBackgroundBuild } from './background-build.ts';
import { runStep, runTogether, type Step } from './step.ts';
import { add, noTests, summaryOf, type Tally, tallyOf } from './tally.ts';

const checks: readonly Step[] = [
  { name: 'typecheck', script: 'typecheck' },
  { name: 'lint', script: 'lint' },
  { name: 'dead code', script: 'deadcode' },
  { name: 'build', script: 'build' },
];

/** The tests that need no control plane, in the order in which they run. */
const suites = [
  ['unit tests', 'test:unit'],
  ['command line tests', 'test:cli'],
] as const;
/** These fetch programs of others, so that they run in CI, and where somebody asks for them. */
const shipped = ['tests of what is published', 'test:shipped'] as const;

/** Runs every check, stops at the first that fails, ends with the count of tests; returns the exit code. */
export async function runChecks(root: string): Promise<number> {
  const inCi = !['', 'false', '0'].includes(process.env.CI ?? '');
  const build = inCi && !findControlPlane() ? startBackgroundBuild(root) : undefined;
  const tally = await checkAll(root, inCi, build);
  build?.stop();
  process.stdout.write(`${summaryOf(tally)}\n`);
  return tally.failed === 0 ? 0 : 1;
}

async function checkAll(
  root: string,
  inCi: boolean,
  build: BackgroundBuild | undefined,
): Promise<Tally> {
  if (!(await runTogether(checks, root))) return { ...noTests, failed: 1 };
  let offline = noTests;
  for (const [name, script] of inCi ? [...suites, shipped] : suites) {
    offline = add(offline, await runTests(name, script, root));
    if (offline.failed > 0) return offline;
  }
  if (!inCi) process.stdout.write(`${shipped[0]}: left out, \`npm run ${shipped[1]}\` runs them\n`);
  if (build && !(await build.wait())) {
    process.stdout.write('live tests: no control plane could be built to run them against\n');
    return { ...offline, failed: 1 };
  }
  if (!findControlPlane()) {
    process.stdout.write(
      'live tests: left out, no control plane here; `npm run control-plane` builds it once (about 9 minutes)\n',
    );
    return offline;
  }
  return add(offline, await runTests('live tests', 'test:live', root));
}

async function runTests(name: string, script: string, root: string): Promise<Tally> {
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-gc-tests-'));
  const report = join(directory, 'report.json');
  const args = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const succeeded = await runStep({ name, script, args }, root);
    return tallyOf(parsed(report), succeeded);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The report, or undefined when vitest ended before it wrote one. */
function parsed(path: string) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
