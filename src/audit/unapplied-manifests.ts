import { shellCommand } from '../command-line/shell-command.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { finalizersOfNew } from '../simulator/api-server/requested-facts.ts';
import type { AuditResult, FindingWithStatus } from './audit.ts';

/** Prints the manifests as `restore` would create them. */
const asManifests = ['--dry-run=client', '-o', 'yaml'];

/** Begins the uid of an object that does not exist yet: no reference can name it. */
const newUid = 'new object';

/** The record of a manifest as if it had just been created; `index` distinguishes it from the others. */
export function asCreated(manifest: ObjectRecord, index: number): ObjectRecord {
  const finalizers = finalizersOfNew(manifest);
  return { ...manifest, uid: `${newUid} ${index}`, finalizers, deletionTimestamp: undefined };
}

/** Was it read from a file, and not from a cluster? */
export function isManifest({ uid }: ObjectRecord): boolean {
  return uid === '';
}

/**
 * What is wrong with a manifest is fixed where it is written: no command of a cluster could. Whether a reference is right in a
 * cluster, that cluster knows.
 */
export function findingsOfFiles(result: AuditResult): AuditResult {
  const findings = result.findings.map((finding) => {
    const { place } = finding.object;
    if (!place || !isManifest(finding.object)) return finding;
    const summary = `edit ${place.path}:${place.line}: ${finding.fix.summary}`;
    const from = manifestPath(finding.object);
    const command = shellCommand`kubectl gc audit --against-cluster --from ${from}`;
    return { ...finding, fix: { summary, ...(finding.reference && { command }) } };
  });
  return { ...result, findings };
}

/** Findings about manifests in terms of the manifests: none has a uid yet. */
export function findingsOfManifests(result: AuditResult): AuditResult {
  return { ...result, findings: result.findings.map(findingOfManifest) };
}

function findingOfManifest(finding: FindingWithStatus): FindingWithStatus {
  const { object, related, reference } = finding;
  const shown = { ...finding, object: asWritten(object), related: related.map(asWritten) };
  if (!reference) return shown;
  const owner = related.find(isNew);
  const path = manifestPath(object);
  const relinks = finding.rule === 'owner-uid-mismatch';
  if (owner) {
    return {
      ...shown,
      message: `${owner.type.kind} ${owner.name} is among the manifests and not there yet: it gets a uid that no manifest can name`,
      fix: {
        summary: 'create the owner first, then what refers to it, with its uid',
        command: shellCommand`kubectl gc restore --from ${path}`,
      },
    };
  }
  return {
    ...shown,
    fix: relinks
      ? { ...finding.fix, command: shellCommand`kubectl gc restore --from ${path} ${asManifests}` }
      : {
          ...finding.fix,
          // The garbage collector deletes only applied objects, so the advice for a manifest is to edit it.
          ...(finding.rule === 'missing-owner' && { summary: 'remove the reference' }),
          command: shellCommand`kubectl gc restore --from ${path} --without-owners ${asManifests}`,
        },
  };
}

function isNew({ uid }: ObjectRecord): boolean {
  return uid.startsWith(newUid);
}

function asWritten(record: ObjectRecord): ObjectRecord {
  return isNew(record) ? { ...record, uid: '' } : record;
}

function manifestPath({ place }: ObjectRecord): string {
  return place === undefined || place.path === '<stdin>' ? '-' : place.path;
}
