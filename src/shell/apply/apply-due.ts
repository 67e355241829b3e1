import { clusterIdentity } from '../../cluster/cluster-identity.ts';
import type { CommandPlace } from '../../command-line/shell-command.ts';
import type { Plan, PlannedPatch, PlannedRequest } from '../../deletion/plan/plan.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { checkAccess } from '../../perform/check-access.ts';
import { orInterrupted } from '../../perform/interrupted.ts';
import { refusalsOf, refuseDangerous } from '../../perform/limits.ts';
import type { ProgressEvent } from '../../perform/progress-event.ts';
import type { RunSummary } from '../../perform/run-summary.ts';
import { rehearsePatches } from '../../perform/send/send-request.ts';
import type { SeenSettings } from '../../settings/controller-settings.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type ApplyFlags, applyOptionsOf, showingFlag } from '../flags/apply-flags.ts';
import { openFrom } from '../input/read-files.ts';
import { type ReadRequest, readCluster } from '../input/read-question.ts';
import type { OpenedCluster, Session } from '../input/session.ts';
import { type Deletion, limitsOf, performOptionsOf } from '../plan/planning.ts';
import { printDocument, printPreview } from '../plan/print-plan.ts';
import { exitCodeOf, firstEventLines, runSummaryLines } from '../plan/run-lines.ts';
import { performAndShow } from '../plan/show-run.ts';
import { withInterruption } from '../terminal/interruption.ts';
import { withProgress } from '../terminal/progress.ts';
import { warnOfGaps, writeErr } from '../terminal/streams.ts';
import {
  approvedPart,
  type DueWork,
  planControllerWork,
  planWorkOnCluster,
  type Work,
} from './plan-due.ts';

interface ControllerWork {
  readonly reads: ReadRequest;
  /** What is known of how the controllers run. */
  readonly seen: SeenSettings;
  readonly workOf: (snapshot: Snapshot) => Work;
}

/** Does what a controller would do now, by its decisions about the objects that were read, with all safeguards of a deletion. */
export async function applyDue(
  flags: ApplyFlags,
  session: Session,
  { reads, seen, workOf }: ControllerWork,
): Promise<ExitCode> {
  const options = applyOptionsOf(flags);
  if (flags.from) {
    const snapshot = await openFrom(flags, flags.from, session);
    const planned = planControllerWork(snapshot, workOf(snapshot), {
      where: { server: '', uid: '' },
      seen,
    });
    const limits = { ...limitsOf(flags, options, showingFlag), allowIncomplete: true };
    await printDocument(planned, flags, options, refusalsOf(planned, limits));
    refuseDangerous(planned, limits);
    writeErr('Nothing was sent: this is a plan made from files.');
    return exitCodes.ok;
  }
  for (const warning of options.warnings) writeErr(warning);
  return withInterruption(async (signal) => {
    const cluster = await orInterrupted(session.cluster(), signal);
    const replan = async () => workOf(await readCluster(cluster, reads));
    return applyLooked({ cluster, flags, options, signal }, replan, seen);
  });
}

async function applyLooked(
  live: Deletion,
  replan: () => Promise<Work>,
  seen: SeenSettings,
): Promise<ExitCode> {
  const { options, signal, cluster } = live;
  const where = await orInterrupted(clusterIdentity(cluster.client), signal);
  const basis = { where, seen };
  const found = await orInterrupted(replan(), signal);
  if (options.dryRun === 'client') {
    await printPreview(await planWorkOnCluster(cluster, found, basis), live, showingFlag);
    writeErr('Nothing was sent (--dry-run=client).');
    return exitCodes.ok;
  }
  const requests = found.due.map(({ request }) => request);
  await checkAccess(requests, cluster, writeErr, signal);
  const { work, refused } = await orInterrupted(
    withProgress('Asking the server to check the changes', () =>
      rehearsedWork(cluster, found, signal),
    ),
    signal,
  );
  const planned = await orInterrupted(planWorkOnCluster(cluster, work, basis), signal);
  if (planned.plan.requests.length === 0) {
    reportNothing(work, refused);
    return refused > 0 ? exitCodes.failed : exitCodes.ok;
  }
  let approved: Work = work;
  const lookAgain = async () => {
    const again = approvedPart(await replan(), approved);
    approved = again.work;
    const are = again.dropped === 1 ? 'is' : 'are';
    const dropped = `${counted(again.dropped, 'object')} ${again.dropped === 1 ? 'does' : 'do'} not exist or ${are} not due any more`;
    if (again.dropped > 0) writeErr(`${dropped}, and ${are} skipped.`);
    return planWorkOnCluster(cluster, approved, basis);
  };
  const performOptions = performOptionsOf(live, {
    replan: lookAgain,
    useResourceVersion: true,
    asController: true,
  });
  const summary = await performAndShow(planned, live, performOptions);
  return summary
    ? reportRun(summary, cluster.place, { refused, isRehearsal: options.dryRun === 'server' })
    : exitCodes.ok;
}

