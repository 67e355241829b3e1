import type { ObjectRecord } from '../../kube/object-record.ts';
import { printedKindOf } from '../../kube/resource-type.ts';
import { printable } from '../../output/printable.ts';
import { performPlan } from '../loop/perform-plan.ts';
import { type LiveDeletion, plannedCluster, planOnCluster } from '../loop/planning.ts';
import { printDocument } from '../loop/print-plan.ts';
import { orInterrupted } from '../terminal/interruption.ts';
import { writeErr, writeOut } from '../terminal/streams.ts';
import { wantsDocument } from './delete-options.ts';
import { Outcome, recordRun } from './outcome.ts';
import { savePlan } from './saved-plan.ts';
import { sendDelete } from './send-delete.ts';
import { type DeletionTarget, deletedLine } from './targets/deletion-target.ts';
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
    if (!outcome.failed) await writeOut('No resources found\n');
    return outcome;
  }
  if (flags.interactive) {
    for (const [position, { refusal }] of targets.entries()) {
      if (refusal) outcome.objectFailed(position, refusal);
    }
    // A person cannot confirm what could not be read.
    if (outcome.failed || !(await confirmAsKubectl(targets))) return outcome;
  }
  if (scope.explicit && !flags['all-namespaces'] && targets.some(isClusterScoped)) {
    writeErr('Warning: deleting cluster-scoped resources, not scoped to the provided namespace');
  }
  if (options.dryRun !== 'none' && !wantsDocument(flags)) {
    await rehearse(targets, deletion, outcome);
    return outcome;
  }
  const gotten = await orInterrupted(getTargets(cluster.client, targets), interruption);
  const plansOnly = wantsDocument(flags) || flags.plan !== undefined;
  for (const each of gotten) {
    // A plan sends nothing, not even a rehearsal.
    if (isForbidden(each) && !plansOnly) await deleteUnseen(each, deletion, outcome);
    else if (each.failure) outcome.objectFailed(each.position, each.failure);
  }
  if (gotten.some(({ record }) => record)) await planAndDelete(gotten, deletion, outcome);
  return outcome;
}

function isClusterScoped({ type }: DeletionTarget): boolean {
  return !type.namespaced;
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
  deletion: LiveDeletion,
  outcome: Outcome,
): Promise<void> {
  const { cluster, flags, options, interruption } = deletion;
  const named = [...new Map(gotten.flatMap(byUid)).values()];
  const where = await plannedCluster(cluster.client);
  const look = (targets: readonly ObjectRecord[]) =>
    planOnCluster(cluster, targets, options, where);
  const planned = await orInterrupted(look(named), interruption);
  if (wantsDocument(flags)) return printDocument(planned, flags, options);
  if (flags.plan !== undefined) return savePlan(planned.plan, flags.plan);
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
 * whoever may not delete it either reads the reason kubectl gives.
 */
async function deleteUnseen(
  { target, position, failure }: GottenTarget,
  { cluster, flags, options }: LiveDeletion,
  outcome: Outcome,
): Promise<void> {
  const isAllowed = flags['allow-incomplete'] ?? false;
  const dryRun = isAllowed ? options.dryRun : 'server';
  const refused = await sendDelete(cluster.client, target, { ...options, dryRun });
  if (refused) outcome.objectFailed(position, refused);
  else if (isAllowed) {
    await writeOut(deletedLine(target, { ...options, output: flags.output }));
    outcome.accepted += 1;
  } else {
    const why = `it may be deleted, but not be looked at: ${failure?.message ?? ''}`;
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
