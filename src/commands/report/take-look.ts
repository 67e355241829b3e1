import { picked } from '../../kube/json-value.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import {
  dueForCollector,
  type ForecastReport,
  forecastReport,
} from '../../questions/forecast/document.ts';
import { auditFlags, chooseAudit, readBaseline } from '../../shell/audit/audit-options.ts';
import { judgeAudited, openAudited } from '../../shell/audit/audited-snapshot.ts';
import { flagsIn, ofCluster, repeatedFlag, textFlag } from '../../shell/flags/flag-kinds.ts';
import type { CommonFlags, ValuesOf } from '../../shell/flags/flags.ts';
import { forecastFlags, wantedControllers, withinOf } from '../../shell/flags/forecast-flags.ts';
import { givenTime, nowOf } from '../../shell/input/clock.ts';
import type { OpenedCluster, Session } from '../../shell/input/session.ts';
import { pjson } from '../../shell/oclif/package-json.ts';
import { askCollector } from '../../shell/questions/ask-collector.ts';
import { findControllerSettings } from '../../shell/settings/find-settings.ts';
import { computing } from '../../shell/terminal/interruption.ts';
import { isolated } from '../../snapshot/isolated.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { isComplete, type OverdueGarbage, type Reported } from './report-metrics.ts';

/** What one look found, and what later writes must know of it. */
export interface ClusterReport extends Reported {
  /** Does a namespace take new objects? Also where that is not known. */
  readonly isOpen: (namespace: string) => boolean;
  /** Did the audit look at everything that this rule looks at? Then what it did not find is not there. */
  readonly isJudged: (rule: string) => boolean;
}

/**
 * What `report` looks for at each look, and what takes one: it reads the cluster, audits it and forecasts it. Wrong flags
 * are reported before anything is read.
 */
export async function lookFor(flags: ReportFlags) {
  givenTime(flags);
  const chosen = await chooseAudit(flags);
  const within = withinOf(flags);
  const shows = wantedControllers(flags.collector);
  // Each look of --serve knows since when the earlier ones have read what as garbage.
  const firstRead = new Map<string, number>();
  return { chosen, take };

  async function take(session: Session): Promise<ClusterReport> {
    const began = performance.now();
    const baseline = await readBaseline(chosen.baseline, false);
    const opened = await openAudited(flags, undefined, session);
    const found = await findControllerSettings(flags, session);
    const snapshot = opened.asRead ?? opened.snapshot;
    const isPart = [flags.rule, flags['skip-rule'], flags.severity].some(
      (one) => one !== undefined,
    );
    const question = { baseline, partial: isPart };
    const { report: audit } = computing(() => judgeAudited(opened, chosen, found, question, flags));
    const { settings } = found;
    const now = nowOf(flags, snapshot);
    const forecast = computing(() =>
      isolated(snapshot, (known) => forecastReport(known, { now, within, settings, shows })),
    );
    const overdue = flags.from
      ? undefined
      : await overdueIn(await session.cluster(), snapshot, forecast, firstRead);
    const took = performance.now() - began;
    const namespaces = snapshot.records.filter(isNamespace);
    const open = namespaces.filter(({ deletionTimestamp }) => deletionTimestamp === undefined);
    const names = new Set(open.map(({ name }) => name));
    const skipped = new Set(audit.notChecked.map(({ rule }) => rule));
    const rules = new Set(audit.rules.map(({ id }) => id).filter((id) => !skipped.has(id)));
    const { version } = pjson;
    const reported = { audit, forecast, version, ended: Date.now(), took, overdue };
    const isWhole = isComplete(reported) && flags.severity === undefined;
    return {
      ...reported,
      isOpen: (namespace) => namespaces.length === 0 || names.has(namespace),
      isJudged: (rule) => isWhole && rules.has(rule),
    };
  }
}

/** What the garbage collector has not done by now; undefined where the forecast is about other controllers alone. */
async function overdueIn(
  cluster: OpenedCluster,
  snapshot: Snapshot,
  forecast: ForecastReport,
  firstRead: Map<string, number>,
): Promise<OverdueGarbage | undefined> {
  if (!forecast.collectors.some(({ id }) => id === 'garbage-collector')) return undefined;
  const due = dueForCollector(forecast);
  const now = Date.now();
  const before = new Map(firstRead);
  firstRead.clear();
  for (const uid of due) firstRead.set(uid, before.get(uid) ?? now);
  const health = await askCollector(cluster, snapshot, now, due);
  // What could not be read again is not known to be overdue, nor to be none.
  if (health && health.overdue === undefined && health.health !== 'works') return undefined;
  const objects = health?.overdue ?? 0;
  const since = Math.min(...firstRead.values());
  return { objects, oldest: objects === 0 ? 0 : (Date.now() - since) / 1000 };
}

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
    serve: ofCluster(
      textFlag(
        'ADDRESS',
        'serve /metrics and /healthz at this address, as in :9464, until it is ended',
        { exclusive: ['now'] },
      ),
    ),
    every: textFlag(
      'DURATION',
      'with --serve: interval between two reads of the cluster (default: 5m)',
      {
        dependsOn: ['serve'],
      },
    ),
    'policy-reports': ofCluster(
      repeatedFlag(undefined, 'write the findings as reports of this API', {
        options: Object.keys(reportApis),
      }),
    ),
  }),
  ...picked(
    auditFlags,
    ...(['rule', 'skip-rule', 'severity', 'config', 'no-config', 'settings'] as const),
    ...(['fail-on', 'baseline', 'allow-incomplete'] as const),
  ),
  ...picked(forecastFlags, 'within', 'collector'),
};

export type ReportFlags = CommonFlags & ValuesOf<typeof reportFlags>;
