import type { PlannedCluster } from '../../deletion/plan/plan.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { apiVersionOf, printedKindOf } from '../../kube/resource-type.ts';
import { printable } from '../../output/printable.ts';
import { sendDelete } from '../../perform/send/send-delete.ts';
import { wantsDocument } from '../../shell/flags/delete-options.ts';
import { deletedLine } from '../../shell/plan/deleted-line.ts';
import { performPlan } from '../../shell/plan/perform-plan.ts';
import { type LiveDeletion, plannedCluster, planOnCluster } from '../../shell/plan/planning.ts';
import { printPreview } from '../../shell/plan/print-plan.ts';
import { isProtected } from '../../shell/plan/refusals.ts';
import { orInterrupted } from '../../shell/terminal/interruption.ts';
import { writeErr, writeOut } from '../../shell/terminal/streams.ts';
import { sayNothingFound } from './delete-offline.ts';
import { Outcome, recordRun } from './outcome.ts';
import { savePlan } from './saved-plan.ts';
import type { DeletionTarget } from './targets/deletion-target.ts';
import {
  type GottenTarget,
  getTargets,
  namingScope,
  type ReadCommandLine,
  resolveTargets,
} from './targets/resolve-targets.ts';

/** Deletes what the command line names on a cluster; answers what became of it. */
export async function deleteLive(
  commandLine: ReadCommandLine,
  deletion: LiveDeletion,
): Promise<Outcome> {
  const { cluster, flags, options, interruption } = deletion;
  const outcome = new Outcome(options.ignoreNotFound);
  const scope = namingScope(flags, cluster.client.namespace);
  const resolved = await orInterrupted(
    resolveTargets(commandLine, cluster.types, flags, scope, cluster.client),
    interruption,
  );
  for (const note of resolved.notes) writeErr(`Note: ${note}`);
  for (const failure of resolved.failures) outcome.sourceFailed(failure);
  const { targets } = resolved;
  if (targets.length === 0) {
    if (!outcome.failed) await sayNothingFound(flags);
    return outcome;
  }
  if (flags.interactive) {
    for (const [position, { refusal }] of targets.entries()) {
      if (refusal) outcome.objectFailed(position, refusal);
    }
    // A person cannot confirm what could not be read.
    if (outcome.failed || !(await confirmAsKubectl(targets))) return outcome;
  }
  if (scope.explicit && !flags['all-namespaces'] && targets.some(({ type }) => !type.namespaced)) {
    writeErr('Warning: deleting cluster-scoped resources, not scoped to the provided namespace');
  }
  if (options.dryRun !== 'none' && !wantsDocument(flags)) {
    await rehearse(targets, deletion, outcome);
    return outcome;
  }
  const [gotten, where] = await orInterrupted(
    Promise.all([getTargets(cluster.client, targets), plannedCluster(cluster.client)]),
    interruption,
  );
  const plansOnly = wantsDocument(flags) || flags.plan !== undefined;
  for (const each of gotten) {
    // A plan sends nothing, not even a rehearsal.
    if (isForbidden(each) && !plansOnly) await deleteUnseen(each, deletion, outcome);
    else if (each.failure) outcome.objectFailed(each.position, each.failure);
  }
  const rest = flags.all ? await withoutProtected(gotten, deletion, outcome, plansOnly) : gotten;
  if (rest.some(({ record }) => record)) await planAndDelete(rest, where, deletion, outcome);
  return outcome;
}

/**
 * `namespace --all` means all that may be deleted: kubectl sends every request, and the server refuses
 * default, kube-system and kube-public. Here a rehearsal asks it, since a server may be set up to refuse
 * nothing; what it would accept is left alone, too. Answers what is left to delete.
 */
