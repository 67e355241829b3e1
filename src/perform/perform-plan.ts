import { Clearance, type Grounds } from '../cluster/write/clearance.ts';
import type { Plan, Planned, PlannedObject } from '../deletion/plan/plan.ts';
import { planDifference } from '../deletion/plan/plan-difference.ts';
import { unreadOf } from '../deletion/plan/plan-totals.ts';
import { GcError } from '../errors.ts';
import { namesContainer, namesNamespace } from '../kube/well-known-kinds.ts';
import { checkAccess } from './check-access.ts';
import { expectationOf, expectationOfController } from './expectation.ts';
import { afterRequests } from './failure.ts';
import { whyLeft } from './follow/left-objects.ts';
import { orInterrupted, refuseInterrupted } from './interrupted.ts';
import { isSavedAsPlanned, keepBackup, keepsBackup } from './keep-backup.ts';
import { refuseDangerous, refuseUnreadSince } from './limits.ts';
import type { PerformOptions, PlanCluster, RunReporter } from './perform-options.ts';
import type { ProgressEvent } from './progress-event.ts';
import { questionOf } from './question.ts';
import type { RunClearance } from './run-context.ts';
import { RunSummary } from './run-summary.ts';
import { execute } from './send/execute.ts';

/** A backup that is written within so many milliseconds is read again as little as the plan without one. */
const soonAfter = 1_000;

/** In a script: how often to look again before the cluster is said to be too busy. */
const mostLooks = 3;

/**
 * The one way to a deletion: limits, permissions, a question, a backup, a second look at what has moved
 * meanwhile, and then the requests, followed to their end. With a rehearsal the question, the backup and
 * the second look are left out. Undefined: the answer was no.
 */
export async function performPlan(
  first: Planned,
  cluster: PlanCluster,
  options: PerformOptions,
  reporter: RunReporter,
  signal: AbortSignal,
): Promise<RunSummary | undefined> {
  const settled = await agree(first, cluster, options, reporter, signal);
  if (!settled) return undefined;
  const { planned, ...clearance } = settled;
  const unread = unreadOf(planned.plan);
  const { problems } = planned.plan.coverage;
  await reporter.report({
    gaps: problems.filter((problem) => problem.setAside || unread.includes(problem)),
  });
  return runPlan(planned, clearance, cluster, options, reporter, signal);
}

/** The plan that was agreed to, saved, and seen to be so still, with the clearance to send its requests. */
async function agree(
  first: Planned,
  cluster: PlanCluster,
  options: PerformOptions,
  reporter: RunReporter,
  signal: AbortSignal,
): Promise<({ readonly planned: Planned } & RunClearance) | undefined> {
  const reportLine = (line: string) => reporter.report({ line });
  const { replan, limits, rehearses, backup: wish, asController } = options;
  const unsaved = wish.of === 'none' ? 'declined' : 'one-object';
  const soon = performance.now() + soonAfter;
  let planned = first;
  for (let round = 1; ; round++) {
    const { plan } = planned;
    const refusals = refuseDangerous(planned, rehearses ? { ...limits, isAgreed: true } : limits);
    if (!asController) await checkAccess(plan.requests, cluster, reportLine, signal);
    if (rehearses) return { planned, rehearses };
    const asks = limits.asksFirst(plan);
    const agreed = asks ? 'question' : limits.isAgreed ? 'flag' : 'command';
    const keeps = keepsBackup(plan, wish);
    // A wrong recipient is reported before the question.
    const encrypt = keeps ? await wish.encrypt() : undefined;
    if (asks && !(await agrees(planned, options, reporter, round > 1))) return undefined;
    refuseInterrupted(signal);
    const to = { directory: wish.directory, encrypt };
    const backup = keeps ? await keepBackup(plan, cluster, to, reporter, signal) : undefined;
    const settled = { refusals, agreed, saved: unsaved } as const;
    // Without a question or a backup no time has passed since the plan was made.
    if (!asks && !backup) return cleared(planned, settled);
    if (!asks && backup && performance.now() < soon && isUnchanged(planned, backup, options)) {
      backup.announce();
      return cleared(planned, { ...settled, saved: backup.versions });
    }
    let words: readonly string[];
    try {
      planned = await orInterrupted(replan(planned), signal);
      words = movedBetween(plan, planned.plan, asController);
      if (words.length === 0) {
        // What has appeared meanwhile counts, and is saved, too.
        refuseDangerous(planned, limits);
        const saved = await backup?.update(planned);
        backup?.announce();
        return cleared(planned, saved ? { ...settled, saved } : settled);
      }
    } catch (error) {
      await backup?.discard();
      throw error;
    }
    await backup?.discard();
    if (asks) {
      await reportChanges(words, reportLine);
    } else {
      refuseUnreadSince(plan, planned.plan, limits);
      if (round === mostLooks) throw neverStill(words);
    }
    if (planned.plan.requests.length === 0) return cleared(planned, settled);
  }
}

