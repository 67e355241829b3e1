import { clusterIdentity } from '../../cluster/cluster-identity.ts';
import type { Planned, PlannedCluster } from '../../deletion/plan/plan.ts';
import { askAccessAhead } from '../../perform/check-access.ts';
import { afterRequests } from '../../perform/failure.ts';
import { orInterrupted } from '../../perform/interrupted.ts';
import { wantsDocument } from '../../shell/flags/delete-options.ts';
import { planWithDryRuns } from '../../shell/plan/admission.ts';
import { readAndPlan } from '../../shell/plan/plan-on-cluster.ts';
import { type Deletion, performOptionsOf } from '../../shell/plan/planning.ts';
import { printPreview, showPreview } from '../../shell/plan/print-plan.ts';
import { performAndShow } from '../../shell/plan/show-run.ts';
import { writeErr } from '../../shell/terminal/streams.ts';
import { confirmAsKubectl, deleteUnseen, dryRun, withoutSpecial } from './as-kubectl.ts';
import {
  DeleteOutcome,
  recordRefused,
  recordRun,
  sayNothingFound,
  warnOfMissingHomes,
} from './outcome.ts';
import {
  type AskedAhead,
  getTargets,
  namingScope,
  resolveTargets,
} from './targets/resolve-targets.ts';
import type { CommandLine } from './targets/target-arguments.ts';
import type { DeletionTarget } from './targets/targets-of-files.ts';

export async function deleteOnCluster(
  named: CommandLine,
  deletion: Deletion,
  ahead?: AskedAhead,
): Promise<DeleteOutcome> {
  const { cluster, flags, options, signal } = deletion;
  const { client, types } = cluster;
  // Helm skips objects that do not exist.
  const outcome = new DeleteOutcome(options.ignoreNotFound || named.by === 'release');
  const session = { cluster: async () => cluster };
  const scope = namingScope(flags, client.namespace);
  const resolving = resolveTargets(named, types, flags, scope, client);
  const { targets, notes, failures } = await orInterrupted(resolving, signal);
  for (const note of notes) writeErr(`Note: ${note}`);
  for (const failure of failures) outcome.fail(failure);
  if (targets.length === 0) {
    if (!outcome.failed) await sayNothingFound(flags, { session });
    return outcome;
  }
  if (flags.interactive && !(await confirmAsKubectl(targets, outcome))) return outcome;
  if (scope.explicit && !flags['all-namespaces'] && targets.some(({ type }) => !type.namespaced)) {
    writeErr('Warning: deleting cluster-scoped resources, not scoped to the provided namespace');
  }
  if (options.dryRun !== 'none' && !wantsDocument(flags)) {
    await dryRun(targets, deletion, outcome);
    await warnOfMissingHomes(targets, outcome, { flags, session });
    return outcome;
  }
  const reading = Promise.all([
    getTargets(client, targets, ahead?.objects),
    ahead?.where ?? clusterIdentity(client),
  ]);
  const [gotten, where] = await orInterrupted(reading, signal);
  const { seen, unseen } = await withoutSpecial(gotten, deletion, outcome);
  await warnOfMissingHomes(gotten, outcome, { flags, session });
  try {
    const goesOn = await deleteSeen(seen, where, deletion, outcome);
    if (goesOn) await deleteUnseen(unseen, deletion, outcome);
  } catch (error) {
    throw afterRequests(error, outcome.accepted);
  }
  return outcome;
}

/** Plans the deletion of what could be read, and shows, saves or performs the plan. False: the answer was no. */
async function deleteSeen(
  seen: readonly DeletionTarget[],
  where: PlannedCluster,
  deletion: Deletion,
  outcome: DeleteOutcome,
): Promise<boolean> {
  const { cluster, flags, options, signal } = deletion;
  const records = new Map(seen.flatMap(({ record }) => (record ? [[record.uid, record]] : [])));
  const objects = [...records.values()];
  if (objects.length === 0) return true;
  if (flags.plan !== undefined && !wantsDocument(flags)) {
    const planning = readAndPlan(cluster, objects, options, where);
    const { savePlan } = await import('./saved-plan.ts');
    await savePlan((await orInterrupted(planning, signal)).plan, flags.plan, cluster.place);
    return true;
  }
  askAccessAhead(objects, cluster, signal);
  const { planned, replan, refused, judged } = await planWithDryRuns(deletion, objects, where);
  if (wantsDocument(flags)) {
    await printPreview(planned, judged);
    return true;
  }
  // All of it is refused: there is nothing to ask about.
  if (refused.size > 0 && planned.plan.requests.length === 0) {
    await showPreview(planned, flags);
    recordRefused(seen, refused, outcome);
    return true;
  }
  const again = (before: Planned) => replan(before.targets);
  const performOptions = performOptionsOf(deletion, { replan: again, useResourceVersion: false });
  const summary = await performAndShow(planned, deletion, performOptions);
  if (!summary) return false;
  await recordRun(summary, recordRefused(seen, refused, outcome), deletion, outcome);
  return true;
}
