import type { ObjectRecord } from '../../kube/object-record.ts';
import { writeErr, writeOut } from '../streams.ts';
import { deleteUnseen, isForbidden } from './delete-unseen.ts';
import { type DeletionTarget, deletedLine } from './deletion-target.ts';
import { type GottenTarget, getTargets } from './get-targets.ts';
import { orInterrupted } from './interruption.ts';
import { confirmAsKubectl } from './kubectl-confirmation.ts';
import type { LiveDeletion } from './live-deletion.ts';
import { Outcome } from './outcome.ts';
import { wantsDocument } from './output.ts';
import { plannedCluster } from './planned-cluster.ts';
import { planOnCluster } from './planning.ts';
import { printDocument, warnOfGaps } from './print-plan.ts';
import { recordRun } from './record-run.ts';
import { unreadOf } from './refusals.ts';
import { namingScope, type ReadCommandLine, resolveTargets } from './resolve-targets.ts';
import { runPlan } from './run-plan.ts';
import { savePlan } from './save-plan.ts';
import { sendDelete } from './send-delete.ts';
import { settlePlan } from './settle-plan.ts';

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
    // Nobody can agree to what could not be read.
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
  const planned = await orInterrupted(planOnCluster(cluster, named, options, where), interruption);
  if (wantsDocument(flags)) return printDocument(planned, flags, options);
  if (flags.plan !== undefined) return savePlan(planned.plan, flags.plan);
  const plan = await settlePlan(planned, deletion);
  if (!plan) return;
  warnOfGaps(unreadOf(plan, options));
  const account = await runPlan(plan, cluster, {
    options,
    output: flags.output,
    noColour: flags['no-color'] ?? false,
    useResourceVersion: false,
    interruption,
  });
  await recordRun(account, gotten, deletion, outcome);
}

function byUid({ record }: GottenTarget): [string, ObjectRecord][] {
  return record ? [[record.uid, record]] : [];
}
