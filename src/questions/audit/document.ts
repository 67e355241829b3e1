import {
  type AuditOptions,
  type AuditResult,
  type AuditVerdict,
  type FindingStatus,
  type FindingWithStatus,
  verdictOf,
} from '../../audit/audit.ts';
import type { FailOn, UsedConfiguration } from '../../audit/audit-config.ts';
import { problemFingerprint } from '../../audit/baseline.ts';
import type { Confidence, Severity } from '../../audit/rule.ts';
import { publishedConsequences } from '../../audit/rules/reference-findings.ts';
import type { NotChecked } from '../../audit/run-rules.ts';
import type { LapsedWaiver, Waiver } from '../../audit/waivers.ts';
import { type CommandPlace, nowhere, printedCommand } from '../../command-line/shell-command.ts';
import type { SetAside } from '../../files/repository.ts';
import { picked } from '../../kube/json-value.ts';
import type { OwnerReference, Place } from '../../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { type DocumentHead, headOf } from '../../snapshot/snapshot.ts';
import type { Cause } from '../../why/chain.ts';
import { type CollectorHealth, isOverdue } from '../../why/garbage-collector/collector-health.ts';
import { type UnknownReference, unknownReferences } from '../invalid-ownerrefs/document.ts';

/** `audit`: what is wrong, and whether that fails a pipeline. */
export interface AuditReport extends DocumentHead<'Audit'> {
  /** RFC 3339: the clock. */
  readonly at: string;
  readonly verdict: AuditVerdict;
  readonly failOn: FailOn;
  /** The configuration that was used; left out without one. */
  readonly configuration?: UsedConfiguration;
  readonly summary: AuditSummary;
  /** What of the folders was not read as objects; left out where all was. */
  readonly passedOver?: readonly PassedOver[];
  /** Those that ran. */
  readonly rules: readonly CheckedRule[];
  readonly items: readonly AuditItem[];
  /** Rules that could not decide about some objects. */
  readonly notChecked: readonly NotChecked[];
  /** References that cannot be judged, because their owner's kind was not read. */
  readonly unknown: readonly UnknownReference[];
  /** Entries of the baseline that were not found again. */
  readonly staleBaseline: readonly string[];
}

/** A chart or a kustomization that was not rendered, or a file without objects. */
export interface PassedOver {
  readonly what: SetAside['what'];
  readonly path: string;
}

/** How many findings count, by severity, and how many do not. */
export type AuditSummary = Readonly<Record<Severity | Exclude<FindingStatus, 'new'>, number>>;

export interface CheckedRule {
  readonly id: string;
  readonly title: string;
  /** Those that count. */
  readonly findings: number;
}

export interface AuditItem {
  readonly rule: string;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly status: FindingStatus;
  readonly object: ObjectReference;
  /** The owner reference that it is about. */
  readonly reference?: OwnerReference;
  readonly message: string;
  /** Of a deletion that does not end: the cause that `why` names. */
  readonly cause?: Cause;
  /** The same: what blocks it, as in the message without the age of the deletion. */
  readonly reason?: string;
  readonly consequence: string;
  /** The garbage collector should have deleted it by now. */
  readonly overdue?: true;
  readonly related: readonly ObjectReference[];
  readonly fix: { readonly summary: string; readonly command?: string };
  /** The controller's rule behind it, such as GC-22.13. */
  readonly kubernetesRule?: string;
  /** Where it was read, offline. */
  readonly place?: Place;
  /** The same for the same fault from run to run, also when uids change; unique in one audit. */
  readonly fingerprint: string;
  readonly waiver?: Waiver;
  /** Why the finding counts despite a waiver. */
  readonly lapsedWaiver?: LapsedWaiver;
}

/**
 * `narrowed`: the caller asked for a part of the cluster only, so that rules do without the rest. `place`:
 * where the commands of fixes are for.
 */
export function auditReport(
  graph: Graph,
  result: AuditResult,
  options: AuditOptions & {
    readonly narrowed?: boolean;
    readonly configuration?: UsedConfiguration | undefined;
    readonly place?: CommandPlace;
    readonly aside?: readonly SetAside[] | undefined;
  },
): AuditReport {
  const { findings, notChecked, rules, stale } = result;
  const { now, scope, narrowed = false, place = nowhere, aside = [] } = options;
  const head = headOf('Audit', graph.snapshot);
  const judgesReferences = rules.some(({ severity }) => severity === 'depends');
  const unknown = judgesReferences ? unknownReferences(graph, scope) : [];
  const known = new Set<string | undefined>(options.baseline?.findings);
  const complete =
    head.coverage.problems.every((problem) => known.has(problemFingerprint(problem))) &&
    unknown.length === 0 &&
    (narrowed || notChecked.every(({ optional }) => optional));
  const counted = findings.filter(({ status }) => status === 'new');
  return {
    ...head,
    at: timestampOf(now),
    verdict: verdictOf(
      counted.map(({ severity }) => severity),
      complete,
      options,
    ),
    failOn: options.failOn,
    ...(options.configuration && { configuration: options.configuration }),
    summary: auditSummary(findings),
    ...(aside.length > 0 && { passedOver: aside.map(({ what, path }) => ({ what, path })) }),
    rules: rules.map(({ id, title }) => {
      return { id, title, findings: counted.filter(({ rule }) => rule === id).length };
    }),
    items: findings.map((finding) => auditItem(finding, place)),
    notChecked,
    unknown,
    staleBaseline: stale,
  };
}

function auditSummary(findings: readonly FindingWithStatus[]): AuditSummary {
  const counts = { error: 0, warning: 0, info: 0, baseline: 0, waived: 0 };
  for (const { status, severity } of findings) counts[status === 'new' ? severity : status] += 1;
  return counts;
}

/** Objects that the garbage collector should have deleted by now, as it works within a second: their uids. */
export function dueByAudit({ items }: AuditReport): ReadonlySet<string> {
  return new Set(items.filter(isDueFinding).map(({ object }) => object.uid));
}

function isDueFinding({ reference, consequence }: AuditItem): boolean {
  return reference !== undefined && consequence.startsWith(publishedConsequences.deleted);
}

/** The same with what was observed of the garbage collector. */
export function withOverdueFindings(
  report: AuditReport,
  seen: CollectorHealth | undefined,
): AuditReport {
  if (!isOverdue(seen)) return report;
  const items = report.items.map((item) =>
    isDueFinding(item) ? { ...item, overdue: true as const } : item,
  );
  return { ...report, items };
}

function auditItem(finding: FindingWithStatus, place: CommandPlace): AuditItem {
  const { object, kubernetesRule, lapsed } = finding;
  const { summary, command } = finding.fix;
  return {
    ...picked(finding, 'rule', 'severity', 'confidence', 'status'),
    object: referenceTo(object),
    ...picked(finding, 'reference', 'message', 'cause', 'reason', 'consequence'),
    related: finding.related.map(referenceTo),
    fix: { summary, ...(command && { command: printedCommand(command, place) }) },
    ...(kubernetesRule !== '' && { kubernetesRule }),
    ...(object.place && { place: object.place }),
    ...picked(finding, 'fingerprint', 'waiver'),
    ...(lapsed && { lapsedWaiver: lapsed }),
  };
}
