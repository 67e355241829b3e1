import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const runChecks = new URL('../../../scripts/checks/run-checks.ts', import.meta.url).href;
const binaries = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'];

/** Writes vitest's report where it is told to; each of the files that failed has one failure, at each try or at the first. */
const vitest = (passed: number, failed = 0, tries = 'always') =>
  `node vitest.mjs ${passed} ${failed} ${tries}`;
const vitestStub = `
import { writeFileSync } from 'node:fs';
const [passed, failing, tries, ...args] = process.argv.slice(2);
const again = args.filter((arg) => !arg.startsWith('--'));
const failed = again.length > 0 && tries === 'once' ? 0 : +failing;
const path = args.find((arg) => arg.startsWith('--outputFile.json=')).split('=')[1];
const testResults = Array.from({ length: failed }, (_, n) => ({
  name: 'file-' + n,
  status: 'failed',
  assertionResults: [{ status: 'failed', fullName: 'a test of file-' + n }],
}));
const numbers = { numPassedTests: +passed, numFailedTests: failed, numPendingTests: 0, numTodoTests: 0 };
writeFileSync(path, JSON.stringify({ ...numbers, testResults }));
console.log(['vitest speaks', ...again].join(' '));
process.exitCode = failed && 1;
`;

/** Stands for the build of the control plane. */
const builder = `
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const cache = join(process.env.XDG_CACHE_HOME, 'kubectl-gc/control-plane/v1.36.3/bin');
mkdirSync(cache, { recursive: true });
console.error('the build speaks');
for (const name of ${JSON.stringify(binaries)}) writeFileSync(join(cache, name), '', { mode: 0o755 });
`;

const endless = `
import { writeFileSync } from 'node:fs';
writeFileSync('build-pid', String(process.pid));
setInterval(() => undefined, 1000);
`;

const patience = { timeout: 20_000 };

/** Waits until a process has written its id to a file. */
async function noted(file: string): Promise<void> {
  const path = join(root, file);
  const read = () => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  await expect.poll(read, patience).toMatch(/\d/);
}

/** Waits until the process whose id a file holds is no more. */
async function gone(file: string): Promise<void> {
  const pid = Number(readFileSync(join(root, file), 'utf8'));
  await expect.poll(() => isRunning(pid), patience).toBe(false);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const green = {
  typecheck: 'exit 0',
  lint: 'exit 0',
  deadcode: 'exit 0',
  build: 'exit 0',
  'test:unit': vitest(7),
  'test:cli': vitest(3),
  'test:shipped': vitest(4),
  'test:live': vitest(5),
};

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kubectl-gc-checks-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

interface Options {
  readonly ci?: string;
  readonly builder?: string;
}

/** Writes a project with these scripts; answers how to run its checks. */
function project(scripts: Readonly<Record<string, string>>, options: Options = {}) {
  const { CI: _, KUBEBUILDER_ASSETS: __, ...inherited } = process.env;
  mkdirSync(join(root, 'scripts'));
  writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts }));
  writeFileSync(join(root, 'vitest.mjs'), vitestStub);
  writeFileSync(join(root, 'scripts/control-plane.mjs'), options.builder ?? builder);
  const program = `import { runChecks } from '${runChecks}'; process.exitCode = await runChecks(process.argv[1]);`;
  const ci = options.ci ? { CI: options.ci } : {};
  return {
    args: ['--input-type=module', '-e', program, root],
    env: { ...inherited, ...ci, XDG_CACHE_HOME: join(root, 'cache') },
  };
}

/** Runs the checks of such a project; times are replaced by `T`. */
function check(scripts: Readonly<Record<string, string>>, options: Options = {}) {
  const { args, env } = project(scripts, options);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  return {
    status,
    stderr,
    lines: stdout
      .replaceAll(/\d+\.\d s/g, 'T')
      .trimEnd()
      .split('\n'),
  };
}

/** What a suite prints, with what vitest was given. */
const suite = (title: string, end = 'T', ...given: string[]) => [
  title,
  ['vitest speaks', ...given].join(' '),
  `${title}: ${end}`,
  '',
];
const failed = 'failed after T';
const checks = ['typecheck T', 'lint T', 'dead code T', 'build T'];
const local = [...checks, ...suite('unit tests'), ...suite('command line tests')];
const inCi = [...local, ...suite('tests of what is published')];
const again = 'live tests that failed, once more';

interface Case {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly options?: Options;
  readonly status?: number;
  readonly stderr?: string;
  readonly lines: readonly string[];
}
const ci = { options: { ci: 'true' }, stderr: 'the build speaks\n' };

describe('npm test', () => {
  test.each<[string, Case]>([
    [
      'lists skipped suites',
      {
        lines: [
          ...local,
          'tests of what is published: left out, `npm run test:shipped` runs them',
          'live tests: left out, no control plane here; `npm run control-plane` builds it once (about 9 minutes)',
          '10 passed, 0 failed',
        ],
      },
    ],
    [
      'runs live tests in CI',
      { ...ci, lines: [...inCi, ...suite('live tests'), '19 passed, 0 failed'] },
    ],
    [
      'fails in CI without a control plane',
      {
        options: { ci: '1', builder: `console.error('no go'); process.exitCode = 3;` },
        status: 1,
        stderr: 'no go\n',
        lines: [
          ...inCi,
          'live tests: no control plane could be built to run them against',
          '14 passed, 1 failed',
        ],
      },
    ],
    [
      'stops at a failing check, with its output',
      {
        scripts: { lint: 'echo so wrong; exit 1' },
        status: 1,
        lines: ['typecheck T', 'lint failed after T', 'so wrong', '0 passed, 1 failed'],
      },
    ],
    [
      'reruns failing live tests, and names those that pass',
      {
        ...ci,
        scripts: { 'test:live': vitest(5, 1, 'once') },
        lines: [
          ...inCi,
          ...suite('live tests', failed),
          ...suite(again, 'T', 'file-0'),
          '20 passed, 0 failed',
          'passed at the second try only: a test of file-0',
        ],
      },
    ],
    [
      'fails after two failures',
      {
        ...ci,
        scripts: { 'test:live': vitest(5, 2) },
        status: 1,
        lines: [
          ...inCi,
          ...suite('live tests', failed),
          ...suite(again, failed, 'file-0', 'file-1'),
          '19 passed, 2 failed',
        ],
      },
    ],
  ])('%s', (_, { scripts, options, status = 0, stderr = '', lines }) => {
    expect(check({ ...green, ...scripts }, options)).toEqual({ status, stderr, lines });
  });

  test('leaves nothing behind when it is interrupted', async () => {
    const lint = 'echo $$ > lint-pid; while true; do sleep 0.05; done';
    const { args, env } = project({ ...green, lint }, { ci: 'true', builder: endless });
    const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
    const closed = once(child, 'close');
    await noted('build-pid');
    await noted('lint-pid');
    child.kill('SIGINT');
    expect(await closed).toEqual([130, null]);
    await gone('build-pid');
    await gone('lint-pid');
  });
});
