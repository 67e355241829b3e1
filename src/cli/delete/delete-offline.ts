import { planDeletion } from '../../deletion/plan/plan-deletion.ts';
import { isGcError } from '../../errors.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { openFiles } from '../input/input.ts';
import { selectObjects } from '../input/targets.ts';
import { contextOf, intentOf } from '../loop/planning.ts';
import { printDocument } from '../loop/print-plan.ts';
import { refuseDangerous } from '../loop/refusals.ts';
import { writeErr, writeOut } from '../terminal/streams.ts';
import { type DeleteFlags, type DeleteOptions, isNow, wantsDocument } from './delete-options.ts';
import { Outcome } from './outcome.ts';
import { savePlan } from './saved-plan.ts';
import { deletedLine } from './targets/deletion-target.ts';
import type { ReadCommandLine } from './targets/resolve-targets.ts';
import { targetsOfArguments, typesToSelect } from './targets/target-arguments.ts';
import { targetsOfFiles } from './targets/targets-of-files.ts';

/** Plans a deletion on the snapshot that files make. Nothing is sent. */
export async function deleteOffline(
  commandLine: ReadCommandLine,
  paths: readonly string[],
  flags: DeleteFlags,
  options: DeleteOptions,
): Promise<Outcome> {
  const { now, ...others } = flags;
  const snapshot = await openFiles(isNow(now) ? others : flags, paths);
  const outcome = new Outcome(options.ignoreNotFound);
  const targets = targetsIn(snapshot, commandLine, flags, outcome);
  if (targets.length === 0) {
    if (!outcome.failed) await writeOut('No resources found\n');
    return outcome;
  }
  if (options.dryRun !== 'none' && !wantsDocument(flags)) {
    for (const target of targets) {
      await writeOut(deletedLine(target, { ...options, output: flags.output }));
    }
    return outcome;
  }
  const context = contextOf(snapshot, { server: '', uid: '' });
  const plan = planDeletion(snapshot, intentOf(targets, options), context);
  if (flags.plan !== undefined) await savePlan(plan, flags.plan);
  else await printDocument({ plan, snapshot, targets }, flags, options);
  if (!flags.preview && !flags.compare)
    refuseDangerous(plan, { ...flags, 'allow-incomplete': true }, options);
  writeErr('Nothing was sent: this is a plan made from files.');
  return outcome;
}

function targetsIn(
  snapshot: Snapshot,
  { named, manifests }: ReadCommandLine,
  flags: DeleteFlags,
  outcome: Outcome,
): ObjectRecord[] {
  const { types } = snapshot;
  const given = flags['all-namespaces'] ? undefined : flags.namespace || undefined;
  if (named.by === 'selector') {
    const targets = typesToSelect(named.types, types).map((type) => ({ type, name: undefined }));
    return selectObjects(snapshot, targets, given, {
      selector: flags.selector || undefined,
      'field-selector': flags['field-selector'] || undefined,
    });
  }
  const anywhere = '*';
  const resolved =
    named.by === 'files'
      ? targetsOfFiles(manifests, types, {
          namespace: given ?? 'default',
          enforced: given !== undefined,
          selector: flags.selector ?? '',
        })
      : targetsOfArguments(named, types, {
          namespace: flags['all-namespaces'] ? '' : (given ?? anywhere),
          all: flags['all-namespaces'] ?? false,
        });
  for (const note of resolved.notes) writeErr(`Note: ${note}`);
  for (const failure of resolved.failures) outcome.sourceFailed(failure);
  return resolved.targets.flatMap((target, position) => {
    const { type, name, refusal } = target;
    if (refusal) {
      outcome.objectFailed(position, refusal);
      return [];
    }
    const namespace = target.namespace === anywhere ? undefined : target.namespace;
    try {
      return selectObjects(snapshot, [{ type, name }], namespace);
    } catch (error) {
      if (!isGcError(error) || error.code !== 'not-found') throw error;
      outcome.objectFailed(position, {
        message: error.message,
        status: { code: 404, reason: 'NotFound' },
      });
      return [];
    }
  });
}
