import type { ObjectPatch } from '../../audit/fixes.ts';
import { GcError } from '../../errors.ts';
import type { Json } from '../../kube/json-value.ts';
import { printedName, printedPlace } from '../../output/printable.ts';
import { checkFixAccess } from '../../perform/check-access.ts';
import { applyPatches, type PatchResult } from '../../perform/send/patch-references.ts';
import { applyPatch } from '../../simulator/api-server/apply-patch.ts';
import type { OpenedCluster } from '../input/session.ts';
import { fixBackup } from './fix-backup.ts';
import type { Fix } from './fix-diff.ts';
import { type Answer, type FixOptions, sendFixes } from './send-fixes.ts';

/**
 * Asks whether all patches are permitted, rehearses each on the server, then asks, then sends those
 * that the server would take. Each tests uid and references first, so that an object that changed
 * meanwhile is left alone. After Ctrl-C nothing more is sent.
 */
export async function fixReferences(
  cluster: OpenedCluster,
  patches: readonly ObjectPatch[],
  options: FixOptions,
): Promise<void> {
  const { client, types } = cluster;
  const { signal } = options.interruption;
  const accesses = patches.map(({ object }) => ({ verb: 'patch', object }) as const);
  await checkFixAccess(accesses, cluster, options.interruption);
  const { refused } = await sendFixes(patches, options, {
    send: async function* (some, { dryRun }) {
      for await (const result of applyPatches(client, types, some, { dryRun, signal })) {
        yield answerOf(result, dryRun ? ' (server dry run)' : '');
      }
    },
    backup: fixBackup(cluster, fixOf, options.interruption),
    question: (count) => `Fix ${count === 1 ? 'this object' : `these ${count} objects`}?`,
    declined: 'Nothing was changed. Add --yes to apply the fixes.',
  });
  if (refused === 0) return;
  throw new GcError(`${refused} of ${patches.length} objects could not be fixed`, {
    code: 'not-fixed',
    suggestions: [
      'The lines above say why. Run the command again to judge the objects as they are now.',
    ],
  });
}

function fixOf({ object, patch }: ObjectPatch): Fix {
  const does = `change the owner references of ${printedName(object)}`;
  return { object, does, after: (manifest) => patchedBy(manifest, patch) };
}

/** The object as the API server would patch it; as it is, where it would not. */
export function patchedBy(manifest: Json, patch: unknown): Json {
  const patched = applyPatch(manifest, 'json', patch);
  return 'object' in patched ? patched.object : manifest;
}

function answerOf({ patch, outcome, message }: PatchResult, suffix: string): Answer<ObjectPatch> {
  const name = printedPlace(patch.object);
  const line =
    message === undefined
      ? `${name} ${outcome}${suffix}`
      : `${name} not patched: ${outcome}: ${message}${suffix}`;
  return { step: patch, isTaken: outcome === 'patched', line };
}
