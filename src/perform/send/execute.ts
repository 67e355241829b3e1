import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import type { Plan, PlannedObject, PlannedRequest } from '../../deletion/plan/plan.ts';
import { type ObjectLocation, referenceTo } from '../../kube/object-reference.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { expectedObjects, untilGone, untilSettled } from '../follow/expected-end.ts';
import { type Follower, follow } from '../follow/follow.ts';
import { scopesOf } from '../follow/followed-scope.ts';
import { findKept } from '../follow/kept-dependents.ts';
import { differences, isLeft, leftEvents, readLeft } from '../follow/left-objects.ts';
import { StallWatch } from '../follow/stall-watch.ts';
import { type TrackedObject, TrackedObjects } from '../follow/tracked-objects.ts';
import type { Ending, Happening, ProgressEvent } from '../progress-event.ts';
import {
  defaultPace,
  type ExecuteOptions,
  type Execution,
  type SendResult,
} from '../run-context.ts';
import { sendRequest } from './send-request.ts';

/** Node fires longer timers immediately. */
const longestTimer = 2 ** 31 - 1;

/**
 * Sends the requests of a plan and follows its objects to their end. Every result is an event, refusals and lost
 * connections too; the last one is `done`. It deletes only objects of the plan's requests, by uid. Events are
 * reported one after the other; if reporting fails, the run stops.
 */
export async function execute(
  plan: Plan,
  client: ClusterClient,
  types: ResourceTypes,
  options: ExecuteOptions,
  report: (event: ProgressEvent) => void | Promise<void>,
): Promise<void> {
  const abandoned = new AbortController();
  const expired = new AbortController();
  const late = new AbortController();
  const pace = { ...defaultPace, ...options.pace };
  const signal = AbortSignal.any([abandoned.signal, ...(options.signal ? [options.signal] : [])]);
  const stop = AbortSignal.any([signal, expired.signal]);
  const timers = [after(options.timeout, () => expired.abort())];
  const onStop = () => timers.push(after(pace.grace, () => late.abort()));
  stop.addEventListener('abort', onStop);
  let reported = Promise.resolve();
  const emit = (event: Happening) => {
    const at = new Date(options.now()).toISOString();
    reported = reported.then(() => report({ at, ...event }));
    reported.catch(() => abandoned.abort());
  };
  const execution: Execution = {
    client,
    types,
    options: { ...options, signal },
    pace,
    emit,
    stop,
    late: late.signal,
  };
  try {
    await perform(plan, execution).finally(() => reported);
  } finally {
    stop.removeEventListener('abort', onStop);
    abandoned.abort();
    for (const timer of timers) clearTimeout(timer);
  }
}

async function perform(plan: Plan, execution: Execution): Promise<void> {
  const { options, emit, types } = execution;
  const { requests, objects } = plan;
  emit({ type: 'planned', requests: requests.length, objects: objects.length });
  for (const { object, because } of plan.leftAlone ?? []) {
    emit({ type: 'left-alone', object, because });
  }
  const tracked = new TrackedObjects(
    followedObjects(plan, options),
    types,
    emit,
    options.expectation,
  );
  const begin = (listed?: ExecuteOptions['listed']) => {
    for (const record of listed?.records ?? []) if (tracked.find(record.uid)) tracked.see(record);
    const scopes = scopesOf(tracked.all, options.wait === 'tree', listed?.versions);
    return follow(execution, tracked, scopes);
  };
  // A single object is mostly removed with its request: then one list afterwards shows it, without a watch.
  const isAlone = tracked.size === 1 && requests.every(({ verb }) => verb === 'delete');
  let follower = options.rehearses || isAlone ? undefined : begin(options.listed);
  try {
    await follower?.opened;
    const sending = await sendRequests(execution, requests, tracked);
    if (isAlone && !options.rehearses) {
      follower = begin();
      await follower.opened;
    }
    await finish(plan, execution, tracked, sending, follower);
  } finally {
    await follower?.stop();
  }
}

/** What became of all requests. */
interface SendingResult {
  readonly sent: number;
  readonly skipped: number;
  readonly refused: number;
  /** uids of objects whose deletion is under way, or that were gone or replaced already. */
  readonly accepted: ReadonlySet<string>;
  /** uids of others whose deletion may have been accepted: its answer was lost. */
  readonly begun: ReadonlySet<string>;
  /** Is any of them under way? Else nothing is waited for: what was gone or replaced, somebody else has deleted. */
  readonly isUnderWay: boolean;
}

/** Requests of a controller that are under way at a time. */
const requestsAtOnce = 8;

