import type { AuditLog } from '../../../src/history/audit-log/audit-log.ts';
import {
  type AuditLogOptions,
  readAuditLogs,
} from '../../../src/history/audit-log/read-audit-logs.ts';
import type { AuditedRequest } from '../../../src/history/audited-request.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An event as the log backend writes it: these fields in this order. */
export function event(fields: object = {}): Fields {
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: 'c0ffee00-0000-4000-8000-000000000001',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/shop/pods/web-1',
    verb: 'delete',
    user: { username: 'jane@example.com', groups: ['team-shop'] },
    sourceIPs: ['192.0.2.10'],
    userAgent: 'kubectl/v1.35.4 (linux/amd64) kubernetes/abc1234',
    objectRef: { resource: 'pods', namespace: 'shop', name: 'web-1', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: '2026-11-28T09:30:00.000250Z',
    stageTimestamp: '2026-11-28T09:30:00.004750Z',
    annotations: { 'authorization.k8s.io/decision': 'allow' },
    ...fields,
  };
}

/** Of an object at a second of the same minute. */
export function eventOf(name: string, second: number, fields: object = {}): Fields {
  const time = `2026-11-28T09:30:${String(second).padStart(2, '0')}.000000Z`;
  return event({
    auditID: `${name}-${second}`,
    requestURI: `/api/v1/namespaces/shop/pods/${name}`,
    objectRef: { resource: 'pods', namespace: 'shop', name, apiVersion: 'v1' },
    requestReceivedTimestamp: time,
    stageTimestamp: time,
    ...fields,
  });
}

/** The API server writes & as Go's encoder does. */
export function lines(...events: readonly unknown[]): string {
  return events.map((one) => `${JSON.stringify(one).replaceAll('&', '\\u0026')}\n`).join('');
}

/** Reads what standard input brings, in chunks of this many bytes. */
export async function readText(
  content: string | Buffer,
  options: AuditLogOptions & { readonly chunkBytes?: number } = {},
): Promise<AuditLog> {
  const { chunkBytes = 64 * 1024, ...rest } = options;
  const bytes = Buffer.from(content);
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const log = await readAuditLogs(['-'], { addresses: true, ...rest, stdin: chunks() });
  return { ...log, requests: log.requests.map(fieldsOf) };
}

/** What is kept of a request, as fields that can be compared. */
function fieldsOf(request: AuditedRequest): AuditedRequest {
  const fields = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(request));
  const getters = Object.entries(fields).filter(([, { get }]) => get !== undefined);
  const names = getters.map(([name]) => name as keyof AuditedRequest);
  return Object.fromEntries(names.map((name) => [name, request[name]])) as never;
}

/** `verb name` of each request that is kept. */
export function namesIn({ requests }: AuditLog): string[] {
  return requests.map(({ verb, name }) => `${verb} ${name}`);
}
