import { errorMessage, GcError, isGcError } from '../../errors.ts';
import { writeWhole } from '../../files/write-whole.ts';
import { prometheusText } from '../../output/prometheus-text.ts';
import type { Session } from '../../shell/input/session.ts';
import { writeErr, writeOut } from '../../shell/terminal/streams.ts';
import { publishPolicyReports } from './publish-policy-reports.ts';
import { type ReportFlags, reportApis } from './report-flags.ts';
import { reportMetrics } from './report-metrics.ts';
import type { Look } from './take-look.ts';

/** Is there any place but stdout to publish to? */
export function hasSink(flags: ReportFlags): boolean {
  const named = [flags['metrics-file'], flags['policy-reports'], flags.serve];
  return named.some((one) => one !== undefined);
}

/** Publishes what one look found wherever it is asked for; one place that fails does not keep it from the others. */
export async function publish(flags: ReportFlags, look: Look, session: Session): Promise<void> {
  const text = prometheusText(reportMetrics(look));
  if (!hasSink(flags)) return writeOut(text);
  const failures: unknown[] = [];
  const attempt = (work: () => Promise<void>) => work().catch((error) => void failures.push(error));
  const { 'metrics-file': file } = flags;
  if (file !== undefined) await attempt(() => writeWhole(file, text, { what: 'the metrics' }));
  for (const name of new Set(flags['policy-reports'] as (keyof typeof reportApis)[] | undefined)) {
    await attempt(async () => {
      const api = reportApis[name];
      const done = await publishPolicyReports(await session.cluster(), api, look);
      const { written, unchanged, removed } = done;
      writeErr(
        `${api.apiVersion}: ${written} written, ${unchanged} unchanged, ${removed} removed.`,
      );
    });
  }
  if (failures.length > 0) throw together(failures);
}

function together([first, ...more]: readonly unknown[]): unknown {
  if (more.length === 0) return first;
  const suggestions = more.flatMap((error) => [
    errorMessage(error),
    ...(isGcError(error) ? error.advice : []),
  ]);
  return new GcError(errorMessage(first), {
    code: isGcError(first) ? first.code : 'not-published',
    suggestions: [...(isGcError(first) ? first.suggestions : []), ...suggestions],
    cause: first,
  });
}
