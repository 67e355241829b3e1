import { printedText } from '../output/printable.ts';
import type { VersionDocument } from '../questions/version/document.ts';
import { commit } from './oclif/build-commit.ts';
import { pjson } from './oclif/package-json.ts';
import { provenVersions } from './proven-versions.ts';
import { writeOut } from './terminal/streams.ts';

const platform = `${process.platform}/${process.arch}`;

export function versionDocument(): VersionDocument {
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Version',
    version: pjson.version,
    ...(commit !== undefined && { commit }),
    node: process.version,
    platform,
    provenAgainst: provenVersions,
  };
}

const versionText = `Version: ${pjson.version} (commit ${commit ?? 'unknown'})
Node: ${process.version} on ${platform}
Proven against Kubernetes: ${provenVersions.join(', ')}
`;

export function printVersion(): Promise<void> {
  return writeOut(printedText(versionText));
}
