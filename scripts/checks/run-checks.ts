import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findControlPlane } from '../control-plane.mjs';
import { type BackgroundBuild, startBackgroundBuild } from './background-build.ts';
import { runStep, runTogether, type Step } from './step.ts';
import {
  add,
  failedFiles,
  noTests,
  summaryOf,
  type Tally,
  tallyOf,
  type VitestReport,
  withSecondTry,
} from './tally.ts';

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
    offline = add(offline, (await runTests(name, script, root)).tally);
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
  return add(offline, await runLiveTests(root));
}

/** With more files than these, something is wrong that a second try would not change. */
const mostFilesToTryAgain = 5;

/**
 * Runs the live tests. A real control plane on a busy machine has races of its own, so files that failed are run
 * once more, on the same random cases. A mistake of ours fails again; what passes then is named in the end.
 */
async function runLiveTests(root: string): Promise<Tally> {
  process.env.KUBECTL_GC_FRESH_SEED ??= `${Math.floor(Math.random() * 1_000_000)}`;
  const { tally, report } = await runTests('live tests', 'test:live', root);
  const files = report ? failedFiles(report) : [];
  if (!report || files.length === 0 || files.length > mostFilesToTryAgain) return tally;
  const again = await runTests('live tests that failed, once more', 'test:live', root, files);
  return again.tally.failed === 0 ? withSecondTry(tally, report) : tally;
}

/** How a suite, or some files of it, ended; without a report when vitest ended before it wrote one. */
async function runTests(name: string, script: string, root: string, files: readonly string[] = []) {
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-gc-tests-'));
  const path = join(directory, 'report.json');
  const args = [...files, '--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  try {
    const succeeded = await runStep({ name, script, args }, root);
    const report = parsed(path);
    return { tally: tallyOf(report, succeeded), report };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function parsed(path: string): VitestReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
