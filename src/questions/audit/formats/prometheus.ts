import { severities } from '../../../audit/rule.ts';
import {
  countedByPlace,
  gaugesOf,
  type Metric,
  prometheusText,
} from '../../../output/prometheus-text.ts';
import type { AuditReport } from '../document.ts';
import { isNewFinding } from './finding-text.ts';

const auditGauge = gaugesOf('kubectl_gc_audit');

/** An audit for a textfile collector or a push gateway. */
export function auditPrometheus(report: AuditReport): string {
  return prometheusText(auditMetrics(report));
}

/** What an audit comes to: every series by rule is there also when it is zero. */
export function auditMetrics(report: AuditReport): Metric[] {
  const { items, rules, coverage, notChecked, unknown, verdict, at } = report;
  const count = (rule: string, severity: string, status: string) =>
    items.filter(
      (item) => item.rule === rule && item.severity === severity && item.status === status,
    ).length;
  const findings = rules.flatMap(({ id }) =>
    severities.flatMap((severity) =>
      (['new', 'baseline', 'waived'] as const).flatMap((status) => {
        const found = count(id, severity, status);
        return found > 0 || status === 'new'
          ? [{ labels: { rule: id, severity, status }, value: found }]
          : [];
      }),
    ),
  );
  const places = items
    .filter(isNewFinding)
    .map(({ rule, severity, object: { namespace, kind } }) => ({
      rule,
      severity,
      namespace,
      kind,
    }));
  const unchecked = rules.map(({ id }) => ({
    labels: { rule: id },
    value: notChecked
      .filter(({ rule }) => rule === id)
      .reduce((sum, { objects }) => sum + objects, 0),
  }));
  const verdicts = (['failed', 'incomplete', 'passed'] as const).map((one) => ({
    labels: { verdict: one },
    value: one === verdict ? 1 : 0,
  }));
  return [
    auditGauge('findings', 'Findings by rule, severity and status; new ones count.', findings),
    auditGauge(
      'namespace_findings',
      'New findings by rule, severity, namespace and kind; the namespace of cluster-scoped objects is empty.',
      countedByPlace(places),
    ),
    auditGauge('verdict', '1 for the verdict of the audit.', verdicts),
    auditGauge('not_checked_objects', 'Objects that a rule could not decide about.', unchecked),
    auditGauge('unknown_references', 'Owner references that could not be judged.', unknown.length),
    auditGauge('problems', 'Things that could not be read.', coverage.problems.length),
    auditGauge('objects', 'Objects that were read.', coverage.objects),
    auditGauge('timestamp_seconds', 'The clock of the audit.', Date.parse(at) / 1000),
  ];
}
