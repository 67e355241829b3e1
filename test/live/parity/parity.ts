import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { findControlPlane, kubectlBeside } from '../../../scripts/control-plane.mjs';
import type { ConnectionOptions } from '../../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../../src/cluster/connection/connect.ts';
import { isGcError } from '../../../src/errors.ts';
import { classOfKubectlFailure } from './failure-class.ts';

/** The one that was built with the control plane; only live tests compare with it. */
const kubectl = kubectlBeside(findControlPlane() ?? '');

/** A situation that both clients are put in. */
export interface ParityCase {
  /** Files by path below the working directory; objects are written as JSON, which is YAML. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly options?: ConnectionOptions;
  /** HOME and PATH are set, nothing else is. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What came of it. */
export interface Outcome<Seen> {
  readonly seen: Seen;
  /** '' when the request was answered with 2xx. */
  readonly failure: string;
  /** The ExecCredentials that plugins were given. */
  readonly execInfo: readonly unknown[];
  /** ~/.kube/config afterwards, decoded, when something wrote to it. */
  readonly rewritten: unknown;
}

type Attempt = (situation: Situation) => Promise<string>;

interface Situation {
  readonly options: ConnectionOptions;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Runs `kubectl get --raw /version` in the situation, nothing inherited from the developer. */
export function outcomeOfKubectl<Seen>(parityCase: ParityCase, take: () => Seen) {
  return outcomeOf(parityCase, take, async ({ options, env, cwd }) => {
    const child = spawn(kubectl, ['get', '--raw', '/version', ...flagsOf(options)], {
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return code === 0 ? '' : classOfKubectlFailure(stderr);
  });
}

function flagsOf(options: ConnectionOptions): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.filter((one) => one !== undefined).map((one) => `--${name}=${one}`);
  });
}

/** Runs this project's client in the situation; what is large comes over HTTP/2. */
export function outcomeOfOurs<Seen>(
  parityCase: ParityCase,
  take: () => Seen,
  prefersHttp2 = false,
) {
  return outcomeOf(parityCase, take, async ({ options, env, cwd }) => {
    const environment = {
      env,
      cwd,
      serviceAccountDirectory: join(cwd, 'no-service-account'),
      stdinIsTerminal: false,
    };
    try {
      const client = await connect(options, environment);
      try {
        const { status, body } = await client.request({ path: '/version', prefersHttp2 });
        for await (const chunk of body) chunk.length;
        if (status === 401) return 'HTTP 401';
        return status < 300 ? '' : 'HTTP failure';
      } finally {
        client.close();
      }
    } catch (error) {
      if (isGcError(error)) return error.code;
      throw error;
    }
  });
}

async function outcomeOf<Seen>(
  { files = {}, options = {}, env = {} }: ParityCase,
  take: () => Seen,
  attempt: Attempt,
): Promise<Outcome<Seen>> {
  const cwd = mkdtempSync(join(tmpdir(), 'kubectl-gc-parity-'));
  try {
    for (const [path, content] of Object.entries(files)) writeFileIn(cwd, path, content);
    const config = join(cwd, '.kube', 'config');
    const before = existsSync(config) ? readFileSync(config, 'utf8') : undefined;
    take();
    const base = { HOME: cwd, PATH: `${join(cwd, 'bin')}:${process.env.PATH}` };
    const failure = await attempt({ options, env: { ...base, ...env }, cwd });
    const after = existsSync(config) ? readFileSync(config, 'utf8') : undefined;
    return {
      seen: take(),
      failure,
      execInfo: recordedExecInfo(join(cwd, 'exec-info')),
      rewritten: after === before || after === undefined ? undefined : usersOf(after),
    };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** kubectl writes out defaults too; only the users are anyone's business. */
function usersOf(kubeconfig: string): unknown {
  return parse(kubeconfig).users;
}

function writeFileIn(directory: string, path: string, content: unknown): void {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  const all = typeof content === 'string' ? content : JSON.stringify(content, undefined, 2);
  writeFileSync(file, all, { mode: all.startsWith('#!') ? 0o755 : 0o600 });
}

function recordedExecInfo(file: string): readonly unknown[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
