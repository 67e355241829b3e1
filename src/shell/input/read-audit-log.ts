import type { AuditLog } from '../../history/audit-log/audit-log.ts';
import { withProgress } from '../terminal/progress.ts';

/**
 * Reads `--audit-log`, the requests answered until a time (epoch milliseconds); undefined without one. Earlier requests show
 * why. Addresses of clients are read for `-o wide` alone.
 */
export async function readAuditLog(
  paths: readonly string[] | undefined,
  { until, output }: { readonly until?: number; readonly output?: string | undefined },
): Promise<AuditLog | undefined> {
  if (paths === undefined) return undefined;
  const { readAuditLogs } = await import('../../history/audit-log/read-audit-logs.ts');
  return withProgress('Reading audit logs', (progress) =>
    readAuditLogs(paths, {
      ...(until !== undefined && { until }),
      addresses: output === 'wide',
      onProgress: (bytes, events) =>
        progress.update(`Reading audit logs: ${events} events, ${Math.round(bytes / 1e6)} MB`),
    }),
  );
}
