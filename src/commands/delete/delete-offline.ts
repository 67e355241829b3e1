import { planFrom } from '../../deletion/plan/plan-deletion.ts';
import { isGcError } from '../../errors.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { printedText } from '../../output/printable.ts';
import { refusalsOf, refuseDangerous } from '../../perform/limits.ts';
import {
  type DeleteFlags,
  type DeleteOptions,
  isNow,
  wantsDocument,
} from '../../shell/flags/delete-options.ts';
import { commandPlaceOf } from '../../shell/flags/flags.ts';
import { nowOf } from '../../shell/input/clock.ts';
import { warnOfLostNamespace, warnOfNamespace } from '../../shell/input/missing-namespace.ts';
import { openFiles } from '../../shell/input/read-files.ts';
import { namespaceInFiles, otherNamespaces } from '../../shell/input/scope.ts';
import { selectObjects } from '../../shell/input/targets.ts';
import { contextOf, limitsOf } from '../../shell/plan/planning.ts';
import { printDocument } from '../../shell/plan/print-plan.ts';
import { deletedLine } from '../../shell/plan/run-lines.ts';
import { settingsInFiles } from '../../shell/settings/settings-in-files.ts';
import { computing } from '../../shell/terminal/interruption.ts';
import { writeErr, writeOut } from '../../shell/terminal/streams.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { DeleteOutcome, sayNothingFound } from './outcome.ts';
import { endedSelectorOf } from './targets/ended-selector.ts';
import { namedTargets, namingScope } from './targets/resolve-targets.ts';
import { type CommandLine, typesToSelect } from './targets/target-arguments.ts';

/** Plans a deletion on the snapshot that files make. Nothing is sent. */
export async function deleteOffline(
  named: CommandLine,
  paths: readonly string[],
  flags: DeleteFlags,
  options: DeleteOptions,
): Promise<DeleteOutcome> {
  const { now, ...others } = flags;
  const snapshot = await openFiles(isNow(now) ? others : flags, paths);
  const outcome = new DeleteOutcome(options.ignoreNotFound);
  const namespace = await namespaceInFiles(flags);
  const targets = targetsIn(snapshot, named, flags, namespace, outcome);
  if (targets.length === 0) {
    if (outcome.failed) {
      await warnOfNamespace({ flags, snapshot, defaultNamespace: namespace });
      return outcome;
    }
    await sayNothingFound(flags, { snapshot });
    const elsewhere = otherNamespaces(snapshot.records, namespace);
    if (elsewhere !== undefined) writeErr(elsewhere);
    return outcome;
  }
  warnOfLostNamespace({ flags, snapshot });
  if (options.dryRun !== 'none' && !wantsDocument(flags)) {
    for (const target of targets) {
      await writeOut(printedText(deletedLine(target, options, flags.output)));
    }
    return outcome;
  }
  const { seen } = await settingsInFiles(snapshot);
  const context = contextOf(snapshot, { server: '', uid: '' }, seen);
  const planned = computing(() => planFrom({ snapshot, targets, context }, options));
  const limits = { ...limitsOf(flags, options), allowIncomplete: true };
  if (flags.plan !== undefined) {
    const { savePlan } = await import('./saved-plan.ts');
    await savePlan(planned.plan, flags.plan, commandPlaceOf(flags));
  } else {
    await printDocument(planned, flags, options, refusalsOf(planned, limits));
  }
  if (!flags.preview && !flags.compare) refuseDangerous(planned, limits);
  writeErr('Nothing was sent: this is a plan made from files.');
  return outcome;
}

function targetsIn(
  snapshot: Snapshot,
  named: CommandLine,
  flags: DeleteFlags,
  namespace: string | undefined,
  outcome: DeleteOutcome,
): ObjectRecord[] {
  const { types } = snapshot;
  if (named.by === 'selector') {
    const ended = endedSelectorOf(flags);
    const selected = typesToSelect(named.types, types, ended);
    const targets = selected.map((type) => ({ type, name: undefined }));
    const found = selectObjects(snapshot, targets, namespace, {
      selector: flags.selector || undefined,
      'field-selector': flags['field-selector'] || undefined,
    });
    const at = nowOf({ now: isNow(flags.now) ? undefined : flags.now }, snapshot);
    return ended ? found.filter((record) => ended.matches(record, at)) : found;
  }
  // releaseNamed refuses it.
  if (named.by === 'release') return [];
  const resolved = namedTargets(named, types, flags, namingScope(flags, namespace ?? ''));
  for (const note of resolved.notes) writeErr(`Note: ${note}`);
  for (const failure of resolved.failures) outcome.fail(failure);
  return resolved.targets.flatMap((target) => {
    const { type, name, namespace: home, failure } = target;
    try {
      if (!failure) return selectObjects(snapshot, [{ type, name }], home);
      outcome.fail(failure, target);
    } catch (error) {
      if (!isGcError(error) || error.code !== 'not-found') throw error;
      const message = [error.message, ...error.suggestions].join('\n');
      outcome.fail({ message, status: { code: 404, reason: 'NotFound' } }, target);
    }
    return [];
  });
}
