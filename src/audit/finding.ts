import type { ObjectRecord, OwnerReference } from '../kube/object-record.ts';
import type { Confidence, Fix, Severity } from './rules/audit-rule.ts';

/** One finding of an audit, whatever rule it is from. */
export interface AuditFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly object: ObjectRecord;
  /** The owner reference that it is about. */
  readonly reference: OwnerReference | undefined;
  readonly message: string;
  readonly consequence: string;
  readonly related: readonly ObjectRecord[];
  readonly fix: Fix;
  /** The controller's rule behind it, such as GC-22.13; empty where there is none. */
  readonly kubernetesRule: string;
  /** The same for the same fault from run to run, also when uids change; unique in one audit. */
  readonly fingerprint: string;
}

export const severities: readonly Severity[] = ['error', 'warning', 'info'];

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(least);
}
