import type { ApiRequest } from '../../cluster/connection/cluster-client.ts';
import { objectPath, type ResourceType } from '../../kube/resource-type.ts';
import type { PlannedRequest } from '../plan/plan.ts';
import type { ExecuteOptions, Execution } from '../run-context.ts';
import {
  type DeleteAnswer,
  longestAsked,
  lostAnswer,
  mayRetry,
  mostServerErrors,
  readAnswer,
  type SendResult,
} from './answers.ts';
import { type FoundObject, findObject, nodeObjection } from './guards.ts';
import { backoff, pause } from './pacing.ts';

const unheard = 'the answer was not waited for; the server may have accepted the request';

/**
 * Sends one DELETE until the server has taken or refused it, and only as long as its Node is as the
 * request says. `wasTerminating`: the object was being
 * deleted before, so that this does not show that a request whose answer was lost has arrived.
 */
export async function sendDelete(
  execution: Execution,
  request: PlannedRequest,
  type: ResourceType,
  wasTerminating: () => boolean,
): Promise<SendResult> {
  const { client, pace, options, stop, late, emit } = execution;
  const message = deleteRequest(request, type, options);
  const began = performance.now();
  let isUncertain = false;
  const hasArrived = async () => {
    if (options.dryRun) return false;
    const { state } = await findObject(execution, request, type);
    return isGone(state) || (state === 'terminating' && !wasTerminating());
  };
  for (let failures = 1; ; failures++) {
    if (isUncertain && (await hasArrived())) return { type: 'sent', request, code: 0 };
    const objection = await nodeObjection(execution, request);
    if (objection) return objection;
    const answer = await client
      .request({ ...message, signal: late })
      .then(readAnswer)
      .catch((error: unknown) => lostAnswer(error));
    const ended = await settled(execution, request, type, answer, isUncertain);
    if (ended) return ended;
    if (answer.code === 0 || answer.code >= 500) isUncertain = true;
    if (late.aborted)
      return refused(request, { ...answer, reason: 'Interrupted', message: unheard });
    const tooLong = performance.now() - began > pace.giveUp;
    const tooOften = [409, 500].includes(answer.code) && failures >= mostServerErrors;
    if (tooLong || tooOften || !mayRetry(answer)) return refused(request, answer);
    if (!stop.aborted) {
      emit({ type: 'retrying', request, message: answer.message });
      const wait = answer.retryAfter ?? backoff(failures, pace.firstRetry, pace.longestRetry);
      await pause(Math.min(wait, longestAsked), stop);
    }
    if (stop.aborted) {
      if (!isUncertain) {
        return { type: 'skipped', request, reason: 'not-sent', message: answer.message };
      }
      if (await hasArrived()) return { type: 'sent', request, code: 0 };
      return refused(request, { ...answer, message: `${answer.message}; it may have arrived` });
    }
  }
}

/** What needs no further attempt; undefined: try again, or give up. */
async function settled(
  execution: Execution,
  request: PlannedRequest,
  type: ResourceType,
  answer: DeleteAnswer,
  isUncertain: boolean,
): Promise<SendResult | undefined> {
  const { code, message } = answer;
  if (code >= 200 && code < 300) {
    if (answer.uid === undefined || answer.uid === request.uid) {
      return { type: 'sent', request, code };
    }
    const other = `the server did not heed the uid, and met the object with uid ${answer.uid}`;
    return { type: 'refused', request, code, reason: 'OtherObject', message: other };
  }
  if (code === 404 && answer.namesObject) {
    if (isUncertain) return { type: 'sent', request, code: 0 };
    return { type: 'skipped', request, reason: 'gone', message };
  }
  if (code !== 409) return undefined;
  const found = await findObject(execution, request, type);
  if (found.state === 'absent') return { type: 'skipped', request, reason: 'gone', message };
  if (found.state === 'replaced') {
    const other = `another ${request.kind} has that name now, with uid ${found.uid}`;
    return { type: 'skipped', request, reason: 'replaced', message: other };
  }
  if (/\bUID in (the )?precondition/.test(message)) {
    return { type: 'skipped', request, reason: 'replaced', message };
  }
  if (/\bResourceVersion in (the )?precondition/.test(message)) {
    return { type: 'skipped', request, reason: 'changed', message };
  }
  // So the server answers for a namespace whose content is being removed.
  if (found.state === 'terminating') {
    return { type: 'skipped', request, reason: 'terminating', message };
  }
  return undefined;
}

function isGone(state: FoundObject['state']): boolean {
  return state === 'absent' || state === 'replaced';
}

function refused(request: PlannedRequest, answer: DeleteAnswer): SendResult {
  const { code, reason, message } = answer;
  return { type: 'refused', request, code: Math.max(code, 0), reason, message };
}

/**
 * The DELETE for a planned request. Its uid goes along as a precondition, so that no other object
 * of that name can be met, and sending it twice does no more than sending it once.
 */
function deleteRequest(
  request: PlannedRequest,
  type: ResourceType,
  options: Pick<ExecuteOptions, 'useResourceVersion' | 'dryRun'>,
): ApiRequest {
  const { uid, resourceVersion, gracePeriodSeconds, propagationPolicy } = request;
  const withVersion = options.useResourceVersion && resourceVersion !== undefined;
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    preconditions: { uid, ...(withVersion && { resourceVersion }) },
    // Servers read the query only where there is no body.
    ...(options.dryRun && { dryRun: ['All'] }),
  };
  return {
    method: 'DELETE',
    path: objectPath(type, request.namespace, request.name) + (options.dryRun ? '?dryRun=All' : ''),
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  };
}

const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
