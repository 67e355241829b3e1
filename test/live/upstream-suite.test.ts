import { execFileSync, spawn } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wantedVersion } from '../../scripts/control-plane.mjs';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { bareEnvironment, bin } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * Kubernetes' own suite for kubectl, test/cmd of the Go module that the control plane is built from, with
 * `kubectl gc delete` in place of `kubectl delete`: the functions that are about deletion. With WHOLE_SUITE=1, every
 * function that deletes is run, which takes ten minutes and more.
 */
const script = fileURLToPath(new URL('upstream-suite/run-suite.sh', import.meta.url));
const module = moduleFolder();
const folder = temporaryFolder();
const logs = join(folder, 'logs');
const deletions = join(folder, 'deletions.txt');
let plane: ControlPlane;

/** The source of Kubernetes: downloaded when the control plane was built. */
function moduleFolder(): string {
  const answer = execFileSync(
    'go',
    ['mod', 'download', '-json', `k8s.io/kubernetes@${wantedVersion()}`],
    {
      cwd: fileURLToPath(new URL('../control-plane/kubernetes', import.meta.url)),
      encoding: 'utf8',
    },
  );
  return (JSON.parse(answer) as { Dir: string }).Dir;
}

/** Functions of the suite that call `kubectl delete`, and that its main function runs. */
function functionsThatDelete(): string[] {
  const main = readFileSync(join(module, 'test/cmd/legacy-script.sh'), 'utf8');
  const recorded = new Set([...main.matchAll(/record_command (run_\w+)/g)].map(([, name]) => name));
  const sources = globSync(join(module, 'test/cmd/*.sh')).map((path) => readFileSync(path, 'utf8'));
  const bodies = sources.flatMap((source) => source.split(/^(?=(?:function )?\w+ ?\(\))/m));
  return bodies.flatMap((body) => {
    const name = /^(?:function )?(\w+) ?\(\)/.exec(body)?.[1] ?? '';
    const isMeant = recorded.has(name) && /\bkubectl(-with-retry)? delete\b/.test(body);
    // kubectl-convert is a program of its own, and is not built. A kuberc's defaults are for kubectl's own commands.
    return isMeant && !/kubectl-convert|kubectl kuberc/.test(body) ? [name] : [];
  });
}

const isWhole = Boolean(process.env.WHOLE_SUITE);
const aboutDeletion = /^run_(kubectl_delete_\w+|namespace|configmap|kubectl_create_filter)_tests$/;

beforeAll(async () => {
  const without = ['ServiceAccount', 'DefaultStorageClass', 'DefaultTolerationSeconds'];
  plane = await startControlPlane({
    controllers: ['*'],
    tokens: [{ token: 'admin-token', user: 'admin', groups: ['system:masters'] }],
    // As hack/make-rules/test-cmd.sh starts it.
    apiServerArgs: [
      '--authorization-mode=AlwaysAllow',
      '--enable-admission-plugins=LimitRanger,ResourceQuota',
      `--disable-admission-plugins=${without},MutatingAdmissionWebhook,ValidatingAdmissionWebhook,StorageObjectInUseProtection`,
      '--service-cluster-ip-range=10.0.0.0/24',
    ],
  });
  // The suite writes where it runs, and a module is read-only.
  for (const name of readdirSync(module)) symlinkSync(join(module, name), join(folder, name));
  const programs = join(folder, '_output', 'bin');
  mkdirSync(programs, { recursive: true });
  mkdirSync(logs);
  writeFileSync(join(programs, 'kubectl'), kubectl, { mode: 0o755 });
});
afterAll(() => plane?.stop());

/** kubectl, but for `delete`. */
const kubectl = `#!/usr/bin/env bash
words=("$@")
for ((i = 0; i < $#; i++)); do
  case "\${words[i]}" in
    -s | -n | --namespace | --server | --context | --kubeconfig) ((i++)) ;;
    -*) ;;
    delete)
      echo "$*" >>"\${DELETIONS}"
      exec "\${NODE}" "\${GC}" "$@"
      ;;
    *) break ;;
  esac
done
exec "\${KUBECTL}" "$@"
`;

/** Exit code of each function, by name. */
async function runFunctions(wanted: readonly string[]): Promise<Map<string, number>> {
  const child = spawn('bash', [script], {
    cwd: folder,
    env: {
      ...bareEnvironment,
      PATH: process.env.PATH,
      TERM: 'xterm',
      GOPATH: folder,
      KUBECTL: join(plane.binaries, 'kubectl'),
      NODE: process.execPath,
      GC: bin,
      DELETIONS: deletions,
      KUBECTL_GC_BACKUP_DIR: join(folder, 'backups'),
      LOGS: logs,
      WANTED: wanted.join(' '),
      SERVER: plane.server,
      TOKEN: 'admin-token',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const results = new Map<string, number>();
  for await (const line of createInterface(child.stdout)) {
    const [word, name = '', code] = line.split(' ');
    if (word === 'RESULT') results.set(name, Number(code));
  }
  return results;
}

/** Some functions read manifests from GitHub. */
function lacksInternet(name: string): boolean {
  return /lookup raw\.githubusercontent\.com/.test(readFileSync(join(logs, `${name}.log`), 'utf8'));
}

test('the suite passes with kubectl gc delete', { timeout: 3_600_000 }, async () => {
  const wanted = functionsThatDelete().filter((name) => isWhole || aboutDeletion.test(name));
  expect(wanted.length).toBeGreaterThan(isWhole ? 60 : 4);
  const results = await runFunctions(wanted);
  expect([...results.keys()].sort()).toEqual(wanted.toSorted());
  const failed = [...results].flatMap(([name, code]) => (code === 0 ? [] : [name]));
  const doubtful = failed.filter((name) => !lacksInternet(name));
  // A few measure seconds, which a loaded machine does not keep: they have a second chance.
  const again = doubtful.length > 0 ? await runFunctions(doubtful) : new Map<string, number>();
  expect([...again.keys()].sort()).toEqual(doubtful.toSorted());
  const logsOf = [...again].flatMap(([name, code]) =>
    code === 0 ? [] : [readFileSync(join(logs, `${name}.log`), 'utf8').slice(-3000)],
  );
  expect(logsOf).toEqual([]);
  expect(readFileSync(deletions, 'utf8').split('\n').length).toBeGreaterThan(isWhole ? 200 : 15);
});
