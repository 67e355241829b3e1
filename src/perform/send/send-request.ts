import { objectPath } from '../../cluster/api-path.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import { getObject } from '../../cluster/list/get-objects.ts';
import { defaultRetryPolicy } from '../../cluster/pacing.ts';
import { rehearse } from '../../cluster/write/rehearse.ts';
import { type SendOptions, sendWrite } from '../../cluster/write/send-write.ts';
import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import type { NodeCondition, PlannedRequest } from '../../deletion/plan/plan.ts';
import { stateChange, targetStateOf } from '../../deletion/plan/plan-difference.ts';
import { isGcError } from '../../errors.ts';
import { fieldsOf, numberOf, textOf } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { isOutOfService, isReady } from '../../kube/well-known-kinds.ts';
import type { Execution, SendResult } from '../run-context.ts';

/** An object whose status changes this often in the meantime is skipped. */
const mostVersions = 10;

/** One part of a request: its patch, or its deletion. */
export interface Sending {
  readonly execution: Execution;
  readonly request: PlannedRequest;
  readonly type: ResourceType;
  readonly verb: 'delete' | 'patch';
  /**
   * Was the object being deleted before? Then this does not show that a deletion whose answer was lost has
   * arrived.
   */
  readonly wasTerminating: () => boolean;
  /** Receives the resourceVersion after a patch. */
  readonly onStored: (resourceVersion: string | undefined) => void;
}

/**
 * Sends the patch or the deletion of a request until the server has taken or refused it, and only as
 * long as its Node is as the request says. Where a resourceVersion is required and only parts of the
 * object have changed that the plan does not depend on, it is sent again for the present version.
 */
export async function sendRequest(
  sending: Sending,
  resourceVersion: string | undefined,
): Promise<SendResult> {
  let version = sending.execution.options.useResourceVersion ? resourceVersion : undefined;
  for (let attempt = 1; ; attempt++) {
    const result = await sendBound(sending, version);
    const isStale = result.type === 'skipped' && result.reason === 'changed';
    if (!isStale || !sending.request.dependsOn || attempt === mostVersions) return result;
    version = await sameVersion(sending);
    if (version === undefined) return result;
  }
}

/** The present resourceVersion of an object that is as the plan has it; undefined for any other. */
async function sameVersion(sending: Sending): Promise<string | undefined> {
  const { dependsOn } = sending.request;
  if (sending.execution.stop.aborted || !dependsOn) return undefined;
  const { record } = await findObject(sending);
  const now = record && targetStateOf(record, 'labels');
  return now && !stateChange(dependsOn, now) ? record.resourceVersion : undefined;
}

async function sendBound(
  sending: Sending,
  resourceVersion: string | undefined,
): Promise<SendResult> {
  const { execution, request, type, verb, wasTerminating } = sending;
  const { client, pace, options, stop, late, emit } = execution;
  let ended: SendResult | undefined;
  /** The answer to a try was lost. */
  let isLost = false;
  const settled = (result: SendResult): SendResult =>
    isLost && result.type !== 'sent' && !options.rehearses ? { ...result, begun: true } : result;
  const hasArrived = async () => {
    if (options.rehearses || verb === 'patch') return false;
    const { state } = await findObject(sending);
    if (state === 'absent' || state === 'replaced') return true;
    return state === 'terminating' && !wasTerminating();
  };
  const write = writeOf(request, type, verb, resourceVersion);
  const how: SendOptions = {
    retry: {
      ...defaultRetryPolicy,
      tries: Infinity,
      firstWait: pace.firstRetry,
      longestWait: pace.longestRetry,
    },
    giveUp: pace.giveUp,
    signal: stop,
    late,
    endsBefore: async (isUncertain) => {
      if (isUncertain && (await hasArrived())) ended = { type: 'sent', request, code: 0 };
      else ended = await nodeObjection(execution, request);
      return ended !== undefined;
    },
    endsAfter: async (given) => {
      ended = await skipped(sending, given);
      return ended !== undefined;
    },
    onRetry: ({ message, outcome }) => {
      isLost ||= outcome === 'unknown';
      emit({ type: 'retrying', request, message });
    },
  };
  const answer = await (options.clearance
    ? sendWrite(client, options.clearance.covers(write), how)
    : rehearse(client, write, how));
  const { outcome, code, reason, message } = answer;
  isLost ||= outcome === 'unknown';
  if (ended) return settled(ended);
  if (outcome === 'done') return doneBy(sending, answer);
  if (stop.aborted && outcome === 'not-sent') {
    return settled({ type: 'skipped', request, reason: 'not-sent', message });
  }
  if (stop.aborted && outcome === 'unknown' && !late.aborted && (await hasArrived())) {
    return { type: 'sent', request, code: 0 };
  }
  const part =
    verb === 'patch' ? `its ${request.patch?.subresource ?? 'patch'} was not taken: ` : '';
  return settled({ type: 'refused', request, code, reason, message: part + message });
}

