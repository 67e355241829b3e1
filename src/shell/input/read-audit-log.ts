import type { AuditLog } from '../../history/audit-log/audit-log.ts';
import type { LogScope } from '../../history/audit-log/kept-requests.ts';
import { withProgress } from '../terminal/progress.ts';

/** Reads `--audit-log`; undefined without one. Addresses of clients are read for `-o wide` alone. */
export async function readAuditLog(
  paths: readonly string[] | undefined,
  { output, ...scope }: LogScope & { readonly output?: string | undefined },
): Promise<AuditLog | undefined> {
  if (paths === undefined) return undefined;
  const { readAuditLogs } = await import('../../history/audit-log/read-audit-logs.ts');
  return withProgress('Reading audit logs', (progress) =>
    readAuditLogs(paths, {
      ...scope,
      addresses: output === 'wide',
      onProgress: (bytes, events) =>
        progress.update(`Reading audit logs: ${events} events, ${Math.round(bytes / 1e6)} MB`),
    }),
  );
}
