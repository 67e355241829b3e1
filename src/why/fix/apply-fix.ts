import { isAbsence, readRefusal } from '../../cluster/api-failure.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { get } from '../../cluster/get.ts';
import { type SendOptions, sendWrite } from '../../cluster/write/send-write.ts';
import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import type { FixRequest } from '../fix-request.ts';

/** What became of one step. */
export interface FixResult {
  readonly outcome: 'applied' | Exclude<WriteAnswer['outcome'], 'done'>;
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

/** Sends one step with its guards. With `dryRun` the server checks everything and stores nothing. */
export async function applyFixStep(
  client: ClusterClient,
  { method, path, body, onlyWithout }: FixRequest,
  { dryRun, ...options }: Pick<SendOptions, 'retry' | 'signal'> & { readonly dryRun: boolean },
): Promise<FixResult> {
  let objection: string | undefined;
  const isObjected = async () => {
    if (onlyWithout === undefined) return false;
    const response = await get(client, onlyWithout, 'application/json', options);
    if (isAbsence(response.status, await readRefusal(response))) return false;
    objection = `${onlyWithout} is not certainly gone (HTTP status ${response.status})`;
    return true;
  };
  const patchType = method === 'PATCH' ? ({ patchType: 'json' } as const) : {};
  const write = { verb: verbs[method], path, body, dryRun, ...patchType };
  const answer = await sendWrite(client, write, { ...options, endsBefore: isObjected });
  if (objection !== undefined) return { outcome: 'changed', message: objection };
  const { outcome, code, message, repeated, error } = answer;
  // An earlier try whose answer was lost has let it go.
  if (outcome === 'done' || (outcome === 'gone' && repeated)) {
    return { outcome: 'applied', message: undefined };
  }
  if (outcome !== 'changed' || code === 409) {
    return { outcome, message, ...(error !== undefined && { error }) };
  }
  return { outcome, message: 'it is not what it was when it was read' };
}
