import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { auditPolicy } from './audit-policy.ts';

const verbs = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** What an API server is told so that it keeps every write with its body. */
export const writesPolicy = JSON.stringify(auditPolicy([{ level: 'Request', verbs }]));
export const writesLog = 'writes.log';

/** A request as an audit log has it (audit.k8s.io/v1 Event). */
interface LoggedWrite {
  readonly userAgent?: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly requestObject?: unknown;
}

/**
 * The writes of kubectl gc in an audit log that could meet another object than the one that was read. A DELETE without options
 * is `--raw`, and collections are deleted by `run-controllers` alone.
 */
function unboundWrites(log: string): string[] {
  const ours = log.split('\n').filter((line) => line.includes('"userAgent":"kubectl-gc/'));
  return ours.map((line) => JSON.parse(line) as LoggedWrite).flatMap((one) => faultOf(one) ?? []);
}

const verbOf: Readonly<Record<string, string>> = {
  DELETE: 'delete',
  PATCH: 'patch',
  PUT: 'update',
};

/** The same of a request as a server gets it; undefined of what may not change an object. */
export function unboundRequest(
  method: string,
  requestURI: string,
  body: string,
): string | undefined {
  const verb = verbOf[method];
  if (verb === undefined) return undefined;
  return faultOf({ verb, requestURI, requestObject: body === '' ? null : JSON.parse(body) });
}

function faultOf({ verb, requestURI, requestObject }: LoggedWrite): string | undefined {
  const isDryRun = new URL(requestURI, 'https://server').searchParams.get('dryRun') === 'All';
  if (isDryRun || verb === 'create' || verb === 'deletecollection') return undefined;
  // It was refused before its body was read, or has none.
  if (requestObject === undefined || requestObject === null) return undefined;
  const { metadata, preconditions, dryRun } = Object(requestObject);
  const uid =
    verb === 'delete'
      ? preconditions?.uid
      : Array.isArray(requestObject)
        ? testedUid(requestObject)
        : metadata?.uid;
  if (verb === 'update' && !metadata?.resourceVersion)
    return `${verb} ${requestURI} without a resourceVersion`;
  if (uid || dryRun?.includes('All')) return undefined;
  return `${verb} ${requestURI} without a uid`;
}

function testedUid(patch: readonly { op?: string; path?: string; value?: unknown }[]): unknown {
  return patch.find(({ op, path }) => op === 'test' && path === '/metadata/uid')?.value;
}

/** Throws where a control plane that has ended got a write that was bound to no object. `args`: more flags of its API server. */
export function refuseUnboundWrites(directory: string, args: readonly string[] = []): void {
  const flag = '--audit-log-path=';
  const own = args.findLast((arg) => arg.startsWith(flag))?.slice(flag.length);
  const path = resolve(directory, own ?? writesLog);
  const unbound = existsSync(path) ? unboundWrites(readFileSync(path, 'utf8')) : [];
  if (unbound.length > 0) throw new Error(`unbound writes:\n${unbound.join('\n')}`);
}
