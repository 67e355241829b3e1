import type { OpenedCluster } from '../input.ts';
import { writeErr, writeOut } from '../streams.ts';
import type { DeleteFlags, DeleteOptions } from './delete-options.ts';
import { type DeletionTarget, deletedLine, targetKey } from './deletion-target.ts';
import { getTargets } from './get-targets.ts';
import { confirmAsKubectl } from './kubectl-confirmation.ts';
import { Outcome } from './outcome.ts';
import { namingScope, type ReadCommandLine, resolveTargets } from './resolve-targets.ts';
import { sendDelete } from './send-delete.ts';

/** Deletes what the command line names on a cluster; answers what became of it. */
export async function deleteLive(
  commandLine: ReadCommandLine,
  cluster: OpenedCluster,
  flags: DeleteFlags,
  options: DeleteOptions,
): Promise<Outcome> {
  const { client, types } = cluster;
  const outcome = new Outcome(options.ignoreNotFound);
  const scope = namingScope(flags, client.namespace);
  const resolved = await resolveTargets(commandLine, types, flags, scope, client);
  for (const note of resolved.notes) writeErr(`Note: ${note}`);
  for (const failure of resolved.failures) outcome.sourceFailed(failure);
  const { targets } = resolved;
  if (targets.length === 0) {
    if (!outcome.failed) await writeOut('No resources found\n');
    return outcome;
  }
  if (flags.interactive && !(await confirmAsKubectl(targets))) return outcome;
  if (scope.explicit && !flags['all-namespaces'] && targets.some(isClusterScoped)) {
    writeErr('Warning: deleting cluster-scoped resources, not scoped to the provided namespace');
  }
  const wording = { ...options, output: flags.output };
  if (options.dryRun === 'client') {
    for (const [position, target] of targets.entries()) {
      if (target.refusal) outcome.objectFailed(position, target.refusal);
      else await writeOut(deletedLine(target, wording));
    }
    return outcome;
  }
  const seen = new Set<string>();
  for (const { target, position, failure } of await getTargets(client, targets)) {
    const refused = failure ?? (await sendDelete(client, target, options));
    if (refused) outcome.objectFailed(position, refused);
    else {
      await writeOut(deletedLine(target, wording));
      outcome.accepted++;
    }
    seen.add(targetKey(target));
  }
  return outcome;
}

function isClusterScoped({ type }: DeletionTarget): boolean {
  return !type.namespaced;
}