/** Says on stderr what was not done and why, and how it ended; answers the exit code. */
function reportRun(
  summary: RunSummary,
  place: CommandPlace,
  { refused, isRehearsal }: { readonly refused: number; readonly isRehearsal: boolean },
): ExitCode {
  const { plan, done, accepted, begun } = summary;
  const skipped = summary.skipped.filter(({ reason }) => reason !== 'not-sent');
  report(leftAloneEvents(plan));
  report([...skipped, ...summary.refused]);
  for (const line of runSummaryLines(summary, place)) writeErr(line);
  if (!summary.isEventful && done === undefined) writeErr('It ended early.');
  if (isRehearsal) writeErr('Nothing was changed (--dry-run=server).');
  // A deleted or replaced object needs no more work.
  const notDone = skipped.filter(({ reason }) => reason === 'changed' || reason === 'node').length;
  const left = summary.left.length + summary.unsent.length + summary.refused.length;
  return exitCodeOf({
    ended: done?.ended,
    accepted: isRehearsal ? 0 : accepted.size + begun.size,
    left: left + notDone + refused,
  });
}

/** Where nothing was sent, as nothing is due that the server would take. */
function reportNothing(work: Work, refused: number): void {
  warnOfGaps(work.problems);
  report(leftAloneEvents(work));
  const where = work.problems.length > 0 ? ' in what could be read' : '';
  writeErr(refused > 0 ? 'Nothing was sent: nothing else is due.' : `Nothing is due now${where}.`);
}

function leftAloneEvents({ leftAlone = [] }: Pick<Plan, 'leftAlone'>): ProgressEvent[] {
  return leftAlone.map((one) => ({ at: '', type: 'left-alone', ...one }));
}

function report(events: readonly ProgressEvent[]): void {
  for (const line of firstEventLines(events)) writeErr(line);
}

/**
 * Sends the patches as dry runs. An object whose patch the server refuses is skipped:
 * the controller could not delete it either. Returns the remaining work, and how many were
 * refused.
 */
async function rehearsedWork({ client, types }: OpenedCluster, work: Work, signal: AbortSignal) {
  const requests = work.due.map(({ request }) => request);
  const rehearsed = await rehearsePatches(client, types, requests, signal);
  const due: DueWork[] = [];
  const leftAlone = [...work.leftAlone];
  for (const one of work.due) {
    const { refusal, generation } = rehearsed.get(one.record.uid) ?? {};
    if (refusal === undefined) {
      due.push({ ...one, request: withGeneration(one.request, generation) });
      continue;
    }
    const what = one.request.patch?.subresource ?? 'patch';
    const because = `the server refuses the ${what} that comes first, as it would from the controller: ${refusal}`;
    leftAlone.push({ object: referenceTo(one.record), because });
  }
  return { work: { ...work, due, leftAlone }, refused: work.due.length - due.length };
}

/** A pod's status says which generation of the pod it is about. */
function withGeneration(request: PlannedRequest, generation: number | undefined): PlannedRequest {
  const { patch } = request;
  if (patch?.subresource !== 'status' || request.kind !== 'Pod' || !generation) return request;
  return { ...request, patch: { ...patch, body: observed(patch, generation) } };
}

function observed({ body }: PlannedPatch, observedGeneration: number): PlannedPatch['body'] {
  const { conditions, ...status } = Object(body.status) as Record<string, unknown>;
  const judged = Array.isArray(conditions)
    ? { conditions: conditions.map((one) => ({ ...Object(one), observedGeneration })) }
    : {};
  return { ...body, status: { ...status, observedGeneration, ...judged } };
}
