import type { AuditLog } from '../../history/audit-log/audit-log.ts';
import { withProgress } from '../terminal/progress.ts';

/** Reads `--audit-log`, what was answered until a time (epoch milliseconds); undefined without one. What came before tells why. */
export async function readAuditLog(
  paths: readonly string[] | undefined,
  until = Number.POSITIVE_INFINITY,
): Promise<AuditLog | undefined> {
  if (paths === undefined) return undefined;
  const { readAuditLogs } = await import('../../history/audit-log/read-audit-logs.ts');
  return withProgress('Reading audit logs', (progress) =>
    readAuditLogs(paths, {
      until,
      onProgress: (bytes, events) =>
        progress.update(`Reading audit logs: ${events} events, ${Math.round(bytes / 1e6)} MB`),
    }),
  );
}
