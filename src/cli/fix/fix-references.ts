import type { ObjectPatch } from '../../audit/fix-patches.ts';
import { applyPatches, type PatchResult } from '../../deletion/send/patch-references.ts';
import { GcError } from '../../errors.ts';
import { addressOf, shellCommand } from '../../kube/shell-command.ts';
import { printedName } from '../../output/printable.ts';
import type { OpenedCluster } from '../input/session.ts';
import { checkFixAccess } from '../loop/check-access.ts';
import { confirm } from '../terminal/confirm.ts';
import { type Interruption, interrupted, listenForInterruption } from '../terminal/interruption.ts';
import { writeErr } from '../terminal/streams.ts';

/** Offline there is nobody to send a patch to, so it is printed as the kubectl command that would. */
export function printPatches(patches: readonly ObjectPatch[]): void {
  writeErr('To mend them (nothing was sent):');
  for (const { object, patch } of patches) {
    const text = JSON.stringify(patch);
    writeErr(`  ${shellCommand`kubectl patch ${addressOf(object)} --type=json -p ${text}`}`);
  }
}

interface FixOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
}

/**
 * Asks whether all patches are permitted, rehearses each on the server, then asks, then sends those
 * the server would take. Each tests uid and references first, so that an object that changed meanwhile
 * is left alone. After Ctrl-C nothing more is sent.
 */
export async function fixReferences(
  cluster: OpenedCluster,
  patches: readonly ObjectPatch[],
  options: FixOptions,
): Promise<void> {
  const interruption = listenForInterruption();
  try {
    const fixes = patches.map(({ object }) => ({ verb: 'patch', object }) as const);
    await checkFixAccess(fixes, cluster, interruption);
    await rehearseAndSend(cluster, patches, options, interruption);
  } finally {
    interruption.stop();
  }
}

async function rehearseAndSend(
  { client, types }: OpenedCluster,
  patches: readonly ObjectPatch[],
  options: FixOptions,
  interruption: Interruption,
): Promise<void> {
  const { signal } = interruption;
  const accepted: ObjectPatch[] = [];
  let refused = 0;
  for await (const result of applyPatches(client, types, patches, { dryRun: true, signal })) {
    if (signal.aborted) break;
    writeErr(lineOf(result, ' (server dry run)'));
    if (result.outcome === 'patched') accepted.push(result.patch);
    else refused += 1;
  }
  interruption.check();
  if (options.dryRun) {
    writeErr('Nothing was changed (--dry-run).');
  } else if (accepted.length > 0 && (options.yes || (await confirm(question(accepted.length))))) {
    let mended = 0;
    for await (const result of applyPatches(client, types, accepted, { dryRun: false, signal })) {
      writeErr(lineOf(result, ''));
      if (result.outcome === 'patched') mended += 1;
      else refused += 1;
    }
    if (signal.aborted) throw interrupted(`${mended} of ${accepted.length} objects were mended.`);
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
