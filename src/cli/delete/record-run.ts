import { groupResourceOf } from '../../kube/resource-type.ts';
import type { PlannedRequest } from '../../plan/plan.ts';
import { writeOut } from '../streams.ts';
import type { Account } from './account.ts';
import { deletedLine } from './deletion-target.ts';
import { type Failure, whenDeleting } from './failure.ts';
import type { GottenTarget } from './get-targets.ts';
import type { LiveDeletion } from './live-deletion.ts';
import type { Outcome } from './outcome.ts';
import { isInteractive } from './terminal.ts';

/** Takes over what became of a run: failures in kubectl's words, what is left, and the account on stderr. */
export async function recordRun(
  account: Account,
  gotten: readonly GottenTarget[],
  { flags, options, cluster }: Pick<LiveDeletion, 'flags' | 'options' | 'cluster'>,
  outcome: Outcome,
): Promise<void> {
  const positions = new Map<string, GottenTarget>();
  const twice: GottenTarget[] = [];
  for (const each of gotten) {
    if (!each.record) continue;
    if (positions.has(each.record.uid)) twice.push(each);
    else positions.set(each.record.uid, each);
  }
  const fail = (request: PlannedRequest, failure: Failure) => {
    const named = positions.get(request.uid);
    if (named) outcome.objectFailed(named.position, whenDeleting(named.target.source, failure));
    else outcome.sourceFailed(failure);
  };
  // What has gone since it was looked up is in no plan.
  const requested = new Set(account.plan.requests.map(({ uid }) => uid));
  for (const [uid, { target, position }] of positions) {
    if (requested.has(uid)) continue;
    const gone = notFound(target.type, target.name);
    outcome.objectFailed(position, whenDeleting(target.source, gone));
  }
  for (const { request, code, reason, message } of account.refused) {
    fail(request, { message, ...(code > 0 && { status: { code, reason } }) });
  }
  for (const { request, reason, message } of account.skipped) {
    if (reason === 'not-sent') continue;
    const type = cluster.types.find(request.apiVersion, request.kind);
    if (reason !== 'gone') fail(request, { message, status: { code: 409, reason: 'Conflict' } });
    else if (type && positions.has(request.uid)) fail(request, notFound(type, request.name));
  }
  // kubectl asks twice for what is named twice.
  for (const { target, record, position } of twice) {
    if (record && account.accepted.has(record.uid) && !account.isGone(record.uid)) {
      await writeOut(deletedLine(target, { ...options, output: flags.output }));
    } else {
      outcome.objectFailed(
        position,
        whenDeleting(target.source, notFound(target.type, target.name)),
      );
    }
  }
  outcome.accepted += account.accepted.size;
  outcome.left = account.left.length + account.unsent.length;
  outcome.ended = account.done?.ended;
  outcome.timedOut = account.done?.ended === 'timed-out' ? timedOutOn(account, cluster) : undefined;
  if (account.isEventful || isInteractive()) outcome.details.push(...account.lines());
}

function notFound(type: Parameters<typeof groupResourceOf>[0], name: string): Failure {
  return {
    message: `${groupResourceOf(type)} "${name}" not found`,
    status: { code: 404, reason: 'NotFound' },
  };
}

/** kubectl names the first object that it waited for in vain. */
function timedOutOn(account: Account, { types }: LiveDeletion['cluster']): string | undefined {
  const left = new Set(account.left.map(({ object }) => object.uid));
  const request = account.plan.requests.find(({ uid }) => left.has(uid)) ?? account.left[0]?.object;
  const type = request && types.find(request.apiVersion, request.kind);
  return type && `timed out waiting for the condition on ${type.resource}/${request.name}`;
}