/** The result of a request that the server has taken, unless it met another object. */
function doneBy(
  { execution, request, verb, onStored }: Sending,
  { code, uid, object }: WriteAnswer,
): SendResult {
  if (uid !== undefined && uid !== request.uid) {
    const other = `the server did not heed the uid, and met the object with uid ${uid}`;
    return { type: 'refused', request, code, reason: 'OtherObject', message: other };
  }
  if (verb === 'patch' && !execution.options.rehearses)
    onStored(textOf(fieldsOf(object?.metadata).resourceVersion));
  return { type: 'sent', request, code };
}

/** Why no further attempt is needed; undefined: try again, or give up. */
async function skipped(
  sending: Sending,
  { outcome, code, message, repeated }: WriteAnswer,
): Promise<SendResult | undefined> {
  const { execution, request, verb } = sending;
  const skip = (reason: Extract<SendResult, { type: 'skipped' }>['reason'], why = message) =>
    ({ type: 'skipped', request, reason, message: why }) as const;
  if (outcome === 'gone') {
    return repeated && verb === 'delete' ? { type: 'sent', request, code: 0 } : skip('gone');
  }
  if (code !== 409 && outcome !== 'changed') return undefined;
  const found = await findObject(sending);
  if (found.state === 'absent') return skip('gone');
  if (found.state === 'replaced') {
    return skip('replaced', `another ${request.kind} has that name now, with uid ${found.uid}`);
  }
  if (verb === 'patch') {
    // Bound to a version, it never fits again.
    const isBound = execution.options.useResourceVersion && request.resourceVersion !== undefined;
    return isBound ? skip('changed') : undefined;
  }
  if (outcome === 'changed') return skip(message.includes('UID') ? 'replaced' : 'changed');
  // So the server answers for a namespace whose content is being removed.
  return found.state === 'terminating' ? skip('terminating') : undefined;
}

/** What is sent for a planned request. Bound to the uid, sending it twice does no more than once. */
function writeOf(
  request: PlannedRequest,
  type: ResourceType,
  verb: 'delete' | 'patch',
  resourceVersion: string | undefined,
) {
  const { namespace, name, uid, patch, gracePeriodSeconds, propagationPolicy } = request;
  const path = objectPath(type, namespace, name);
  const shared = { guards: { uid, resourceVersion }, metadataOnly: true };
  if (verb === 'delete')
    return { ...shared, verb, path, body: { propagationPolicy, gracePeriodSeconds } };
  return {
    ...shared,
    verb,
    path: patch?.subresource ? `${path}/${patch.subresource}` : path,
    patchType: patch?.type ?? 'merge',
    body: patch?.body,
  };
}

/** What the server says of a patch that it only rehearses. */
export interface RehearsedPatch {
  /** Why it would not take it, in its words. */
  readonly refusal?: string;
  /** metadata.generation of the object. */
  readonly generation?: number;
}

const concurrency = 8;

