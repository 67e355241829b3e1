import { errorMessage, GcError, isGcError } from '../../errors.ts';
import { writeWhole } from '../../files/write-whole.ts';
import { prometheusText } from '../../output/metrics/prometheus-text.ts';
import { reportMetrics } from '../../output/metrics/report-metrics.ts';
import { type ReportApi, reportApis, source } from '../../output/policy-reports.ts';
import type { ReportFlags } from '../flags/report-flags.ts';
import type { Session } from '../input/session.ts';
import { writeErr, writeOut } from '../terminal/streams.ts';
import type { Look } from './take-look.ts';

/** Is there any place but stdout to publish to? */
export function hasSink(flags: ReportFlags): boolean {
  const { serve, events } = flags;
  const named = [flags['metrics-file'], flags['push-to'], flags['policy-reports'], serve];
  return events === true || named.some((one) => one !== undefined);
}

/** The APIs of `--policy-reports`, each once. */
function reportApisOf(flags: ReportFlags): ReportApi[] {
  const names = new Set(flags['policy-reports'] as (keyof typeof reportApis)[] | undefined);
  return [...names].map((name) => reportApis[name]);
}

/**
 * Publishes what one look found wherever it is asked for; one place that fails does not keep it from the
 * others. `told`: the Events that this process has written.
 */
export async function publish(
  flags: ReportFlags,
  look: Look,
  session: Session,
  told: Map<string, number>,
): Promise<void> {
  const text = prometheusText(reportMetrics(look));
  if (!hasSink(flags)) return writeOut(text);
  const failures: unknown[] = [];
  const attempt = (work: () => Promise<void>) => work().catch((error) => void failures.push(error));
  const { 'metrics-file': file, 'push-to': gateway } = flags;
  if (file !== undefined) await attempt(() => writeWhole(file, text, { what: 'the metrics' }));
  if (gateway !== undefined) await attempt(() => push(gateway, text, flags));
  for (const api of reportApisOf(flags)) {
    await attempt(async () => {
      const { publishPolicyReports } = await import('./publish-policy-reports.ts');
      const done = await publishPolicyReports(await session.cluster(), api, look);
      const { written, unchanged, removed } = done;
      writeErr(
        `${api.apiVersion}: ${written} written, ${unchanged} unchanged, ${removed} removed.`,
      );
    });
  }
  if (flags.events) {
    await attempt(async () => {
      const { publishEvents } = await import('./publish-events.ts');
      const done = await publishEvents(await session.cluster(), look, told);
      const left = done.left === 0 ? '' : `, ${done.left} left out`;
      writeErr(`Events: ${done.written} written, ${done.unchanged} known${left}.`);
    });
  }
  if (failures.length > 0) throw together(failures);
}

/** Where the metrics are pushed; throws for an address that is none. */
export async function addressOfPush(gateway: string, flags: ReportFlags): Promise<URL> {
  const { pushAddress } = await import('../../cluster/write/push-metrics.ts');
  return pushAddress(gateway, flags['push-job'] ?? source);
}

async function push(gateway: string, text: string, flags: ReportFlags): Promise<void> {
  const { pushMetrics } = await import('../../cluster/write/push-metrics.ts');
  const url = await addressOfPush(gateway, flags);
  await pushMetrics(url, text, { ca: flags['push-ca'], remark: writeErr });
}

function together([first, ...more]: readonly unknown[]): unknown {
  if (more.length === 0) return first;
  const suggestions = more.flatMap((error) => [
    errorMessage(error),
    ...(isGcError(error) ? error.suggestions : []),
  ]);
  return new GcError(errorMessage(first), {
    code: isGcError(first) ? first.code : 'not-published',
    suggestions: [...(isGcError(first) ? first.suggestions : []), ...suggestions],
    cause: first,
  });
}
