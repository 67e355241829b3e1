import type { ObjectPatch } from '../../audit/fixes.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { type SendOptions, sendWrite } from '../../cluster/write/send-write.ts';
import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import { objectPath } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';

/** What became of one patch. */
export interface PatchResult {
  readonly patch: ObjectPatch;
  readonly outcome: 'patched' | Exclude<WriteAnswer['outcome'], 'done'>;
  /** Why the server did not take the patch, or whether it did is not known. */
  readonly message: string | undefined;
}

/**
 * Sends each patch, one after the other, until the signal is aborted. With `dryRun` the server checks
 * everything and stores nothing. Throws where the server cannot be reached any more.
 */
export async function* applyPatches(
  client: ClusterClient,
  types: ResourceTypes,
  patches: readonly ObjectPatch[],
  { dryRun, ...options }: Pick<SendOptions, 'retry' | 'signal'> & { readonly dryRun: boolean },
): AsyncGenerator<PatchResult> {
  for (const patch of patches) {
    if (options.signal?.aborted) return;
    const { object } = patch;
    const type = types.find(object.apiVersion, object.kind);
    if (!type) {
      yield { patch, outcome: 'refused', message: `${object.kind} is not served any more` };
      continue;
    }
    const path = objectPath(type, object.namespace, object.name);
    const answer = await sendWrite(
      client,
      { verb: 'patch', path, patchType: 'json', body: patch.patch, dryRun },
      options,
    );
    // A rehearsal that was ended says nothing.
    if (dryRun && options.signal?.aborted) return;
    yield { patch, ...resultOf(answer) };
    if (answer.error !== undefined && !options.signal?.aborted) throw answer.error;
  }
}

function resultOf({ outcome, code, message }: WriteAnswer): Omit<PatchResult, 'patch'> {
  if (outcome === 'done') return { outcome: 'patched', message: undefined };
  if (outcome !== 'changed' || code === 409) return { outcome, message };
  return { outcome, message: 'its uid or its references are not what they were' };
}
