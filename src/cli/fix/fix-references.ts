import type { ObjectPatch } from '../../audit/fix-patches.ts';
import { applyPatches, type PatchResult } from '../../deletion/send/patch-references.ts';
import { GcError } from '../../errors.ts';
import { addressOf, shellCommand } from '../../kube/shell-command.ts';
import { printedName } from '../../output/printable.ts';
import type { OpenedCluster } from '../input/session.ts';
import { confirm } from '../terminal/confirm.ts';
import { writeErr } from '../terminal/streams.ts';

/** Offline there is nobody to send a patch to, so it is printed as the kubectl command that would. */
export function printPatches(patches: readonly ObjectPatch[]): void {
  writeErr('To mend them (nothing was sent):');
  for (const { object, patch } of patches) {
    const text = JSON.stringify(patch);
    writeErr(`  ${shellCommand`kubectl patch ${addressOf(object)} --type=json -p ${text}`}`);
  }
}

/**
 * Rehearses every patch on the server, then asks, then sends those the server would take.
 * Each patch tests uid and references first, so an object that changed meanwhile is left alone.
 */
export async function fixReferences(
  { client, types }: OpenedCluster,
  patches: readonly ObjectPatch[],
  options: { readonly yes: boolean; readonly dryRun: boolean },
): Promise<void> {
  const accepted: ObjectPatch[] = [];
  let refused = 0;
  for await (const result of applyPatches(client, types, patches, { dryRun: true })) {
    writeErr(lineOf(result, ' (server dry run)'));
    if (result.outcome === 'patched') accepted.push(result.patch);
    else refused += 1;
  }
  if (options.dryRun) {
    writeErr('Nothing was changed (--dry-run).');
  } else if (accepted.length > 0 && (options.yes || (await confirm(question(accepted.length))))) {
    for await (const result of applyPatches(client, types, accepted, { dryRun: false })) {
      writeErr(lineOf(result, ''));
      if (result.outcome !== 'patched') refused += 1;
    }
  } else if (accepted.length > 0) {
    writeErr('Nothing was changed. Add --yes to apply the fixes.');
  }
  if (refused === 0) return;
  throw new GcError(`${refused} of ${patches.length} objects could not be mended`, {
    code: 'not-mended',
    suggestions: [
      'The lines above say why. Run the command again to judge the objects as they are now.',
    ],
  });
}

function question(count: number): string {
  return `Mend ${count === 1 ? 'this object' : `these ${count} objects`}?`;
}

function lineOf({ patch, outcome, message }: PatchResult, suffix: string): string {
  const { object } = patch;
  const where = object.namespace === '' ? '' : ` in namespace ${object.namespace}`;
  const name = `${printedName(object)}${where}`;
  return message === undefined
    ? `${name} ${outcome}${suffix}`
    : `${name} not patched: ${outcome}: ${message}${suffix}`;
}
