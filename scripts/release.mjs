// Makes a release below `release`: the npm package, an archive with a single executable for each platform, the chart, a
// manifest for krew, an SBOM, and the digests of all of them. The same checkout gives the same bytes. With --image also
// the image, which needs buildah and the registry of its base.
// Usage: npm run release [-- --platform linux-amd64]... [--to FOLDER] [--image] [--rehearsal]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { kubectlScript } from '../src/shell/completion/kubectl-script.ts';
import { buildExecutable, nodeLicence } from './release/executable.ts';
import { writeImage } from './release/image.mjs';
import { krewManifest } from './release/krew-manifest.ts';
import { platforms } from './release/platforms.ts';
import { bundledSbom } from './release/sbom.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version, description, ...manifest } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const { values } = parseArgs({
  options: {
    platform: { type: 'string', multiple: true },
    to: { type: 'string', default: join(root, 'release') },
    image: { type: 'boolean', default: false },
    rehearsal: { type: 'boolean', default: false },
  },
});
const repository = values.rehearsal ? 'https://kubectl-gc.example' : publicRepository();
const wanted = platforms.filter(
  ({ os, arch }) => values.platform?.includes(`${os}-${arch}`) ?? true,
);
const target = resolve(values.to);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

const npm = ['pack', '--silent', '--ignore-scripts', '--pack-destination', target];
execFileSync('npm', npm, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
const chart = `kubectl-gc-chart-${version}.tgz`;
pack(join(target, chart), join(root, 'deploy', 'helm'), ['kubectl-gc']);
const archives = wanted.map((platform) => ({ ...platform, ...archive(platform) }));
writeFileSync(
  join(target, 'gc.yaml'),
  krewManifest({ version, description, archives, repository }),
);
writeFileSync(join(target, 'sbom.cdx.json'), bundledSbom(root, wanted));
if (values.image) writeImage(root, target, version);
const sums = readdirSync(target)
  .sort()
  .map((name) => `${digestOf(join(target, name))}  ${name}\n`);
writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));

/** The executable, what completes it, and the licences. */
function archive(platform) {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-release-'));
  const name = `kubectl-gc_${version}_${platform.os}_${platform.arch}.tar.gz`;
  const file = join(target, name);
  try {
    buildExecutable(platform, folder);
    if (platform.os === 'windows') {
      const line = '@kubectl-gc.exe __complete %*\r\n';
      writeFileSync(join(folder, 'kubectl_complete-gc.cmd'), line);
    } else {
      const completer = join(folder, 'kubectl_complete-gc');
      writeFileSync(completer, kubectlScript);
      chmodSync(completer, 0o755);
    }
    copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    copyFileSync(nodeLicence(), join(folder, 'LICENSE.node.txt'));
    const thirdParty = 'THIRD-PARTY-LICENSES.txt';
    copyFileSync(join(root, 'dist', thirdParty), join(folder, thirdParty));
    pack(file, folder, readdirSync(folder));
    return { name, sha256: digestOf(file) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A tar that knows no time, order or owner of this machine. */
function pack(file, folder, names) {
  const plain = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  const modes = ['--mode=u=rwX,go=rX', '--format=ustar', '--use-compress-program=gzip -n6'];
  execFileSync('tar', [...plain, ...modes, '-cf', file, '-C', folder, ...names]);
}

/** Where the links of a release lead; those of a rehearsal lead nowhere. */
function publicRepository() {
  const { private: unpublished, homepage, bugs, repository } = manifest;
  if (unpublished || `${homepage} ${bugs} ${repository.url}`.includes('/OWNER/')) {
    console.error('error: package.json does not say where kubectl gc is published.');
    console.error(
      '  Name the OWNER in `homepage`, `bugs` and `repository`, and take `private` out: see docs/release.md.',
    );
    console.error('  To try a release, add --rehearsal: its links lead nowhere.');
    process.exit(2);
  }
  return repository.url.replace(/^git\+|\.git$/g, '');
}

function digestOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
