// Finds the control plane that the live tests run against, or builds it once from the Go module proxy.
// Usage: node scripts/control-plane.mjs [--find] [--version vX.Y.Z]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const defaultVersion = 'v1.36.3';

/** The version to build and to test against: what KUBECTL_GC_CONTROL_PLANE_VERSION says, or the default. */
export function wantedVersion() {
  return process.env.KUBECTL_GC_CONTROL_PLANE_VERSION || defaultVersion;
}

const kubernetesBinaries = ['kube-apiserver', 'kube-controller-manager', 'kubectl'];
const packages = new Map([
  ['etcd', 'go.etcd.io/etcd/server/v3'],
  ...kubernetesBinaries.map(
    (name) => /** @type {const} */ ([name, `k8s.io/kubernetes/cmd/${name}`]),
  ),
]);
/** Not part of a control plane that is found: what one test needs, which builds it. */
const optional = 'cloud-controller-manager';
const modules = fileURLToPath(new URL('../test/control-plane/', import.meta.url));

/** Where a build of `version` is kept, whether it is there or not. */
export function cacheDirectory(version = wantedVersion()) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'kubectl-gc', 'control-plane', version, 'bin');
}

/** The directory with etcd, kube-apiserver, kube-controller-manager and kubectl, or undefined. */
export function findControlPlane(version = wantedVersion()) {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets && missingIn(assets).length === 0 && isMinor(assets, version)) return assets;
  const cached = cacheDirectory(version);
  return missingIn(cached).length === 0 ? cached : undefined;
}

/** The kubectl of a control plane, or of the version that KUBECTL_GC_KUBECTL_VERSION names. */
export function kubectlBeside(binaries) {
  const version = process.env.KUBECTL_GC_KUBECTL_VERSION;
  if (!version) return join(binaries, 'kubectl');
  const found = findControlPlane(version);
  if (!found) throw new Error(missingControlPlane(version));
  return join(found, 'kubectl');
}

/** What to do where `findControlPlane` finds none. */
export function missingControlPlane(version = wantedVersion()) {
  const build = version === defaultVersion ? '' : ` -- --version ${version}`;
  return `No Kubernetes ${version} control plane here; \`npm run control-plane${build}\` builds it once (about 9 minutes).`;
}

/** Builds what the cache lacks and resolves with its directory; `say` gets progress lines. */
export async function buildControlPlane(options = {}) {
  const all = [...packages.keys(), optional];
  const { version = wantedVersion(), binaries = all, say = progress() } = options;
  if (!/^v\d+\.\d+\.\d+$/.test(version)) {
    throw new Error(`${version} is no Kubernetes version; write it like ${defaultVersion}.`);
  }
  const target = cacheDirectory(version);
  mkdirSync(target, { recursive: true });
  // Beside the target, so that the finished files can be renamed into it.
  const scratch = mkdtempSync(join(target, '..', 'building-'));
  const discard = () => rmSync(scratch, { recursive: true, force: true });
  process.once('exit', discard);
  const started = performance.now();
  const elapsed = () => duration(performance.now() - started);
  try {
    const wanted = missingIn(target, binaries);
    for (const name of wanted) {
      const module = await moduleFor(name, version, scratch);
      const task = `${name} (${wanted.indexOf(name) + 1} of ${wanted.length})`;
      const build = ['build', '-trimpath', '-ldflags', linkerFlags(name, version)];
      await go(
        [...build, '-o', join(scratch, name), packages.get(name) ?? `./${name}`],
        module,
        () => say(`building ${task}, ${elapsed()} so far`),
      );
      renameSync(join(scratch, name), join(target, name));
    }
    say(`built ${wanted.length} binaries of ${version} in ${elapsed()}`, true);
  } finally {
    discard();
    process.off('exit', discard);
  }
  return target;
}

function missingIn(directory, names = [...packages.keys()]) {
  return names.filter((name) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return false;
    } catch {
      return true;
    }
  });
}

/** Binaries of another minor, set for another project, would fail the tests in confusing ways. */
function isMinor(directory, version) {
  const { stdout } = spawnSync(join(directory, 'kube-apiserver'), ['--version'], {
    encoding: 'utf8',
  });
  const minor = version.split('.').slice(0, 2).join('.');
  return stdout?.startsWith(`Kubernetes ${minor}.`) ?? false;
}

