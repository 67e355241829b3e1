import { isOpen, mayGo } from '../../deletion/plan/going.ts';
import type { Plan } from '../../deletion/plan/plan.ts';
import { planDifference } from '../../deletion/plan/plan-difference.ts';
import { GcError } from '../../errors.ts';
import { showingFlag } from '../flags/apply-flags.ts';
import { confirm, isInteractive } from '../terminal/confirm.ts';
import { orInterrupted } from '../terminal/interruption.ts';
import { writeErr } from '../terminal/streams.ts';
import { checkAccess } from './check-access.ts';
import { keepBackup } from './keep-backup.ts';
import type { LiveDeletion, Manner, Planned } from './planning.ts';
import { showPreview, warnOfGaps } from './print-plan.ts';
import { refuseDangerous, unreadOf } from './refusals.ts';
import { runPlan } from './run-plan.ts';
import type { Account } from './run-summary.ts';

/** In a script: how often to look again before the cluster is said to be too busy. */
const mostLooks = 3;

/**
 * The one way to a deletion: limits, permissions, a question on a terminal, a backup, a second look
 * at what has moved meanwhile, and then the requests, followed to their end. With a dry run on the
 * server the question, the backup and the second look are left out. Undefined: the answer was no.
 */
export async function performPlan(
  first: Planned,
  live: LiveDeletion,
  manner: Manner,
): Promise<Account | undefined> {
  const plan = await settle(first, live, manner);
  if (!plan) return undefined;
  warnOfGaps(unreadOf(plan, live.options));
  return runPlan(plan, live, manner);
}

async function settle(
  first: Planned,
  { cluster, flags, options, interruption }: LiveDeletion,
  manner: Manner,
): Promise<Plan | undefined> {
  const { look, asController = false } = manner;
  const asks = isInteractive() && !flags.yes && !flags.interactive;
  let planned = first;
  for (let round = 1; ; round++) {
    const { plan } = planned;
    refuseDangerous(plan, flags, options, asController ? showingFlag : '--preview');
    if (!asController) await orInterrupted(checkAccess(plan, cluster), interruption);
    if (options.dryRun === 'server') return plan;
    if (asks) {
      if (round === 1) await showPreview(planned, flags);
      if (!(await confirm(question(plan), interruption))) {
        writeErr(asController ? 'Nothing was sent.' : 'Nothing was deleted.');
        return undefined;
      }
    }
    interruption.check();
    const backup = await keepBackup(plan, cluster, flags, interruption);
    // Without a question or a backup no time has passed since the plan was made.
    if (!asks && !backup) return plan;
    const again = await orInterrupted(look(planned), interruption).catch(async (error) => {
      await backup?.discard();
      throw error;
    });
    const words = movedBetween(plan, again.plan, { options, asController });
    if (words.length === 0) {
      backup?.announce();
      return again.plan;
    }
    await backup?.discard();
    if (asks) {
      writeErr('Meanwhile the cluster has changed:');
      for (const word of words) writeErr(`  ${word}`);
    } else if (round === mostLooks) throw neverStill(words);
    planned = again;
    if (planned.plan.requests.length === 0) return planned.plan;
  }
}

/**
 * That a target was written to is nothing new: its status is, all the time. What could be read
 * before and cannot be read now may hide what is new.
 */
function movedBetween(
  before: Plan,
  after: Plan,
  { options, asController }: Pick<LiveDeletion, 'options'> & { readonly asController: boolean },
): string[] {
  const { changes, words } = planDifference(before, after);
  const known = new Set(unreadOf(before, options).map(({ message }) => message));
  const unread = unreadOf(after, options).map(({ message }) => message);
  return [
    ...words.filter((_, index) => {
      const kind = changes[index]?.kind;
      return kind !== 'changed' && !(asController && kind === 'vanished');
    }),
    ...unread.filter((message) => !known.has(message)),
  ];
}

function question(plan: Plan): string {
  const { objects, requests } = plan;
  const going = objects.filter(mayGo).length;
  const patched = requests.filter(({ verb }) => verb === 'patch').length;
  if (patched === 0) return `Delete ${count(going, isOpen(plan))}?`;
  return going === 0
    ? `Change ${count(patched)}?`
    : `Delete ${count(going, isOpen(plan))} and change ${count(patched)}?`;
}

function count(objects: number, isLeast = false): string {
  if (isLeast) return `at least ${objects === 1 ? 'this object' : `these ${objects} objects`}`;
  return objects === 1 ? 'this object' : `these ${objects} objects`;
}

function neverStill(words: readonly string[]): GcError {
  return new GcError('the cluster changes faster than it can be planned for; nothing was sent', {
    code: 'never-still',
    suggestions: [...words.slice(0, 5), 'Try again when it is quieter, or without a backup.'],
  });
}
