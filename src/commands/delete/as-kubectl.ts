import { apiVersionOf, printedKindOf } from '../../kube/resource-type.ts';
import { printable } from '../../output/printable.ts';
import { isProtected } from '../../perform/limits.ts';
import { sendDelete } from '../../perform/send/send-delete.ts';
import { wantsDocument } from '../../shell/flags/delete-options.ts';
import type { Deletion } from '../../shell/plan/planning.ts';
import { deletedLine } from '../../shell/plan/run-lines.ts';
import { writeErr, writeOut } from '../../shell/terminal/streams.ts';
import type { Outcome } from './outcome.ts';
import type { DeletionTarget } from './targets/targets-of-files.ts';

/** `--interactive`: kubectl's list and question on stdout, its answer from stdin, on a terminal or not. */
export async function confirmAsKubectl(
  targets: readonly DeletionTarget[],
  outcome: Outcome,
): Promise<boolean> {
  for (const target of targets) if (target.failure) outcome.fail(target.failure, target);
  // A person cannot confirm what could not be read.
  if (outcome.failed) return false;
  const names = targets.map(({ type, name }) => `${printable(`${printedKindOf(type)}/${name}`)}\n`);
  await writeOut(
    `You are about to delete the following ${targets.length} resource(s):\n${names.join('')}Do you want to continue? (y/N): `,
  );
  const line = await firstLine();
  if (line !== undefined && /^\s*y[ \t\r]*$/i.test(line)) return true;
  await writeOut('deletion is cancelled\n');
  return false;
}

/** Undefined when stdin ends before a line does. */
async function firstLine(): Promise<string | undefined> {
  if (process.stdin.readableEnded) return undefined;
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return undefined;
  } finally {
    lines.close();
    process.stdin.unref?.();
  }
}

/** kubectl's dry runs: on the client names are not even looked up, on the server all is sent. */
export async function rehearse(
  targets: readonly DeletionTarget[],
  { cluster, flags, options }: Deletion,
  outcome: Outcome,
): Promise<void> {
  for (const target of targets) {
    const failure =
      target.failure ??
      (options.dryRun === 'server' ? await sendDelete(cluster.client, target, options) : undefined);
    if (failure) outcome.fail(failure, target);
    else await writeOut(deletedLine(target, options, flags.output));
  }
}

/** Deals with what no plan is made for; answers what is left to plan. */
export async function withoutSpecial(
  gotten: readonly DeletionTarget[],
  deletion: Deletion,
  outcome: Outcome,
): Promise<readonly DeletionTarget[]> {
  const { flags } = deletion;
  // Of what may not be looked at there is no plan, so a preview has nothing to rehearse.
  const plansOnly = wantsDocument(flags) || flags.plan !== undefined;
  for (const each of gotten) {
    // It is there, and may not be looked at.
    const isForbidden = each.failure?.status?.code === 403;
    if (isForbidden && !plansOnly) await deleteUnseen(each, deletion, outcome);
    else if (each.failure) outcome.fail(each.failure, each);
  }
  return flags.all ? withoutProtected(gotten, deletion, outcome, plansOnly) : gotten;
}

/**
 * `namespace --all` means all that may be deleted: kubectl sends every request, and the server refuses
 * default, kube-system and kube-public. Here a rehearsal asks it, since a server may be set up to refuse
 * nothing; what it would accept is left alone, too. Answers what is left to delete.
 */
async function withoutProtected(
  gotten: readonly DeletionTarget[],
  { cluster, flags, options }: Deletion,
  outcome: Outcome,
  plansOnly: boolean,
): Promise<readonly DeletionTarget[]> {
  const isSpared = ({ type, namespace, name, record }: DeletionTarget) =>
    record !== undefined &&
    !flags['allow-protected'] &&
    isProtected({ kind: type.kind, apiVersion: apiVersionOf(type), namespace, name }) &&
    !type.namespaced;
  for (const target of gotten.filter(isSpared)) {
    const left = `${printedKindOf(target.type)} "${target.name}" is protected and left alone; --allow-protected deletes it, too`;
    if (plansOnly) writeErr(`Note: ${left}`);
    else {
      const refused = await sendDelete(cluster.client, target, { ...options, dryRun: 'server' });
      outcome.fail(refused ?? { message: left }, target);
    }
  }
  return gotten.filter((one) => !isSpared(one));
}

/**
 * What may be deleted but not be read can be neither planned nor bound to its uid. With
 * --allow-incomplete it is deleted as kubectl does it; else the request is rehearsed only, so that
 * a user who may not delete it either reads the reason kubectl gives.
 */
async function deleteUnseen(
  target: DeletionTarget,
  { cluster, flags, options }: Deletion,
  outcome: Outcome,
): Promise<void> {
  const isAllowed = flags['allow-incomplete'] ?? false;
  const dryRun = isAllowed ? options.dryRun : 'server';
  const what = `${printedKindOf(target.type)}/${target.name}`;
  if (isAllowed) writeErr(`Warning: ${what} cannot be looked at: no backup of it is kept`);
  const refused = await sendDelete(cluster.client, target, { ...options, dryRun });
  if (refused) outcome.fail(refused, target);
  else if (isAllowed) {
    await writeOut(deletedLine(target, options, flags.output));
    outcome.accepted += 1;
  } else {
    const why = `${what} may be deleted, but not be looked at: ${target.failure?.message ?? ''}`;
    outcome.fail({ message: `${why}; --allow-incomplete deletes it unseen` }, target);
  }
}
