import type { Plan, PlannedCluster } from '../../deletion/plan/plan.ts';
import { planDifference } from '../../deletion/plan/plan-difference.ts';
import { GcError } from '../../errors.ts';
import type { DeleteOptions } from '../delete/delete-options.ts';
import { type ApplyFlags, showingFlag } from '../flags/apply-flags.ts';
import type { OpenedCluster } from '../input/session.ts';
import { keepBackup } from '../loop/keep-backup.ts';
import type { Planned } from '../loop/planning.ts';
import { showPreview } from '../loop/print-plan.ts';
import { mayGo, refuseDangerous } from '../loop/refusals.ts';
import { confirm, isInteractive } from '../terminal/confirm.ts';
import { type Interruption, orInterrupted } from '../terminal/interruption.ts';
import { writeErr } from '../terminal/streams.ts';
import type { Work } from './due-requests.ts';
import { approvedPart } from './due-requests.ts';
import { planWorkOnCluster } from './plan-due.ts';

/** What the steps of one run share. */
export interface Applying {
  readonly flags: ApplyFlags;
  readonly options: DeleteOptions;
  readonly interruption: Interruption;
  readonly cluster: OpenedCluster;
  readonly where: PlannedCluster;
  /** Reads the cluster and finds what is due. */
  readonly look: (cluster: OpenedCluster) => Promise<Work>;
}

/** In a script: how often to look anew before the cluster is said to be too busy. */
const mostLooks = 3;

/**
 * Takes work through everything that stands before its first request: limits, a question on a
 * terminal, a backup, and a second look, after which nothing is done that is not due any more.
 * Undefined when the answer is no.
 */
export async function settleWork(
  rehearsed: Work,
  first: Planned,
  applying: Applying,
): Promise<Plan | undefined> {
  const { cluster, flags, options, interruption, where, look } = applying;
  const asks = isInteractive() && !flags.yes;
  let work = rehearsed;
  let planned = first;
  for (let round = 1; ; round++) {
    refuseDangerous(planned.plan, flags, options, showingFlag);
    if (asks) {
      if (round === 1) await showPreview(planned, flags);
      if (!(await confirm(question(planned.plan)))) {
        writeErr('Nothing was sent.');
        return undefined;
      }
    }
    interruption.check();
    const backup = await keepBackup(planned.plan, cluster, flags, interruption);
    // Without a question or a backup no time has passed since the plan was made.
    if (!asks && !backup) return planned.plan;
    const again = approvedPart(await orInterrupted(look(cluster), interruption), work);
    const next = await orInterrupted(planWorkOnCluster(cluster, again.work, where), interruption);
    const words = wordsOfMore(planned.plan, next.plan);
    if (words.length === 0) {
      backup?.announce();
      if (again.dropped > 0) writeErr(droppedLine(again.dropped));
      return next.plan;
    }
    await backup?.discard();
    if (asks) {
      writeErr('Meanwhile the cluster has changed:');
      for (const word of words) writeErr(`  ${word}`);
    } else if (round === mostLooks) throw neverStill(words);
    ({ work } = again);
    planned = next;
  }
}

/** That less would go than was shown is no reason to ask again. */
function wordsOfMore(before: Plan, after: Plan): string[] {
  const { changes, words } = planDifference(before, after);
  return words.filter((_, index) => {
    const kind = changes[index]?.kind;
    return kind !== 'changed' && kind !== 'vanished';
  });
}

function question({ objects, requests }: Plan): string {
  const going = objects.filter(mayGo).length;
  const patched = requests.filter(({ verb }) => verb === 'patch').length;
  const words = [
    ...(going > 0 ? [`delete ${count(going)}`] : []),
    ...(patched > 0 ? [`change ${count(patched)}`] : []),
  ].join(' and ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}?`;
}

function count(objects: number): string {
  return objects === 1 ? 'this object' : `these ${objects} objects`;
}

function droppedLine(dropped: number): string {
  return dropped === 1
    ? '1 object is gone or not due any more, and is left alone.'
    : `${dropped} objects are gone or not due any more, and are left alone.`;
}

function neverStill(words: readonly string[]): GcError {
  return new GcError('the cluster changes faster than it can be planned for; nothing was sent', {
    code: 'never-still',
    suggestions: [...words.slice(0, 5), 'Try again when it is quieter, or without a backup.'],
  });
}
