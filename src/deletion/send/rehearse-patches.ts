import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { PlannedRequest } from '../plan/plan.ts';
import { readAnswer } from './answers.ts';
import { namesOtherUid, patchRequest } from './send-patch.ts';

/** What the server says of a patch that it only rehearses. */
export interface RehearsedPatch {
  /** Why it would not take it, in its words. */
  readonly refusal?: string;
  /** metadata.generation of the object. */
  readonly generation?: number;
}

const concurrency = 8;

/**
 * Has the server check every patch without storing it; by uid. What is gone or was replaced, and what
 * it cannot answer at the moment, is met again when the patch is sent, and is no refusal.
 */
export async function rehearsePatches(
  client: ClusterClient,
  types: ResourceTypes,
  requests: readonly PlannedRequest[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RehearsedPatch>> {
  const { requestWithRetry } = await import('../../cluster/connection/retry.ts');
  const options = { useResourceVersion: true, dryRun: true };
  const patches = requests.filter(({ patch }) => patch !== undefined);
  const rehearsed = await inParallel(patches, concurrency, async (request) => {
    const type = types.find(request.apiVersion, request.kind);
    if (!type) return [request.uid, {}] as const;
    const message = patchRequest(request, type, options);
    const response = await requestWithRetry(client, { ...message, signal });
    const { code, message: words, generation } = await readAnswer(response);
    const isRefusal =
      code >= 400 && code < 500 && ![404, 409, 429].includes(code) && !namesOtherUid(words);
    const found: RehearsedPatch = {
      ...(isRefusal && { refusal: words }),
      ...(generation !== undefined && { generation }),
    };
    return [request.uid, found] as const;
  });
  return new Map(rehearsed);
}
