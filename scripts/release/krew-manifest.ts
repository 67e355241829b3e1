// The plugin manifest for krew: which archive to install on which platform.
import { stringify } from 'yaml';
import type { Platform } from './platforms.ts';

interface Archive extends Pick<Platform, 'os' | 'arch' | 'sha256'> {
  readonly name: string;
}

interface Release {
  readonly version: string;
  readonly description: string;
  readonly homepage: string;
  readonly archives: readonly Archive[];
  /** Where the archives of this version are. */
  readonly download: string;
}

export function krewManifest(release: Release): string {
  const { version, description, homepage, archives, download } = release;
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'gc' },
    spec: {
      version: `v${version}`,
      homepage: homepage.replace(/#.*$/, ''),
      shortDescription: 'Show owners, foretell garbage collection',
      description: `${description}.\n`,
      caveats:
        'For the Tab key: kubectl gc completion kubectl > kubectl_complete-gc, executable and in PATH.\n',
      platforms: archives.map(({ os, arch, name, sha256 }) => ({
        selector: { matchLabels: { os, arch } },
        uri: `${download}/${name}`,
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
