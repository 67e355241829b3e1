import { compareText } from '../kube/names.ts';
import type { Graph } from '../snapshot/graph/graph.ts';
import type { AcceptedFindings, FailOn } from './audit-config.ts';
import { type Baseline, faultOf, problemFingerprint, withFingerprints } from './baseline.ts';
import { type AuditFinding, isAtLeast, type Rule, type Severity, severities } from './rule.ts';
import { referenceRules } from './rules/reference-rules.ts';
import { allRules, clusterRules, manifestRules } from './rules/rules.ts';
import { type AuditInput, type NotChecked, runRules } from './run-rules.ts';
import { type LapsedWaiver, type Waiver, waiverOf } from './waivers.ts';

/** The rules for a cluster, in the order in which they are documented. */
export const ruleIds: readonly string[] = [...referenceRules, ...clusterRules].map(({ id }) => id);

/** The rules for manifests that are compared with a cluster. */
export const manifestRuleIds: readonly string[] = [...referenceRules, ...manifestRules].map(
  ({ id }) => id,
);

/** Every rule that there is; each is for one of these audits or for both. */
export const allRuleIds: readonly string[] = allRules.map(({ id }) => id);

export interface AuditOptions extends Omit<AuditInput, 'graph'> {
  /** Ids of the rules to run. */
  readonly rules: ReadonlySet<string>;
  /** Severities that differ from the rules' own. */
  readonly severities: Readonly<Record<string, Severity>>;
  /** Findings below are left out. */
  readonly severity: Severity;
  readonly failOn: FailOn;
  readonly allowIncomplete: boolean;
  readonly exceptions: readonly AcceptedFindings[];
  readonly baseline: Baseline | undefined;
  /** Only a part was asked for, so that the rest of the baseline may still be there. */
  readonly partial?: boolean;
}

/** `new`: it counts; `baseline`: it was found before; `waived`: a waiver accepts it. */
export type FindingStatus = 'new' | 'baseline' | 'waived';

export interface FindingWithStatus extends AuditFinding {
  readonly status: FindingStatus;
  readonly waiver?: Waiver;
  /** Why the finding counts despite a waiver. */
  readonly lapsed?: LapsedWaiver;
}

export interface AuditResult {
  /** The most severe first, then by namespace, kind, name and rule. */
  readonly findings: readonly FindingWithStatus[];
  readonly notChecked: readonly NotChecked[];
  /** The rules that ran. */
  readonly rules: readonly Rule[];
  /** Entries of the baseline that were not found again. */
  readonly stale: readonly string[];
}

/** Checks a cluster, or the part of it that was read, against the rules. */
export function audit(graph: Graph, options: AuditOptions): AuditResult {
  const { rules: chosen, baseline } = options;
  const rules = allRules.filter(({ id }) => chosen.has(id));
  const { findings, notChecked } = runRules(rules, { ...options, graph });
  const all = withFingerprints(
    findings.map((finding) => ({
      ...finding,
      severity: options.severities[finding.rule] ?? finding.severity,
    })),
  );
  const before = baseline?.findings ?? [];
  const known = new Set(before.map(faultOf));
  const found = new Set<string | undefined>([
    ...all.map(({ fingerprint }) => faultOf(fingerprint)),
    ...graph.snapshot.coverage.problems.map(problemFingerprint),
  ]);
  return {
    findings: all
      .filter(({ severity }) => isAtLeast(severity, options.severity))
      .map((finding) => withStatus(finding, known, options))
      .sort(byGravity),
    notChecked,
    rules,
    stale: options.partial
      ? []
      : [...new Set(before)].filter((fingerprint) => !found.has(faultOf(fingerprint))).sort(),
  };
}

function withStatus(
  finding: AuditFinding,
  known: ReadonlySet<string>,
  { exceptions, now }: AuditOptions,
): FindingWithStatus {
  const { waiver, lapsed } = waiverOf(finding, exceptions, now);
  if (waiver) return { ...finding, status: 'waived', waiver };
  const status = known.has(faultOf(finding.fingerprint)) ? 'baseline' : 'new';
  return { ...finding, status, ...(lapsed && { lapsed }) };
}

function byGravity(a: FindingWithStatus, b: FindingWithStatus): number {
  return (
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    compareText(a.object.namespace, b.object.namespace) ||
    compareText(a.object.type.kind, b.object.type.kind) ||
    compareText(a.object.name, b.object.name) ||
    compareText(a.fingerprint, b.fingerprint)
  );
}

/**
 * `failed`: findings that count; `incomplete`: none, but not everything was read; `passed`:
 * neither.
 */
export type AuditVerdict = 'failed' | 'incomplete' | 'passed';

/** `counted`: severities of the findings that are neither waived nor in the baseline. */
export function verdictOf(
  counted: readonly Severity[],
  complete: boolean,
  { failOn, allowIncomplete }: Pick<AuditOptions, 'failOn' | 'allowIncomplete'>,
): AuditVerdict {
  if (counted.some((severity) => failsAudit(severity, failOn))) return 'failed';
  return complete || allowIncomplete ? 'passed' : 'incomplete';
}

/** Does a finding of this severity, if it is neither waived nor in the baseline, fail the audit? */
export function failsAudit(severity: Severity, failOn: FailOn): boolean {
  return failOn !== 'never' && isAtLeast(severity, failOn);
}
