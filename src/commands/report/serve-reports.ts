import { pause } from '../../cluster/pacing.ts';
import { errorMessage, exitCodes, isGcError } from '../../errors.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { minute } from '../../kube/time.ts';
import { type Metric, prometheusText } from '../../output/prometheus-text.ts';
import { orInterrupted } from '../../perform/interrupted.ts';
import { Session } from '../../shell/input/session.ts';
import { startMetricsServer } from '../../shell/metrics-server.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { writeErr } from '../../shell/terminal/streams.ts';
import { publish } from './publish.ts';
import { reportMetrics } from './report-metrics.ts';
import type { ClusterReport, ReportFlags } from './take-look.ts';

/** So many looks may fail to end in time before the probe fails; at least ten minutes. */
const missedLooks = 3;

/**
 * Reads the cluster again and again and serves what was found, until a signal ends it. A look that fails is
 * counted, and what the last good one found stays.
 */
export async function serveReports(
  flags: ReportFlags,
  take: (session: Session) => Promise<ClusterReport>,
  { address, every }: { readonly address: string; readonly every: number },
): Promise<void> {
  const server = await startMetricsServer(address);
  const runs = { success: 0, error: 0 };
  let last: ClusterReport | undefined;
  const show = () => {
    const metrics = [...(last ? reportMetrics(last) : []), runsMetric(runs)];
    server.publish(prometheusText(metrics), Math.max(missedLooks * every, 10 * minute));
  };
  try {
    await withInterruption(async (signal) => {
      show();
      writeErr(`Serving ${server.url}/metrics`);
      while (!signal.aborted) {
        const began = performance.now();
        // A connection for each look, so that new kinds are seen and new credentials are used.
        const session = new Session(flags);
        const look = async () => {
          const found = await take(session);
          last = found;
          show();
          writeErr(summaryOf(found));
          await publish(flags, found, session);
        };
        try {
          await orInterrupted(look(), signal);
          runs.success += 1;
        } catch (error) {
          if (signal.aborted) break;
          const isFirst = runs.success + runs.error === 0;
          if (isFirst && isGcError(error) && error.exitCode === exitCodes.usage) throw error;
          runs.error += 1;
          writeErr(`error: ${errorMessage(error)}`);
        } finally {
          session.close();
        }
        show();
        await pause(Math.max(0, every - (performance.now() - began)), signal);
      }
    });
  } finally {
    await server.close();
  }
}

function runsMetric({ success, error }: { success: number; error: number }): Metric {
  return {
    name: 'kubectl_gc_report_runs_total',
    type: 'counter',
    help: 'How often the cluster was read and what was found was published, and how often that failed.',
    samples: [
      { labels: { result: 'success' }, value: success },
      { labels: { result: 'error' }, value: error },
    ],
  };
}

function summaryOf({ audit, forecast, took }: ClusterReport): string {
  const { error, warning, info } = audit.summary;
  const found = `${counted(error, 'error')}, ${counted(warning, 'warning')}, ${info} info`;
  const ahead = counted(
    forecast.items.filter(({ action }) => action === 'delete').length,
    'deletion',
  );
  const gaps = counted(audit.coverage.problems.length, 'problem');
  const objects = counted(audit.coverage.objects, 'object');
  return `Read ${objects} in ${(took / 1000).toFixed(1)} s with ${gaps}: ${found}; ${ahead} ahead.`;
}
