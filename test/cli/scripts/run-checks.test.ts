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

const passedChecks = ['typecheck T', 'lint T', 'dead code T', 'build T'];
const passedUnit = ['unit tests', 'vitest speaks', 'unit tests: T', ''];
const passedCli = ['command line tests', 'vitest speaks', 'command line tests: T', ''];

const passedShipped = [
  'tests of what is published',
  'vitest speaks',
  'tests of what is published: T',
  '',
];

describe('npm test', () => {
  test('leaves out what needs other programs or a control plane, and says so in a line each', () => {
    expect(check(green)).toEqual({
      status: 0,
      stderr: '',
      lines: [
        ...passedChecks,
        ...passedUnit,
        ...passedCli,
        'tests of what is published: left out, `npm run test:shipped` runs them',
        'live tests: left out, no control plane here; `npm run control-plane` builds it once (about 9 minutes)',
        '10 passed, 0 failed',
      ],
    });
  });

  test('builds the control plane in CI and runs the live tests against it', () => {
    expect(check(green, { ci: 'true' })).toEqual({
      status: 0,
      stderr: 'the build speaks\n',
      lines: [
        ...passedChecks,
        ...passedUnit,
        ...passedCli,
        ...passedShipped,
        'live tests',
        'vitest speaks',
        'live tests: T',
        '',
        '19 passed, 0 failed',
      ],
    });
  });

  test('takes live tests that cannot run in CI for a failure', () => {
    const broken = `console.error('no go'); process.exitCode = 3;`;
    expect(check(green, { ci: '1', builder: broken })).toEqual({
      status: 1,
      stderr: 'no go\n',
      lines: [
        ...passedChecks,
        ...passedUnit,
        ...passedCli,
        ...passedShipped,
        'live tests: no control plane could be built to run them against',
        '14 passed, 1 failed',
      ],
    });
  });

  test('stops at the first check that fails, and shows what it printed', () => {
    expect(check({ ...green, lint: 'echo so wrong; exit 1' })).toEqual({
      status: 1,
      stderr: '',
      lines: ['typecheck T', 'lint failed after T', 'so wrong', '0 passed, 1 failed'],
    });
  });

  test('stops at failing unit tests', () => {
    expect(check({ ...green, 'test:unit': vitest(6, 2) })).toEqual({
      status: 1,
      stderr: '',
      lines: [
        ...passedChecks,
        'unit tests',
        'vitest speaks',
        'unit tests: failed after T',
        '',
        '6 passed, 2 failed',
      ],
    });
  });

  test('stops at failing tests of the command line, and counts the unit tests before them', () => {
    expect(check({ ...green, 'test:cli': vitest(2, 1) })).toEqual({
      status: 1,
      stderr: '',
      lines: [
        ...passedChecks,
        ...passedUnit,
        'command line tests',
        'vitest speaks',
        'command line tests: failed after T',
        '',
        '9 passed, 1 failed',
      ],
    });
  });

  describe('live tests that fail', () => {
    const before = [...passedChecks, ...passedUnit, ...passedCli, ...passedShipped];
    const first = ['live tests', 'vitest speaks', 'live tests: failed after T', ''];
    const failingAgain = [
      'live tests that failed, once more',
      'vitest speaks file-0 file-1',
      'live tests that failed, once more: failed after T',
      '',
    ];

    test('are run once more, and named if they pass then', () => {
      const live = vitest(5, 1, 'once');
      expect(check({ ...green, 'test:live': live }, { ci: 'true' })).toEqual({
        status: 0,
        stderr: 'the build speaks\n',
        lines: [
          ...before,
          ...first,
          'live tests that failed, once more',
          'vitest speaks file-0',
          'live tests that failed, once more: T',
          '',
          '20 passed, 0 failed',
          'passed at the second try only: a test of file-0',
        ],
      });
    });

    test('have failed if they do so again', () => {
      expect(check({ ...green, 'test:live': vitest(5, 2) }, { ci: 'true' })).toEqual({
        status: 1,
        stderr: 'the build speaks\n',
        lines: [...before, ...first, ...failingAgain, '19 passed, 2 failed'],
      });
    });

    test('in more than three files are not run again', () => {
      const live = vitest(5, 4, 'once');
      expect(check({ ...green, 'test:live': live }, { ci: 'true' })).toEqual({
        status: 1,
        stderr: 'the build speaks\n',
        lines: [...before, ...first, '19 passed, 4 failed'],
      });
    });
  });

  test('ends the checks beside one that fails', async () => {
    const deadcode = 'echo $$ > deadcode-pid; while true; do sleep 0.05; done';
    const lint = 'while ! test -s deadcode-pid; do sleep 0.05; done; exit 1';
    expect(check({ ...green, lint, deadcode }).status).toBe(1);
    await gone('deadcode-pid');
  });

  test('does not leave a build behind when it stops early', async () => {
    const lint = 'while ! test -s build-pid; do sleep 0.05; done; exit 1';
    const { status } = check({ ...green, lint }, { ci: 'true', builder: endless });
    expect(status).toBe(1);
    await gone('build-pid');
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
