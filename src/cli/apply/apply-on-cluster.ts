import type { LeftAlone, PlannedPatch, PlannedRequest } from '../../deletion/plan/plan.ts';
import type { ProgressEvent } from '../../deletion/progress-event.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { progressLine } from '../../output/progress/progress-lines.ts';
import { type ApplyFlags, applyOptionsOf, showingFlag } from '../flags/apply-flags.ts';
import type { OpenedCluster, Session } from '../input/session.ts';
import { checkAccess } from '../loop/check-access.ts';
import { plannedCluster } from '../loop/planning.ts';
import { printDocument } from '../loop/print-plan.ts';
import { refuseDangerous } from '../loop/refusals.ts';
import { runPlan } from '../loop/run-plan.ts';
import type { Account } from '../loop/run-summary.ts';
import {
  type Interruption,
  listenForInterruption,
  orInterrupted,
} from '../terminal/interruption.ts';
import { startProgress } from '../terminal/progress.ts';
import { writeErr } from '../terminal/streams.ts';
import type { DueWork, Work } from './due-requests.ts';
import { planWorkOnCluster } from './plan-due.ts';
import { type Applying, settleWork } from './settle-due.ts';

/** Does by hand what a collector would do now, with all of a deletion's safeguards. */
export async function applyOnCluster(
  flags: ApplyFlags,
  session: Session,
  look: (cluster: OpenedCluster) => Promise<Work>,
): Promise<ExitCode> {
  const options = applyOptionsOf(flags);
  for (const warning of options.warnings) writeErr(warning);
  const interruption = listenForInterruption();
  try {
    const cluster = await orInterrupted(session.cluster(), interruption);
    const where = await orInterrupted(plannedCluster(cluster.client), interruption);
    return await perform({ flags, options, interruption, cluster, where, look });
  } finally {
    interruption.stop();
  }
}

async function perform(applying: Applying): Promise<ExitCode> {
  const { flags, options, interruption, cluster, where, look } = applying;
  const found = await orInterrupted(look(cluster), interruption);
  if (options.dryRun === 'client') {
    await preview(found, applying);
    return exitCodes.ok;
  }
  const requests = found.due.map(({ request }) => request);
  await orInterrupted(checkAccess({ requests }, cluster), interruption);
  const { work, refused } = await orInterrupted(rehearse(applying, found), interruption);
  const planned = await orInterrupted(planWorkOnCluster(cluster, work, where), interruption);
  if (planned.plan.requests.length === 0) {
    reportNothing(work, refused);
    return refused > 0 ? exitCodes.failed : exitCodes.ok;
  }
  const isRehearsal = options.dryRun === 'server';
  if (isRehearsal) refuseDangerous(planned.plan, flags, options, showingFlag);
  const plan = isRehearsal ? planned.plan : await settleWork(work, planned, applying);
  if (!plan) return exitCodes.ok;
  const account = await runPlan(plan, cluster, {
    options,
    output: flags.output,
    noColour: flags['no-color'] ?? false,
    useResourceVersion: true,
    interruption,
    asCollector: true,
  });
  return reportRun(account, { refused, isRehearsal });
}

/** `--dry-run=client`: the plan as a document. */
async function preview(found: Work, { flags, options, cluster, where }: Applying): Promise<void> {
  const planned = await planWorkOnCluster(cluster, found, where);
  await printDocument(planned, flags, options);
  writeErr('Nothing was sent (--dry-run=client).');
}

async function rehearse({ cluster, interruption }: Applying, found: Work) {
  const progress = startProgress('Having the server check what is to be written');
  try {
    return await rehearsedWork(cluster, found, interruption);
  } finally {
    progress.stop();
  }
}

const shown = 20;

/** Says on stderr what was not done and why, and how it ended; answers the exit code. */
function reportRun(
  account: Account,
  { refused, isRehearsal }: { readonly refused: number; readonly isRehearsal: boolean },
): ExitCode {
  const { plan, done, accepted } = account;
  reportLeftAlone(plan.leftAlone ?? []);
  const skipped = account.skipped.filter(({ reason }) => reason !== 'not-sent');
  tell([...skipped, ...account.refused]);
  for (const line of account.lines()) writeErr(line);
  if (!account.isEventful && done === undefined) writeErr('It ended early.');
  if (isRehearsal) writeErr('Nothing was changed (--dry-run=server).');
  if (done?.ended === 'interrupted') return exitCodes.interrupted;
  // What is gone or was replaced has nothing left to do.
  const notDone = skipped.filter(({ reason }) => reason === 'changed' || reason === 'node').length;
  const left = account.left.length + account.unsent.length + account.refused.length;
  if (left + notDone + refused === 0) return exitCodes.ok;
  return accepted.size > 0 && !isRehearsal ? exitCodes.incomplete : exitCodes.failed;
}

/** Where nothing was sent, as nothing is due that the server would take. */
function reportNothing({ leftAlone, problems }: Work, refused: number): void {
  for (const { message } of problems.slice(0, shown)) writeErr(`Warning: ${message}`);
  reportLeftAlone(leftAlone);
  const where = problems.length > 0 ? ' in what could be read' : '';
  writeErr(refused > 0 ? 'Nothing was sent: nothing else is due.' : `Nothing is due now${where}.`);
}

function reportLeftAlone(leftAlone: readonly LeftAlone[]): void {
  tell(leftAlone.map((one) => ({ at: '', type: 'left-alone', ...one })));
}

function tell(events: readonly ProgressEvent[]): void {
  for (const event of events.slice(0, shown)) {
    const line = progressLine(event);
    if (line !== undefined) writeErr(line);
  }
  if (events.length > shown) writeErr(`… and ${events.length - shown} more`);
}

/** Work after the server has rehearsed its patches, and how much of it the server would not take. */
interface RehearsedWork {
  readonly work: Work;
  readonly refused: number;
}

/**
 * Rehearses the patches on the server. An object that does not take its patch is left alone: nothing
 * deletes it, the collector neither.
 */
async function rehearsedWork(
  { client, types }: OpenedCluster,
  work: Work,
  { signal }: Interruption,
): Promise<RehearsedWork> {
  const { rehearsePatches } = await import('../../deletion/send/rehearse-patches.ts');
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
    const because = `the server does not take the ${what} that comes first, from the collector neither: ${refusal}`;
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
