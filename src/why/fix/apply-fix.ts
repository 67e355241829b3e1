import { isAbsence, readRefusal } from '../../cluster/api-failure.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { get } from '../../cluster/get.ts';
import { fetchOne } from '../../cluster/list/fetch-manifests.ts';
import type { Clearance } from '../../cluster/write/clearance.ts';
import { dryRunNotHeeded, rehearse } from '../../cluster/write/rehearse.ts';
import { type SendOptions, sendWrite } from '../../cluster/write/send-write.ts';
import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import { updateOf } from '../../cluster/write/write-request.ts';
import { namespaceType } from '../../kube/core-types.ts';
import { fieldsListOf, fieldsOf, type Json } from '../../kube/json-value.ts';
import { applyPatch } from '../../simulator/api-server/apply-patch.ts';
import type { FixRequest } from '../fix-request.ts';

/** What became of one step. */
export interface FixResult {
  readonly outcome: 'applied' | 'not-rehearsed' | Exclude<WriteAnswer['outcome'], 'done'>;
  /** Why the server did not take the step, or whether it did is not known. */
  readonly message: string | undefined;
  /** Why the server cannot be reached any more. */
  readonly error?: unknown;
}

const verbs = { PATCH: 'patch', DELETE: 'delete', PUT: 'update' } as const;

/** What one must be permitted to do for a step. */
export function accessOf({ method, object }: FixRequest) {
  // Whole objects are put nowhere but to this subresource.
  const subresource = method === 'PUT' ? 'finalize' : undefined;
  return { verb: verbs[method], subresource, object };
}

const otherNow = 'it is not what it was when it was read';

/** Sends one step with its guards. Without a clearance the server checks everything and stores nothing. */
export async function applyFixStep(
  client: ClusterClient,
  step: FixRequest,
  clearance: Clearance<'fix'> | undefined,
  options: Pick<SendOptions, 'retry' | 'signal'>,
): Promise<FixResult> {
  const { onlyWithout } = step;
  let objection: string | undefined;
  const isObjected = async () => {
    if (onlyWithout === undefined) return false;
    const response = await get(client, onlyWithout, 'application/json', options);
    if (isAbsence(response.status, await readRefusal(response))) return false;
    objection = `${onlyWithout} is not certainly gone (HTTP status ${response.status})`;
    return true;
  };
  const write = await fixWrite(client, step, options);
  if ('outcome' in write) return write;
  const how = { ...options, endsBefore: isObjected };
  const answer = await (clearance
    ? sendWrite(client, clearance.covers(write), how)
    : rehearse(client, write, how));
  if (objection !== undefined) return { outcome: 'changed', message: objection };
  const { outcome, code, reason, message, repeated, error } = answer;
  if (reason === dryRunNotHeeded) return { outcome: 'not-rehearsed', message };
  // An earlier attempt whose answer was lost has released it.
  if (outcome === 'done' || (outcome === 'gone' && repeated)) {
    return { outcome: 'applied', message: undefined };
  }
  if (outcome !== 'changed' || code === 409) {
    return { outcome, message, ...(error !== undefined && { error }) };
  }
  return { outcome, message: otherNow };
}

type FixWrite = Parameters<Clearance<'fix'>['covers']>[0];

async function fixWrite(
  client: ClusterClient,
  step: FixRequest,
  options: Pick<SendOptions, 'retry' | 'signal'>,
): Promise<FixWrite | FixResult> {
  const { method, path, body, object } = step;
  const { uid } = object;
  if (method === 'PATCH') {
    const isOfUid = ({ op, path: at }: Json) => op === 'test' && at === '/metadata/uid';
    const operations = fieldsListOf(body).filter((one) => !isOfUid(one));
    return { verb: 'patch', patchType: 'json', path, body: operations, guards: { uid } };
  }
  if (method === 'DELETE') {
    const options = fieldsOf(body);
    const guards = { ...fieldsOf(options.preconditions), uid };
    return { verb: 'delete', path, body: options, guards };
  }
  // What is put is the object as it is now, with only the step's patch applied (finalizeNamespace of namespaced_resources_deleter.go).
  const fetched = await fetchOne(client, { object, type: namespaceType }, options);
  if ('unread' in fetched) {
    const { unread, message } = fetched;
    return { outcome: unread === 'gone' ? 'gone' : 'not-sent', message };
  }
  const patched = applyPatch({ ...fetched.manifest }, 'json', body);
  if (!('object' in patched)) return { outcome: 'changed', message: otherNow };
  return updateOf(path, fetched.manifest, { spec: patched.object.spec });
}
