import { provenVersions } from '../kube/proven-versions.ts';
import type { VersionDocument } from '../output/documents/version.ts';
import { commit } from './oclif/build-commit.ts';
import { pjson } from './oclif/package-json.ts';
import { writeOut } from './terminal/streams.ts';

export function versionDocument(): VersionDocument {
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Version',
    version: pjson.version,
    ...(commit !== undefined && { commit }),
    node: process.version,
    platform: `${process.platform}/${process.arch}`,
    provenAgainst: provenVersions,
  };
}

export function printVersion(): Promise<void> {
  const { version, node, platform } = versionDocument();
  return writeOut(`Version: ${version} (commit ${commit ?? 'unknown'})
Node: ${node} on ${platform}
Proven against Kubernetes: ${provenVersions.join(', ')}
`);
}
