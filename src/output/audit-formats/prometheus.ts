import { severities } from '../../audit/rules/audit-rule.ts';
import type { AuditReport } from '../documents/audit.ts';

const prefix = 'kubectl_gc_audit';

/**
 * Prometheus' text format, for a textfile collector or a push gateway: every series is there also when it is
 * zero. Of several clusters each series names its cluster; one that was not read has but the series that says so.
 */
export function auditPrometheus(report: AuditReport): string {
  const clusters = report.clusters?.map(({ context, isRead, report: own }) => {
    return { labels: { cluster: context }, isRead, report: own };
  });
  const audits = (clusters ?? [{ labels: {}, isRead: true, report }]).filter((one) => one.isRead);
  const each = (of: (own: AuditReport) => readonly Sample[]) =>
    audits.flatMap(({ labels, report: own }) =>
      of(own).map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } })),
    );
  const one = (of: (own: AuditReport) => number) => each((own) => [{ labels: {}, value: of(own) }]);
  return [
    ...(clusters
      ? [
          gauge(
            'cluster_read',
            '1 for a cluster that was read.',
            clusters.map(({ labels, isRead }) => ({ labels, value: Number(isRead) })),
          ),
        ]
      : []),
    gauge('findings', 'Findings by rule, severity and status; new ones count.', each(findingsOf)),
    gauge('verdict', '1 for the verdict of the audit.', each(verdictsOf)),
    gauge('not_checked_objects', 'Objects that a rule could not decide about.', each(uncheckedOf)),
    gauge(
      'unknown_references',
      'Owner references that could not be judged.',
      one(({ unknown }) => unknown.length),
    ),
    gauge(
      'problems',
      'Things that could not be read.',
      one(({ coverage }) => coverage.problems.length),
    ),
    gauge(
      'objects',
      'Objects that were read.',
      one(({ coverage }) => coverage.objects),
    ),
    gauge(
      'timestamp_seconds',
      'The clock of the audit.',
      one(({ at }) => Date.parse(at) / 1000),
    ),
  ].join('');
}

function findingsOf({ items, rules }: AuditReport): Sample[] {
  const count = (rule: string, severity: string, status: string) =>
    items.filter(
      (item) => item.rule === rule && item.severity === severity && item.status === status,
    ).length;
  return rules.flatMap(({ id }) =>
    severities.flatMap((severity) =>
      (['new', 'baseline', 'waived'] as const).flatMap((status) => {
        const found = count(id, severity, status);
        return found > 0 || status === 'new'
          ? [{ labels: { rule: id, severity, status }, value: found }]
          : [];
      }),
    ),
  );
}

function verdictsOf({ verdict }: AuditReport): Sample[] {
  return (['failed', 'incomplete', 'passed'] as const).map((one) => ({
    labels: { verdict: one },
    value: one === verdict ? 1 : 0,
  }));
}

function uncheckedOf({ rules, notChecked }: AuditReport): Sample[] {
  return rules.map(({ id }) => ({
    labels: { rule: id },
    value: notChecked
      .filter(({ rule }) => rule === id)
      .reduce((sum, { objects }) => sum + objects, 0),
  }));
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function gauge(name: string, help: string, samples: readonly Sample[]): string {
  const metric = `${prefix}_${name}`;
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
    return `${metric}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${metric} ${help}\n# TYPE ${metric} gauge\n${lines.join('')}`;
}

/** The name of a context may hold anything; other labels are this program's own ids and words. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
