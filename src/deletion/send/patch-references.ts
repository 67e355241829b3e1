import type { ObjectPatch } from '../../audit/fix-patches.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { objectPath } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';

/** What became of one patch. */
export interface PatchResult {
  readonly patch: ObjectPatch;
  /** changed: a guard did not hold any more; gone: the object is not there; refused: the server said no. */
  readonly outcome: 'patched' | 'changed' | 'gone' | 'refused';
  /** The server's words when it did not take the patch. */
  readonly message: string | undefined;
}

/** Sends each patch, one after the other. With `dryRun` the server checks everything and stores nothing. */
export async function* applyPatches(
  client: ClusterClient,
  types: ResourceTypes,
  patches: readonly ObjectPatch[],
  { dryRun }: { readonly dryRun: boolean },
): AsyncGenerator<PatchResult> {
  for (const patch of patches) {
    const { object } = patch;
    const type = types.find(object.apiVersion, object.kind);
    if (!type) {
      yield { patch, outcome: 'refused', message: `${object.kind} is not served any more` };
      continue;
    }
    const query = `?fieldManager=kubectl-gc${dryRun ? '&dryRun=All' : ''}`;
    const response = await client.request({
      method: 'PATCH',
      path: objectPath(type, object.namespace, object.name) + query,
      headers: { 'content-type': 'application/json-patch+json', accept: 'application/json' },
      body: JSON.stringify(patch.patch),
    });
    yield { patch, ...outcomeOf(response.status, await textOf(response.body)) };
  }
}

function outcomeOf(status: number, body: string): Pick<PatchResult, 'outcome' | 'message'> {
  if (status >= 200 && status < 300) return { outcome: 'patched', message: undefined };
  const { message = body, details } = statusOf(body);
  if (status === 404) return { outcome: 'gone', message };
  if (status === 409) return { outcome: 'changed', message };
  // A test that fails is answered 422 as well, but without the causes of an invalid object.
  if (status === 422 && !details?.causes) {
    return { outcome: 'changed', message: 'its uid or its references are not what they were' };
  }
  return { outcome: 'refused', message };
}

interface Status {
  readonly message?: string;
  readonly details?: { readonly causes?: unknown };
}

function statusOf(body: string): Status {
  try {
    const status = JSON.parse(body) as Status | null;
    return typeof status?.message === 'string' ? status : {};
  } catch {
    return {};
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
