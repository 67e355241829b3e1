import { auditFlags } from '../../shell/audit/audit-options.ts';
import { flagsIn, picked, repeatedFlag, textFlag } from '../../shell/flags/flag-kinds.ts';
import type { CommonFlags, ValuesOf } from '../../shell/flags/flags.ts';
import { forecastFlags } from '../../shell/flags/forecast-flags.ts';

/** The two APIs of policy reports: the one of Kubernetes' policy working group, and its successor. */
export const reportApis = {
  'wgpolicyk8s.io': {
    apiVersion: 'wgpolicyk8s.io/v1alpha2',
    kind: 'PolicyReport',
    clusterKind: 'ClusterPolicyReport',
  },
  'openreports.io': {
    apiVersion: 'openreports.io/v1alpha1',
    kind: 'Report',
    clusterKind: 'ClusterReport',
  },
} as const;

export type ReportApi = (typeof reportApis)[keyof typeof reportApis];

/** What `report` looks for, as `audit` and `forecast` have it, and where it publishes that. */
export const reportFlags = {
  ...flagsIn('WHERE TO', {
    'metrics-file': textFlag(
      'FILE',
      'write the metrics to this file, for the textfile collector of node_exporter',
    ),
    serve: textFlag(
      'ADDRESS',
      'serve /metrics and /healthz at this address, as in :9464, until it is ended',
      { exclusive: ['from', 'now'] },
    ),
    every: textFlag('DURATION', 'with --serve: how often the cluster is read (default: 5m)', {
      dependsOn: ['serve'],
    }),
    'policy-reports': repeatedFlag(undefined, 'write the findings as reports of this API', {
      options: Object.keys(reportApis),
      exclusive: ['from'],
    }),
  }),
  ...picked(
    auditFlags,
    ...(['rule', 'skip-rule', 'severity', 'config', 'no-config', 'settings'] as const),
    ...(['fail-on', 'baseline', 'allow-incomplete'] as const),
  ),
  ...picked(forecastFlags, 'within', 'collector'),
};

export type ReportFlags = CommonFlags & ValuesOf<typeof reportFlags>;
