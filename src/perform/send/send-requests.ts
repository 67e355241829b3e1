import { Gate } from '../../cluster/pacing.ts';
import type { PlannedRequest } from '../../deletion/plan/plan.ts';
import type { TrackedObjects } from '../follow/tracked-objects.ts';
import type { Execution, SendResult } from '../run-context.ts';
import { sendRequest } from './send-request.ts';

/** What became of all requests. */
export interface SendingResult {
  readonly sent: number;
  readonly skipped: number;
  readonly refused: number;
  /** uids of objects whose deletion is under way, or that were gone or replaced already. */
  readonly accepted: ReadonlySet<string>;
}

/** Requests of a controller that are under way at a time. */
const atOnce = 8;

/** Sends the requests: one after the other, or as a controller several at a time. */
export async function sendRequests(
  execution: Execution,
  requests: readonly PlannedRequest[],
  tracked: TrackedObjects,
): Promise<SendingResult> {
  const tally = { sent: 0, skipped: 0, refused: 0, accepted: new Set<string>() };
  const gate = new Gate(execution.options.asController ? atOnce : 1);

  const note = (result: SendResult) => {
    tally[result.type] += 1;
    execution.emit(result);
    const { uid } = result.request;
    if (isUnderWay(result)) tally.accepted.add(uid);
    if (result.type === 'skipped' && ['gone', 'replaced'].includes(result.reason)) {
      tracked.gone(uid);
    }
  };

  await Promise.all(
    requests.map((request) =>
      gate.run(async () => note(await sendOne(execution, request, tracked))),
    ),
  );
  return tally;
}

async function sendOne(
  execution: Execution,
  request: PlannedRequest,
  tracked: TrackedObjects,
): Promise<SendResult> {
  const { stop, options, types } = execution;
  if (stop.aborted) {
    const message = options.signal?.aborted ? 'the run was interrupted' : 'the time was up';
    return { type: 'skipped', request, reason: 'not-sent', message };
  }
  const refuse = (reason: string, message: string): SendResult => {
    return { type: 'refused', request, code: 0, reason, message };
  };
  if (request.uid === '') {
    return refuse('NoUid', 'without a uid another object of that name might be met');
  }
  const type = types.find(request.apiVersion, request.kind);
  if (!type) return refuse('NotServed', `${request.kind} is not served any more`);
  // Of what was not seen it is unknown: then a deletion is sent again, which does no harm.
  const wasTerminating = () => {
    const object = tracked.find(request.uid);
    return object?.present === undefined || object.wasTerminating;
  };
  let { resourceVersion } = request;
  const onStored = (stored: string | undefined) => {
    resourceVersion = resourceVersion && stored;
  };
  const send = (verb: PlannedRequest['verb']) =>
    sendRequest({ execution, request, type, verb, wasTerminating, onStored }, resourceVersion);
  if (!request.patch) return send('delete');
  const patched = await send('patch');
  if (request.verb === 'patch' || patched.type !== 'sent') return patched;
  const deleted = await send('delete');
  if (deleted.type === 'sent' || options.rehearses) return deleted;
  const done = `its ${request.patch.subresource ?? 'patch'} was written`;
  return { ...deleted, message: `${done}, not its deletion: ${deleted.message}`, begun: true };
}

/** Does the object go, or is it gone? */
function isUnderWay(result: SendResult): boolean {
  if (result.type !== 'skipped') return result.type === 'sent';
  return !['changed', 'node', 'not-sent'].includes(result.reason);
}