/**
 * Sends every patch as a dry run; by uid. A deleted or replaced object, or a temporary failure of the server,
 * shows again when the patch is sent, and is no refusal.
 */
export async function rehearsePatches(
  client: ClusterClient,
  types: ResourceTypes,
  requests: readonly PlannedRequest[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RehearsedPatch>> {
  const patches = requests.filter(({ patch }) => patch !== undefined);
  const rehearsed = await inParallel(patches, concurrency, async (request) => {
    const type = types.find(request.apiVersion, request.kind);
    if (!type) return [request.uid, {}] as const;
    const write = writeOf(request, type, 'patch', request.resourceVersion);
    const answer = await rehearse(client, write, { signal, late: signal });
    if (answer.error !== undefined) throw answer.error;
    const { outcome, code, message, object } = answer;
    const isRefusal = outcome === 'refused' && code < 500 && ![404, 409, 429].includes(code);
    const generation = numberOf(fieldsOf(object?.metadata).generation);
    const found: RehearsedPatch = {
      ...(isRefusal && { refusal: message }),
      ...(generation !== undefined && { generation }),
    };
    return [request.uid, found] as const;
  });
  return new Map(rehearsed);
}

/**
 * Reads the Node that a request depends on, from the server and not from what was seen before.
 * Undefined: nothing speaks against it. A Node that cannot be read does.
 */
async function nodeObjection(
  { client, types, late }: Pick<Execution, 'client' | 'types' | 'late'>,
  request: PlannedRequest,
): Promise<SendResult | undefined> {
  const { node } = request;
  if (!node) return undefined;
  const type = types.find('v1', 'Node');
  const unread = (why: string): SendResult => {
    const message = `Node ${node.name} could not be read, so it may be there: ${why}`;
    return { type: 'refused', request, code: 0, reason: 'NodeUnknown', message };
  };
  if (!type) return unread('Nodes are not served');
  const at = { type, namespace: '', name: node.name };
  const asked = getObject(client, at, { facts: true, signal: late });
  const { record, problem } = await asked.catch((error: unknown) => {
    if (isGcError(error)) return { record: undefined, problem: error };
    throw error;
  });
  if (problem) return unread(problem.message);
  const fault = nodeFault(node, record);
  return fault === undefined
    ? undefined
    : { type: 'skipped', request, reason: 'node', message: fault };
}

/** Whether an object is there: itself, terminating, another one of its name, none, or unknown. */
interface FoundObject {
  readonly state: 'there' | 'terminating' | 'replaced' | 'absent' | 'unknown';
  /** uid of what has the name now. */
  readonly uid: string | undefined;
  /** The object itself, where it is there. */
  readonly record?: ObjectRecord;
}

/** Looks for an object by its name and compares uids. */
async function findObject({ execution, request, type }: Sending): Promise<FoundObject> {
  const { client, late: signal } = execution;
  const { namespace, name, uid } = request;
  try {
    const { record, problem } = await getObject(client, { type, namespace, name }, { signal });
    if (problem) return { state: 'unknown', uid: undefined };
    if (!record) return { state: 'absent', uid: undefined };
    if (record.uid !== uid) return { state: 'replaced', uid: record.uid };
    return { state: record.deletionTimestamp ? 'terminating' : 'there', uid, record };
  } catch {
    return { state: 'unknown', uid: undefined };
  }
}

/**
 * Why a pod may not be removed by force for the sake of its Node; undefined: the Node, as it was just
 * read, is as the request says. A kubelet that is back may run the pod, and another may start it too.
 */
function nodeFault(
  { name, is }: NodeCondition,
  node: ObjectRecord | undefined,
): string | undefined {
  if (!node) return is === 'gone' ? undefined : `Node ${name} was deleted meanwhile`;
  if (isReady(node)) return `Node ${name} is there and Ready`;
  if (is === 'gone') return `Node ${name} is there again, although not ready`;
  if (isOutOfService(node)) return undefined;
  return `Node ${name} has lost the taint node.kubernetes.io/out-of-service`;
}
