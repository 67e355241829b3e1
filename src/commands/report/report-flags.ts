import * as Flags from '@oclif/core/flags';
import { auditFlags } from '../../shell/audit/audit-flags.ts';
import { type CommonFlags, repeatable, type ValuesOf } from '../../shell/flags/flags.ts';
import { forecastFlags } from '../../shell/flags/forecast-flags.ts';
import { reportApis } from './policy-reports.ts';

const sinks = 'WHERE TO';

/** What `report` looks for, as `audit` and `forecast` have it, and where it publishes that. */
export const reportFlags = {
  'metrics-file': Flags.string({
    helpGroup: sinks,
    summary: 'write the metrics to this file, for the textfile collector of node_exporter',
    helpValue: 'FILE',
  }),
  serve: Flags.string({
    helpGroup: sinks,
    summary: 'serve /metrics and /healthz at this address, as in :9464, until it is ended',
    helpValue: 'ADDRESS',
    exclusive: ['from', 'now'],
  }),
  every: Flags.string({
    helpGroup: sinks,
    summary: 'with --serve: how often the cluster is read (default: 5m)',
    helpValue: 'DURATION',
    dependsOn: ['serve'],
  }),
  'policy-reports': Flags.string({
    helpGroup: sinks,
    summary: 'write the findings as reports of this API; may be repeated',
    options: Object.keys(reportApis),
    exclusive: ['from'],
    ...repeatable,
  }),
  rule: auditFlags.rule,
  'skip-rule': auditFlags['skip-rule'],
  severity: auditFlags.severity,
  config: auditFlags.config,
  'no-config': auditFlags['no-config'],
  settings: auditFlags.settings,
  'fail-on': auditFlags['fail-on'],
  baseline: auditFlags.baseline,
  'allow-incomplete': auditFlags['allow-incomplete'],
  within: forecastFlags.within,
  collector: forecastFlags.collector,
};

export type ReportFlags = CommonFlags & ValuesOf<typeof reportFlags>;
