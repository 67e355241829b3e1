import { usageError } from '../errors.ts';
import type { ObjectRecord, OwnerReference } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import type { AuditFinding } from './rule.ts';

/** Findings of an earlier audit, and what of files it could not read: they do not fail later ones. */
export interface Baseline {
  readonly apiVersion: 'kubectl-gc/v1';
  readonly kind: 'AuditBaseline';
  /** Sorted, one for each finding, and one for each file and reason for which it could not be read. */
  readonly findings: readonly string[];
}

/**
 * The current findings and problems of reading, and those of an earlier baseline that an incomplete scan could not check.
 */
export function baselineOf(
  findings: readonly Pick<AuditFinding, 'fingerprint'>[],
  problems: readonly string[] = [],
  kept: readonly string[] = [],
): Baseline {
  const found = findings.map(({ fingerprint }) => fingerprint);
  const fingerprints = new Set([...found, ...problems, ...kept]);
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'AuditBaseline',
    findings: [...fingerprints].sort(),
  };
}

/** Names what could not be read of a file; the same when lines move. Undefined where it is about no file. */
export function problemFingerprint({ reason, path }: CoverageProblem): string | undefined {
  return path === undefined ? undefined : `${reason}: ${path}`;
}

/** Reads a baseline file's content. */
export function parseBaseline(value: unknown, path: string): Baseline {
  const { kind, apiVersion, findings } = (value ?? {}) as Partial<Record<keyof Baseline, unknown>>;
  const isList = Array.isArray(findings) && findings.every((entry) => typeof entry === 'string');
  if (kind === 'AuditBaseline' && apiVersion === 'kubectl-gc/v1' && isList) {
    return { kind, apiVersion, findings };
  }
  throw usageError(
    kind === 'AuditBaseline' && apiVersion !== 'kubectl-gc/v1'
      ? `the baseline ${path} ${apiVersion === undefined ? 'has no apiVersion' : `is of version ${JSON.stringify(apiVersion)}`}, and this reads kubectl-gc/v1`
      : `${path} is not a baseline of audit`,
    ['Remove the file, or name another one, and write it with --update-baseline.'],
  );
}

type Faulty = Pick<AuditFinding, 'rule' | 'object' | 'reference'>;

/**
 * Which of these a reference breaks depends on what was read beside its object: the uid may be seen in another
 * namespace, or a namesake with another uid. A reference breaks one of them at most.
 */
const ruleOfWrongOwner =
  /^(?:missing-owner|owner-uid-mismatch|owner-name-mismatch|owner-kind-mismatch|cross-namespace-owner): /;

/** What a fingerprint has in common with those of the same object and reference: a baseline is compared by this. */
export function faultOf(fingerprint: string): string {
  return fingerprint.replace(ruleOfWrongOwner, 'wrong owner: ');
}

/**
 * Names a fault by rule, object and owner, not by uids: an object that is deleted and recreated
 * with the same mistake has the same fault. Several with one name are numbered in their order.
 */
export function withFingerprints<T extends Faulty>(
  findings: readonly T[],
): (T & { readonly fingerprint: string })[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const name = baselineKey(finding.rule, finding.object, finding.reference);
    const fault = faultOf(name);
    const count = (seen.get(fault) ?? 0) + 1;
    seen.set(fault, count);
    return { ...finding, fingerprint: count === 1 ? name : `${name} #${count}` };
  });
}

function baselineKey(
  rule: string,
  { type, namespace, name }: ObjectRecord,
  reference: OwnerReference | undefined,
): string {
  const owner = reference ? ` > ${reference.kind}/${reference.name}` : '';
  return `${rule}: ${groupResourceOf(type)} ${namespace === '' ? '' : `${namespace}/`}${name}${owner}`;
}