/** Sends the requests: one after the other, or as a controller several at a time. */
async function sendRequests(
  execution: Execution,
  requests: readonly PlannedRequest[],
  tracked: TrackedObjects,
): Promise<SendingResult> {
  const [accepted, begun] = [new Set<string>(), new Set<string>()];
  const tally = { sent: 0, skipped: 0, refused: 0, accepted, begun, isUnderWay: false };
  const note = (result: SendResult) => {
    tally[result.type] += 1;
    execution.emit(result);
    const { uid } = result.request;
    const isGone = result.type === 'skipped' && ['gone', 'replaced'].includes(result.reason);
    if (isGone) tracked.gone(uid);
    if ('begun' in result) begun.add(uid);
    if (isUnderWay(result)) tally.isUnderWay = true;
    if (isGone || isUnderWay(result)) accepted.add(uid);
  };

  await inParallel(requests, execution.options.asController ? requestsAtOnce : 1, async (request) =>
    note(await sendOne(execution, request, tracked)),
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

/** Has the server begun to delete the object, or to change it? */
function isUnderWay(result: SendResult): boolean {
  return result.type === 'sent' || (result.type === 'skipped' && result.reason === 'terminating');
}

async function finish(
  { requests }: Plan,
  execution: Execution,
  tracked: TrackedObjects,
  sending: SendingResult,
  follower: Follower | undefined,
): Promise<void> {
  const { emit, options } = execution;
  const { accepted, begun, isUnderWay } = sending;
  const expected = isUnderWay ? expectedObjects(tracked, requests, accepted) : [];
  let ended = await untilEnd(execution, requests, tracked, sending, expected);
  await follower?.stop();
  const isWaiting = options.wait !== 'none' && !options.rehearses;
  const uids = requests.map(({ uid }) => uid);
  const unaccepted = new Set(uids.filter((uid) => !accepted.has(uid) && !begun.has(uid)));
  const isOurs = isUnderWay || uids.some((uid) => !accepted.has(uid));
  const candidates = isWaiting && isOurs ? [...tracked.all].filter(isLeft) : [];
  const isInterrupted = ended === 'interrupted';
  const records = isInterrupted ? new Map() : await readLeft(execution, candidates, tracked);
  const left = candidates.filter(isLeft);
  if (!isInterrupted) await findKept(execution, left, tracked);
  if (ended === 'settled' && left.length === 0) ended = 'gone';
  const asked = new Set(expected.map(({ planned }) => planned.uid));
  const unread = new Set(isInterrupted ? [...asked, ...begun] : []);
  // The server has just said why a request was not accepted.
  const unexplained = left.filter(
    ({ planned, terminating }) => terminating || !unaccepted.has(planned.uid),
  );
  const diagnosed = isInterrupted
    ? new Map()
    : await options.whyLeft?.(execution, placesOf(unexplained));
  const now = options.now();
  const context = { tracked, records, unaccepted, unread, now, ...(diagnosed && { diagnosed }) };
  for (const event of leftEvents(left, context)) emit(event);
  const differing = isWaiting ? differences(tracked.all, ended, asked) : [];
  for (const event of differing) emit(event);
  const unplanned = isWaiting && isUnderWay ? [...tracked.unplanned.values()] : [];
  for (const each of unplanned) emit({ type: 'unplanned', ...each });
  emit({
    type: 'done',
    ended,
    sent: sending.sent,
    refused: sending.refused,
    skipped: sending.skipped,
    gone: [...tracked.all].filter(({ present }) => present === false).length,
    left: left.length,
    differences: differing.length + unplanned.length,
  });
}

/** Where those are that are there, and whose end was asked for. */
function placesOf(left: readonly TrackedObject[]): ObjectLocation[] {
  return left.flatMap(({ type, planned: { namespace, name }, present, kept }) =>
    type && present && kept === undefined ? [{ type, namespace, name }] : [],
  );
}

/** As kubectl does, the objects themselves are not waited for when a request failed; the tree is. */
async function untilEnd(
  execution: Execution,
  requests: Plan['requests'],
  tracked: TrackedObjects,
  { accepted, isUnderWay }: SendingResult,
  expected: ReturnType<typeof expectedObjects>,
): Promise<Ending> {
  const { options } = execution;
  const requested = new Set(requests.map(({ uid }) => uid));
  const stallWatch = new StallWatch(execution, tracked, requested);
  const failed = requests.some(({ uid }) => !accepted.has(uid));
  const stopped = options.signal?.aborted ? 'interrupted' : 'timed-out';
  if (options.wait === 'none' || options.rehearses) {
    if (execution.stop.aborted && failed) return stopped;
    return failed ? 'failed' : 'not-waited';
  }
  if (options.wait === 'object') {
    if (!failed) return untilGone(execution, expected, stallWatch);
    return execution.stop.aborted ? stopped : 'failed';
  }
  if (!isUnderWay && !execution.stop.aborted) {
    const isGone = [...tracked.all].every(({ present }) => present === false);
    return failed || !isGone ? 'failed' : 'gone';
  }
  const ended = await untilSettled(execution, tracked, expected, stallWatch);
  return failed && (ended === 'gone' || ended === 'settled') ? 'failed' : ended;
}

/** The whole plan, or the requested objects alone. */
function followedObjects(
  plan: Plan,
  { wait, rehearses }: ExecuteOptions,
): readonly PlannedObject[] {
  const { requests, objects } = plan;
  if (rehearses || wait === 'none') return [];
  const planned = new Map(objects.map((object) => [object.uid, object]));
  const requested = requests.map((request): PlannedObject => {
    const { uid } = request;
    const verdict = { fate: 'deleted', because: 'its deletion was requested', rule: '' } as const;
    return planned.get(uid) ?? { ...referenceTo(request), wave: 0, ...verdict, blockedBy: [] };
  });
  return wait === 'tree' ? [...objects, ...requested] : requested;
}

function after(milliseconds: number | undefined, work: () => void): NodeJS.Timeout | undefined {
  if (milliseconds === undefined) return undefined;
  return setTimeout(work, Math.min(milliseconds, longestTimer));
}