async function withoutProtected(
  gotten: readonly GottenTarget[],
  { cluster, flags, options }: LiveDeletion,
  outcome: Outcome,
  plansOnly: boolean,
): Promise<readonly GottenTarget[]> {
  const isSpared = ({ target: { type, namespace, name }, record }: GottenTarget) =>
    record !== undefined &&
    !flags['allow-protected'] &&
    isProtected({ kind: type.kind, apiVersion: apiVersionOf(type), namespace, name }) &&
    !type.namespaced;
  for (const { target, position } of gotten.filter(isSpared)) {
    const left = `${printedKindOf(target.type)} "${target.name}" is protected and left alone; --allow-protected deletes it, too`;
    if (plansOnly) writeErr(`Note: ${left}`);
    else {
      const refused = await sendDelete(cluster.client, target, { ...options, dryRun: 'server' });
      outcome.objectFailed(position, refused ?? { message: left });
    }
  }
  return gotten.filter((one) => !isSpared(one));
}

/** kubectl's dry runs: on the client names are not even looked up, on the server all is sent. */
async function rehearse(
  targets: readonly DeletionTarget[],
  { cluster, flags, options }: LiveDeletion,
  outcome: Outcome,
): Promise<void> {
  for (const [position, target] of targets.entries()) {
    const failure =
      target.refusal ??
      (options.dryRun === 'server' ? await sendDelete(cluster.client, target, options) : undefined);
    if (failure) outcome.objectFailed(position, failure);
    else await writeOut(deletedLine(target, { ...options, output: flags.output }));
  }
}

async function planAndDelete(
  gotten: readonly GottenTarget[],
  where: PlannedCluster,
  deletion: LiveDeletion,
  outcome: Outcome,
): Promise<void> {
  const { cluster, flags, options, interruption } = deletion;
  const named = [...new Map(gotten.flatMap(byUid)).values()];
  const look = (targets: readonly ObjectRecord[]) =>
    planOnCluster(cluster, targets, options, where);
  const planned = await orInterrupted(look(named), interruption);
  if (wantsDocument(flags)) return printPreview(planned, deletion);
  if (flags.plan !== undefined) return savePlan(planned.plan, flags.plan, cluster.place);
  const account = await performPlan(planned, deletion, {
    look: ({ targets }) => look(targets),
    useResourceVersion: false,
  });
  if (!account) return;
  await recordRun(account, gotten, deletion, outcome);
}

function byUid({ record }: GottenTarget): [string, ObjectRecord][] {
  return record ? [[record.uid, record]] : [];
}

/** Is it there, and may it not be looked at? */
function isForbidden({ failure }: GottenTarget): boolean {
  return failure?.status?.code === 403;
}

/**
 * What may be deleted but not be read can be neither planned nor bound to its uid. With
 * --allow-incomplete it is deleted as kubectl does it; else the request is rehearsed only, so that
 * a user who may not delete it either reads the reason kubectl gives.
 */
async function deleteUnseen(
  { target, position, failure }: GottenTarget,
  { cluster, flags, options }: LiveDeletion,
  outcome: Outcome,
): Promise<void> {
  const isAllowed = flags['allow-incomplete'] ?? false;
  const dryRun = isAllowed ? options.dryRun : 'server';
  const what = `${printedKindOf(target.type)}/${target.name}`;
  if (isAllowed) writeErr(`Warning: ${what} cannot be looked at: no backup of it is kept`);
  const refused = await sendDelete(cluster.client, target, { ...options, dryRun });
  if (refused) outcome.objectFailed(position, refused);
  else if (isAllowed) {
    await writeOut(deletedLine(target, { ...options, output: flags.output }));
    outcome.accepted += 1;
  } else {
    const why = `${what} may be deleted, but not be looked at: ${failure?.message ?? ''}`;
    outcome.objectFailed(position, { message: `${why}; --allow-incomplete deletes it unseen` });
  }
}

/** `--interactive`: kubectl's list and question on stdout, its answer from stdin, on a terminal or not. */
async function confirmAsKubectl(targets: readonly DeletionTarget[]): Promise<boolean> {
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
