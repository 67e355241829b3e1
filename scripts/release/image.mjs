import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Writes the layout of the image into `target`, as a tar, with buildah: of the platform of this machine, whose archive
 * is there. It has the libraries of the base image, and so is not the same bytes each time.
 */
export function writeImage(root, target, version) {
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const name = `kubectl-gc_${version}_linux_${arch}`;
  const context = mkdtempSync(join(tmpdir(), 'kubectl-gc-image-'));
  try {
    mkdirSync(join(context, 'release'));
    const archive = `${name}.tar.gz`;
    copyFileSync(join(target, archive), join(context, 'release', archive));
    const values = ['--build-arg', `VERSION=${version}`, '--build-arg', `TARGETARCH=${arch}`];
    const recipe = ['-f', join(root, 'deploy', 'Containerfile'), context];
    buildah('build', '--quiet', '--tag', `kubectl-gc:${version}`, ...values, ...recipe);
    const layout = `oci-archive:${join(target, `${name}.oci.tar`)}:kubectl-gc:${version}`;
    buildah('push', '--quiet', `kubectl-gc:${version}`, layout);
  } finally {
    rmSync(context, { recursive: true });
  }
}

function buildah(...args) {
  execFileSync('buildah', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
