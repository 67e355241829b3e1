import { dangersIn, isUnread, planPruning } from '../../deletion/plan/plan-pruning.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { type Format, pagedListFormats } from '../../questions/render.ts';
import type { AuditFlags } from '../../shell/audit/audit-options.ts';
import type { CommonFlags } from '../../shell/flags/flags.ts';
import { openFiles } from '../../shell/input/read-files.ts';
import { namespaceInFiles } from '../../shell/input/scope.ts';
import type { Printer } from '../../shell/oclif/answer.ts';
import { contextOf } from '../../shell/plan/planning.ts';
import { settingsInFiles } from '../../shell/settings/settings-in-files.ts';
import { computing } from '../../shell/terminal/interruption.ts';
import { writeErr } from '../../shell/terminal/streams.ts';

export const pruneFormats: readonly Format[] = [...pagedListFormats, 'markdown'];

/** `--from new --against old`: what is pruned, and what is deleted with it. No cluster is read. */
export async function auditPrunes(
  flags: CommonFlags & AuditFlags,
  old: readonly string[],
  print: Printer,
): Promise<ExitCode> {
  // A change may add the first manifests of a folder, or remove the last.
  const mayBeEmpty = true;
  const [before, after, cluster] = [
    await openFiles(flags, old, { mayBeEmpty }),
    await openFiles(flags, flags.from ?? [], { mayBeEmpty }),
    flags.snapshot === undefined ? undefined : await openFiles(flags, [flags.snapshot]),
  ];
  for (const { origin, records } of [before, after]) {
    if (records.length > 0 || origin.kind !== 'files') continue;
    writeErr(`Note: there is no manifest in ${origin.paths.join(', ')}.`);
  }
  const namespace = (await namespaceInFiles(flags)) ?? 'default';
  const taken = cluster ?? before;
  const pruning = { before, after, cluster, namespace };
  const { seen } = await settingsInFiles(taken);
  const context = contextOf(taken, { server: '', uid: '' }, seen);
  const plan = computing(() => planPruning(pruning, context));
  await print(plan, taken);
  const grave = dangersIn(plan);
  if (grave.length > 0 && flags['fail-on'] !== 'never') {
    writeErr(`Exit 1, as these go: ${firstOf(grave)}.`);
    return exitCodes.findings;
  }
  return plan.coverage.problems.some(isUnread) && !flags['allow-incomplete']
    ? exitCodes.failed
    : exitCodes.ok;
}
