// The plugin manifest for krew: which archive to install on which platform.
import { stringify } from 'yaml';
import type { Platform } from './platforms.ts';

interface Archive extends Pick<Platform, 'os' | 'arch' | 'sha256'> {
  readonly name: string;
}

interface Release {
  readonly version: string;
  readonly description: string;
  readonly archives: readonly Archive[];
  /** Its address on the web; the archives are among its releases. */
  readonly repository: string;
}

export function krewManifest(release: Release): string {
  const { version, description, archives, repository } = release;
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'gc' },
    spec: {
      version: `v${version}`,
      homepage: repository,
      shortDescription: 'Show owners, foretell garbage collection',
      description: `${description}.\n`,
      caveats:
        'For the Tab key: kubectl gc completion > kubectl_complete-gc, executable and in PATH.\n',
      platforms: archives.map(({ os, arch, name, sha256 }) => ({
        selector: { matchLabels: { os, arch } },
        uri: `${repository}/releases/download/v${version}/${name}`,
        sha256,
        files: [
          { from: os === 'windows' ? 'kubectl-gc.exe' : 'kubectl-gc', to: '.' },
          { from: '*LICENSE*', to: '.' },
        ],
        bin: os === 'windows' ? 'kubectl-gc.exe' : 'kubectl-gc',
      })),
    },
  });
}
