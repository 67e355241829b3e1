import { expect, test } from 'vitest';
import { isComplete, reportMetrics } from '../../../src/commands/report/report-metrics.ts';
import { prometheusText } from '../../../src/output/prometheus-text.ts';
import { forecastReport } from '../../../src/questions/forecast/document.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import type { CoverageProblem } from '../../../src/snapshot/coverage.ts';
import { auditedRecords, reportOf } from '../../support/audit-report.ts';
import { snapshotOf } from '../../support/builders.ts';

const now = Date.parse('2026-01-03T00:00:00Z');

function reported(problems: readonly CoverageProblem[]) {
  // All that is there has a sound reference or none, so that the audit could judge it.
  const records = auditedRecords.slice(0, 2);
  const options = { now, within: 3_600_000, settings: defaultControllerSettings };
  return {
    audit: reportOf(records, { coverage: { problems } }),
    forecast: forecastReport(snapshotOf(records, { coverage: { problems } }), options),
    version: '1.2.3',
    ended: now + 1500,
    took: 1500,
  };
}

const textOf = (problems: readonly CoverageProblem[] = []) =>
  prometheusText(reportMetrics(reported(problems)));

test('a report says when it was made, how much it read, and what will be deleted when', () => {
  const text = textOf();
  for (const line of [
    'kubectl_gc_report_last_success_timestamp_seconds 1767398401.5',
    'kubectl_gc_report_duration_seconds 1.5',
    'kubectl_gc_report_objects 2',
    'kubectl_gc_report_complete 1',
    'kubectl_gc_report_unread_kinds{reason="forbidden"} 0',
    'kubectl_gc_build_info{version="1.2.3"} 1',
    'kubectl_gc_audit_namespace_findings{rule="missing-owner",severity="error",namespace="shop",kind="ConfigMap"} 1',
    'kubectl_gc_forecast_deletions{collector="garbage-collector",namespace="shop",confidence="certain"} 1',
    'kubectl_gc_forecast_deletions{collector="csr-cleaner",namespace="",confidence="certain"} 0',
    'kubectl_gc_forecast_next_deletion_timestamp_seconds{collector="garbage-collector",namespace="shop"} 1767398400',
    'kubectl_gc_forecast_horizon_seconds 3600',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});

test('garbage that is overdue is counted where it was observed, and never as zero', () => {
  const overdue = { objects: 16, oldest: 240 };
  const lines = prometheusText(reportMetrics({ ...reported([]), overdue })).split('\n');
  expect(lines).toContain('kubectl_gc_overdue_objects 16');
  expect(lines).toContain('kubectl_gc_oldest_overdue_seconds 240');
  expect(textOf()).not.toContain('overdue');
});

test('unread kinds have their own metric', () => {
  const problems: CoverageProblem[] = [
    { reason: 'forbidden', message: 'cannot list jobs: no', resource: 'jobs.batch' },
    { reason: 'forbidden', message: 'no', resource: 'jobs.batch' },
    { reason: 'forbidden', message: 'cannot list pods: no', resource: 'pods' },
    { reason: 'no-uid', message: 'no uid' },
  ];
  expect(isComplete(reported(problems))).toBe(false);
  const lines = textOf(problems).split('\n');
  expect(lines).toContain('kubectl_gc_report_complete 0');
  expect(lines).toContain('kubectl_gc_report_unread_kinds{reason="forbidden"} 2');
  expect(lines).toContain('kubectl_gc_report_unread_kinds{reason="no-uid"} 1');
});