/** The directory of the Go module that pins what is to be built. */
async function moduleFor(name, version, scratch) {
  const pinned = join(modules, name === 'etcd' ? 'etcd' : 'kubernetes');
  // It is a program of its own, which works with every version of the server.
  if (name === 'etcd' || name === optional || version === defaultVersion) return checked(pinned);
  const derived = join(scratch, 'module');
  if (missingModule(derived)) {
    cpSync(join(pinned, 'tools.go'), join(derived, 'tools.go'));
    await deriveModule(checked(pinned), derived, version);
  }
  return derived;
}

function missingModule(directory) {
  try {
    accessSync(join(directory, 'go.mod'));
    return false;
  } catch {
    return true;
  }
}

/**
 * Kubernetes points at its staging folders with replaces that do not reach whoever requires it;
 * each becomes the published module of the same release.
 */
async function deriveModule(origin, directory, version) {
  const kubernetes = `k8s.io/kubernetes@${version}`;
  const answer = JSON.parse(await go(['mod', 'download', '-json', kubernetes], origin, () => {}));
  const upstream = readFileSync(answer.GoMod, 'utf8');
  const staged = upstream.matchAll(/^\s*(?:replace )?(k8s\.io\/[\w-]+) => \.\/staging\//gm);
  const published = version.replace(/^v1\./, 'v0.');
  const lines = [
    'module kubectl-gc.test/control-plane',
    /^go .*$/m.exec(upstream)?.[0] ?? '',
    `require k8s.io/kubernetes ${version}`,
    ...[...staged].map(([, path]) => `replace ${path} => ${path} ${published}`),
  ];
  writeFileSync(join(directory, 'go.mod'), `${lines.join('\n\n')}\n`);
  await go(['mod', 'tidy', '-e'], directory, () => {});
}

/** Fails clearly when there is no Go that can build the module. */
function checked(module) {
  const needed = /^go ([\d.]+)$/m.exec(readFileSync(join(module, 'go.mod'), 'utf8'))?.[1];
  const found = spawnSync('go', ['env', 'GOVERSION'], { cwd: module, encoding: 'utf8' });
  if (found.status === 0) return module;
  const reason = found.error ? 'no `go` was found in PATH' : found.stderr.trim();
  throw new Error(
    `Building the control plane needs Go ${needed} or newer: ${reason}.\n` +
      `Install Go, or set KUBEBUILDER_ASSETS to a directory that holds ${[...packages.keys()].join(', ')}.`,
  );
}

function linkerFlags(name, version) {
  if (name === 'etcd' || name === optional) return '-s -w';
  const [major, minor] = version.slice(1).split('.');
  const stamp = 'k8s.io/component-base/version';
  return `-s -w -X ${stamp}.gitVersion=${version} -X ${stamp}.gitMajor=${major} -X ${stamp}.gitMinor=${minor}`;
}

/** Runs go and resolves with its stdout; `tick` is called every second. */
async function go(args, cwd, tick) {
  const child = spawn('go', args, {
    cwd,
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr = (stderr + text).slice(-4000)));
  tick();
  const timer = setInterval(tick, 1000);
  try {
    const [code, signal] = await once(child, 'close');
    if (code === 0) return stdout;
    throw new Error(`go ${args[0]} ended with ${signal ?? `exit code ${code}`}:\n${stderr.trim()}`);
  } finally {
    clearInterval(timer);
  }
}

/** A rewritten line on a terminal, one line every 30 s elsewhere. */
function progress() {
  const { stderr } = process;
  let next = 0;
  return (text, last = false) => {
    if (stderr.isTTY) {
      stderr.write(`\r\x1b[K${text}${last ? '\n' : ''}`);
    } else if (last || performance.now() >= next) {
      next = performance.now() + 30_000;
      stderr.write(`${text}\n`);
    }
  };
}

function duration(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

/** The command line: prints the directory on stdout, everything else on stderr. */
async function main(args) {
  const usage = 'Usage: node scripts/control-plane.mjs [--find] [--version vX.Y.Z]';
  let version = wantedVersion();
  let findOnly = false;
  while (args.length > 0) {
    const arg = args.shift();
    if (arg === '--find') findOnly = true;
    else if (arg === '--version' && args.length > 0) version = args.shift();
    else if (arg === '--help' || arg === '-h') return say(process.stdout, usage, 0);
    else return say(process.stderr, `Unknown argument ${arg}.\n${usage}`, 2);
  }
  const found = findControlPlane(version);
  if (found) return say(process.stdout, found, 0);
  if (findOnly) {
    return say(process.stderr, missingControlPlane(version), 3);
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  try {
    return say(process.stdout, await buildControlPlane({ version }), 0);
  } catch (error) {
    return say(process.stderr, error.message, 3);
  }
}

function say(stream, text, exitCode) {
  stream.write(`${text}\n`);
  process.exitCode = exitCode;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2));
}
