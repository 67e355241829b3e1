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
import { findObject, nodeObjection } from './guards.ts';
import { backoff, pause } from './pacing.ts';

/** Sends the patch of a request until the server has taken or refused it: twice does no more than once. */
export async function sendPatch(
  execution: Execution,
  request: PlannedRequest,
  type: ResourceType,
): Promise<SendResult> {
  const { client, pace, options, stop, late, emit } = execution;
  const message = patchRequest(request, type, options);
  const began = performance.now();
  for (let failures = 1; ; failures++) {
    const objection = await nodeObjection(execution, request);
    if (objection) return objection;
    const answer = await client
      .request({ ...message, signal: late })
      .then(readAnswer)
      .catch((error: unknown) => lostAnswer(error));
    const ended = await settled(execution, request, type, answer);
    if (ended) return ended;
    const tooLong = performance.now() - began > pace.giveUp;
    const tooOften = [409, 500].includes(answer.code) && failures >= mostServerErrors;
    if (stop.aborted || tooLong || tooOften || !mayRetry(answer)) return refused(request, answer);
    emit({ type: 'retrying', request, message: answer.message });
    const wait = answer.retryAfter ?? backoff(failures, pace.firstRetry, pace.longestRetry);
    await pause(Math.min(wait, longestAsked), stop);
    if (stop.aborted) return refused(request, answer);
  }
}

/** What needs no further attempt; undefined: try again, or give up. */
async function settled(
  execution: Execution,
  request: PlannedRequest,
  type: ResourceType,
  { code, message, namesObject }: DeleteAnswer,
): Promise<SendResult | undefined> {
  if (code >= 200 && code < 300) return { type: 'sent', request, code };
  if (code === 404 && namesObject) return { type: 'skipped', request, reason: 'gone', message };
  // Servers call another uid a conflict, or a change of what cannot be changed.
  if (code !== 409 && !(code === 422 && namesOtherUid(message))) return undefined;
  const found = await findObject(execution, request, type);
  if (found.state === 'absent') return { type: 'skipped', request, reason: 'gone', message };
  if (found.state === 'replaced') {
    const other = `another ${request.kind} has that name now, with uid ${found.uid}`;
    return { type: 'skipped', request, reason: 'replaced', message: other };
  }
  // Bound to a version, it never fits again.
  const isBound = execution.options.useResourceVersion && request.resourceVersion !== undefined;
  return isBound ? { type: 'skipped', request, reason: 'changed', message } : undefined;
}

/** Is that it has another uid what is wrong with a patch? */
export function namesOtherUid(message: string): boolean {
  return /\bmetadata\.uid: Invalid value\b/.test(message);
}

function refused(request: PlannedRequest, answer: DeleteAnswer): SendResult {
  const { code, reason, message } = answer;
  const why = `its ${request.patch?.subresource ?? 'patch'} was not taken: ${message}`;
  return { type: 'refused', request, code: Math.max(code, 0), reason, message: why };
}

/**
 * The PATCH of a planned request. The uid in it is a precondition: the server takes it for no other
 * object of that name.
 */
export function patchRequest(
  { namespace, name, uid, resourceVersion, patch }: PlannedRequest,
  type: ResourceType,
  options: Pick<ExecuteOptions, 'useResourceVersion' | 'dryRun'>,
): ApiRequest {
  const withVersion = options.useResourceVersion && resourceVersion !== undefined;
  const { metadata, ...rest } = patch?.body ?? {};
  const body = {
    metadata: { ...Object(metadata), uid, ...(withVersion && { resourceVersion }) },
    ...rest,
  };
  const query = `?fieldManager=kubectl-gc${options.dryRun ? '&dryRun=All' : ''}`;
  const path = objectPath(type, namespace, name);
  return {
    method: 'PATCH',
    path: `${path}${patch?.subresource ? `/${patch.subresource}` : ''}${query}`,
    headers: {
      'content-type':
        patch?.type === 'strategic'
          ? 'application/strategic-merge-patch+json'
          : 'application/merge-patch+json',
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    },
    body: JSON.stringify(body),
  };
}
