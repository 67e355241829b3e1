import type { Plan } from '../../deletion/plan/plan.ts';
import { planDifference } from '../../deletion/plan/plan-difference.ts';
import { GcError } from '../../errors.ts';
import type { DeleteOptions } from '../delete/delete-options.ts';
import { confirm, isInteractive } from '../terminal/confirm.ts';
import { orInterrupted } from '../terminal/interruption.ts';
import { writeErr } from '../terminal/streams.ts';
import { checkAccess } from './check-access.ts';
import { keepBackup } from './keep-backup.ts';
import { type LiveDeletion, type Planned, planOnCluster } from './planning.ts';
import { showPreview } from './print-plan.ts';
import { mayGo, refuseDangerous, unreadOf } from './refusals.ts';

/** In a script: how often to plan anew before the cluster is said to be too busy. */
const mostPlans = 3;

/**
 * Takes a plan through everything that stands before its first request: limits, permissions, a
 * question on a terminal, a backup, and a second look at what has moved meanwhile. Undefined when
 * the answer is no.
 */
export async function settlePlan(
  first: Planned,
  settling: LiveDeletion,
): Promise<Plan | undefined> {
  const { cluster, flags, options, interruption } = settling;
  const asks = isInteractive() && !flags.yes && !flags.interactive;
  let planned = first;
  for (let round = 1; ; round++) {
    refuseDangerous(planned.plan, flags, options);
    await orInterrupted(checkAccess(planned.plan, cluster), interruption);
    if (asks) {
      if (round === 1) await showPreview(planned, flags);
      if (!(await confirm(question(planned.plan)))) {
        writeErr('Nothing was deleted.');
        return undefined;
      }
    }
    interruption.check();
    const backup = await keepBackup(planned.plan, cluster, flags, interruption);
    // Without a question or a backup no time has passed since the plan was made.
    if (!asks && !backup) return planned.plan;
    const { plan } = planned;
    const again = await orInterrupted(
      planOnCluster(cluster, planned.targets, options, plan.cluster),
      interruption,
    );
    const words = movedBetween(plan, again.plan, options);
    if (words.length === 0) {
      backup?.announce();
      return again.plan;
    }
    await backup?.discard();
    if (asks) {
      writeErr('Meanwhile the cluster has changed:');
      for (const word of words) writeErr(`  ${word}`);
    } else if (round === mostPlans) throw neverStill(words);
    planned = again;
    if (planned.targets.length === 0) return planned.plan;
  }
}

/**
 * That a target was written to is nothing new: its status is, all the time. What could be read
 * before and cannot be read now may hide what is new.
 */
function movedBetween(before: Plan, after: Plan, options: DeleteOptions): string[] {
  const { changes, words } = planDifference(before, after);
  const known = new Set(unreadOf(before, options).map(({ message }) => message));
  const unread = unreadOf(after, options).map(({ message }) => message);
  return [
    ...words.filter((_, index) => changes[index]?.kind !== 'changed'),
    ...unread.filter((message) => !known.has(message)),
  ];
}

function question({ objects }: Plan): string {
  const going = objects.filter(mayGo).length;
  return `Delete ${going === 1 ? 'this object' : `these ${going} objects`}?`;
}

function neverStill(words: readonly string[]): GcError {
  return new GcError('the cluster changes faster than it can be planned for; nothing was sent', {
    code: 'never-still',
    suggestions: [...words.slice(0, 5), 'Try again when it is quieter, or without a backup.'],
  });
}