async function reportChanges(
  changes: readonly string[],
  reportLine: (line: string) => void | Promise<void>,
): Promise<void> {
  await reportLine('The cluster has changed in the meantime:');
  for (const change of changes) await reportLine(`  ${change}`);
}

async function agrees(
  planned: Planned,
  { changesEnd, asController }: PerformOptions,
  { ask, report }: RunReporter,
  isAgain: boolean,
): Promise<boolean> {
  if (await ask(planned, questionOf(planned, changesEnd), isAgain)) return true;
  await report({ line: asController ? 'Nothing was sent.' : 'Nothing was deleted.' });
  return false;
}

/**
 * Is a plan as it was, as far as a backup shows that was written a moment later? The objects that it does not show are new
 * ones: watches report those of the plan's kinds, but not all that appear in a namespace or of a definition. A saved plan is
 * compared in any case.
 */
function isUnchanged(
  planned: Planned,
  backup: Parameters<typeof isSavedAsPlanned>[0],
  { useResourceVersion, asController }: PerformOptions,
): boolean {
  if (useResourceVersion || asController || planned.listVersions === undefined) return false;
  return !planned.plan.requests.some(namesContainer) && isSavedAsPlanned(backup, planned);
}

/** The plan as it is performed, with the clearance to send its requests and no other. */
function cleared(planned: Planned, settled: Omit<Grounds['deletion'], 'uids'>) {
  const uids = planned.plan.requests.map(({ uid }) => uid);
  return { planned, clearance: Clearance.grant('deletion', { uids, ...settled }) };
}

/**
 * A write to a target is no change of the plan: its status is written all the time. What could be
 * read before and cannot be read now may hide what is new.
 */
function movedBetween(before: Plan, after: Plan, asController: boolean): string[] {
  const changes = planDifference(...withoutComings(before, after)).filter(
    ({ kind }) => kind !== 'changed' && !(asController && kind === 'vanished'),
  );
  const known = new Set(unreadOf(before).map(({ message }) => message));
  const unread = unreadOf(after).map(({ message }) => message);
  return [...changes.map(({ words }) => words), ...unread.filter((message) => !known.has(message))];
}

/** The plans without what only one of them has of a namespace that is to be deleted: its deletion is that of all in it. */
function withoutComings(before: Plan, after: Plan): [before: Plan, after: Plan] {
  const named = new Set(before.requests.filter(namesNamespace).map(({ name }) => name));
  const [old, now] = [before, after].map(({ objects }) => new Set(objects.map(({ uid }) => uid)));
  const isInBoth = ({ uid, namespace }: PlannedObject) =>
    !named.has(namespace) || (old?.has(uid) && now?.has(uid)) === true;
  const shared = (plan: Plan) => ({ ...plan, objects: plan.objects.filter(isInBoth) });
  return [shared(before), shared(after)];
}

function neverStill(words: readonly string[]): GcError {
  return new GcError('the cluster changes faster than it can be planned for; nothing was sent', {
    code: 'never-still',
    suggestions: [...words.slice(0, 5), 'Try again when it is quieter, or without a backup.'],
  });
}

/** Sends the requests of a plan, follows its objects to their end and reports each event; returns the account. */
async function runPlan(
  { plan, snapshot, listVersions }: Planned,
  clearance: RunClearance,
  { client, types }: PlanCluster,
  options: PerformOptions,
  { report }: Pick<RunReporter, 'report'>,
  signal: AbortSignal,
): Promise<RunSummary> {
  const summary = new RunSummary(plan);
  const unreported = new AbortController();
  const ends = AbortSignal.any([signal, unreported.signal]);
  const { rehearses, ...how } = options;
  const expectation = options.asController ? expectationOfController(plan) : expectationOf(plan);
  const listed = listVersions && { records: snapshot.records, versions: listVersions };
  const execution = {
    ...how,
    ...clearance,
    expectation,
    listed,
    signal: ends,
    now: () => Date.now(),
    whyLeft,
  };
  const take = async (event: ProgressEvent) => {
    summary.note(event);
    try {
      if (!unreported.signal.aborted) await report({ event, summary });
    } catch (error) {
      // It ends, and the account goes on, so that it is known what was accepted.
      unreported.abort(error);
    }
  };
  await execute(plan, client, types, execution, take).catch((error: unknown) =>
    unreported.abort(error),
  );
  if (!unreported.signal.aborted) return summary;
  const { accepted, begun } = summary;
  throw afterRequests(unreported.signal.reason, rehearses ? 0 : accepted.size + begun.size);
}
