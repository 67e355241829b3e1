import { severities } from '../../audit/rules/audit-rule.ts';
import type { AuditReport } from '../documents/audit.ts';

const prefix = 'kubectl_gc_audit';

/** Prometheus' text format, for a textfile collector or a push gateway: every series is there also when it is zero. */
export function auditPrometheus(report: AuditReport): string {
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
  const one = (value: number) => [{ labels: {}, value }];
  return [
    gauge('findings', 'Findings by rule, severity and status; new ones count.', findings),
    gauge('verdict', '1 for the verdict of the audit.', verdicts),
    gauge('not_checked_objects', 'Objects that a rule could not decide about.', unchecked),
    gauge('unknown_references', 'Owner references that could not be judged.', one(unknown.length)),
    gauge('problems', 'Things that could not be read.', one(coverage.problems.length)),
    gauge('objects', 'Objects that were read.', one(coverage.objects)),
    gauge('timestamp_seconds', 'The clock of the audit.', one(Date.parse(at) / 1000)),
  ].join('');
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Label values are this program's own ids and words, so nothing in them has to be escaped. */
function gauge(name: string, help: string, samples: readonly Sample[]): string {
  const metric = `${prefix}_${name}`;
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${text}"`);
    return `${metric}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${metric} ${help}\n# TYPE ${metric} gauge\n${lines.join('')}`;
}
