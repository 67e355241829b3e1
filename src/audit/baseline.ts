import { usageError } from '../errors.ts';
import type { AuditFinding } from './audit-finding.ts';

/** What was found before, and is not to fail an audit again. */
export interface Baseline {
  readonly apiVersion: 'kubectl-gc/v1';
  readonly kind: 'AuditBaseline';
  /** Sorted, one for each finding. */
  readonly findings: readonly string[];
}

/** The findings of now; of an earlier baseline those are kept that an incomplete scan could not see. */
export function baselineOf(
  findings: readonly Pick<AuditFinding, 'fingerprint'>[],
  kept: readonly string[] = [],
): Baseline {
  const fingerprints = new Set([...findings.map(({ fingerprint }) => fingerprint), ...kept]);
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'AuditBaseline',
    findings: [...fingerprints].sort(),
  };
}

/** Reads a baseline file's content. */
export function parseBaseline(value: unknown, path: string): Baseline {
  const { kind, apiVersion, findings } = (value ?? {}) as Partial<Record<keyof Baseline, unknown>>;
  const isList = Array.isArray(findings) && findings.every((entry) => typeof entry === 'string');
  if (kind === 'AuditBaseline' && apiVersion === 'kubectl-gc/v1' && isList) {
    return { kind, apiVersion, findings };
  }
  const isOther = kind === 'AuditBaseline' && apiVersion !== 'kubectl-gc/v1';
  throw usageError(
    'invalid-baseline',
    isOther
      ? `the baseline ${path} is of version ${JSON.stringify(apiVersion)}, and this reads kubectl-gc/v1`
      : `${path} is not a baseline of kubectl gc audit`,
    'Remove the file, or name another one, and write it with --update-baseline.',
  );
}
