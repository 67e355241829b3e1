import {
  type CommandPlace,
  printedCommand,
  shellCommand,
} from '../../command-line/shell-command.ts';
import { GcError, type SuggestedCommand } from '../../errors.ts';
import { PV_PROTECTION, PVC_PROTECTION } from '../../kube/object-record.ts';
import { printedName } from '../../output/printable.ts';
import { checkFixAccess } from '../../perform/check-access.ts';
import { refuseInterrupted } from '../../perform/interrupted.ts';
import type { Diagnosed, DiagnosisReport } from '../../questions/why/document.ts';
import { patchCommand, putCommand } from '../../shell/fix/fix-diff.ts';
import { type FixOptions, sendFixes } from '../../shell/fix/send-fixes.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import { writeCommand, writeErr, writeWhole } from '../../shell/terminal/streams.ts';
import { jsonText } from '../../syntax/json-text.ts';
import { type Cause, type DiagnosisState, type Link, linksOf, widest } from '../../why/chain.ts';
import { accessOf } from '../../why/fix/apply-fix.ts';
import type { FixRequest } from '../../why/fix-request.ts';
import { readInFull } from '../../why/inquiry.ts';
import { insistence } from '../../why/programs/finalizer-removal.ts';

interface StepOptions extends FixOptions {
  /** The finalizer whose removal was insisted on. */
  readonly finalizer: string | undefined;
  readonly place: CommandPlace;
}

const healthy: ReadonlySet<DiagnosisState> = new Set(['alive', 'absent', 'collectable']);

export function withoutSteps(report: DiagnosisReport): DiagnosisReport {
  return { ...report, items: report.items.map(({ fix: _, ...item }) => item) };
}

/** Offers the first step of each chain: rehearses it on the server, asks, and sends it once. */
export async function offerFixes(
  cluster: OpenedCluster | undefined,
  { items }: DiagnosisReport,
  options: StepOptions,
): Promise<void> {
  const steps = items.flatMap(({ fix }) => fix ?? []);
  if (cluster && steps.length > 0) {
    await checkFixAccess(steps.map(accessOf), cluster, options.signal);
  }
  for (const step of steps) {
    if (cluster) await offer(cluster, step, options);
    else printStep(step, options.place);
  }
  const { finalizer } = options;
  const left = items.filter(
    ({ state, fix }) =>
      !fix && (finalizer !== undefined || state === 'stuck' || state === 'unknown'),
  );
  const unread = left.flatMap(unreadProtection);
  if (unread.length > 0 && finalizer === undefined) {
    throw new GcError(
      `no step removes ${unread.join(', ')}: it was not read whether what it protects is in use`,
      { code: 'use-not-read', suggestions: [readInFull] },
    );
  }
  if (left.length > 0) throw finalizer === undefined ? noStep(left) : noFinalizer(left, finalizer);
  if (steps.length > 0) return;
  const isHealthy = items.every(({ state }) => healthy.has(state));
  writeErr(
    isHealthy
      ? 'There is nothing to fix: nothing is stuck.'
      : 'There is nothing to fix so far: a controller is at work on it.',
  );
}

function noStep(left: readonly Diagnosed[]): GcError {
  return new GcError(`there is no step to offer for ${diagnosedNames(left)}`, {
    code: 'no-step',
    suggestions: [
      'The chain says why, and what you can do.',
      ...left.flatMap(({ chain }) => insistences(chain, (_, cause) => !working.has(cause))),
    ],
  });
}

/** A program runs, and removes the finalizer when it can. */
const working: ReadonlySet<Cause> = new Set([
  'finalizer-controller-running',
  'finalizer-controller-elsewhere',
  'finalizer-controller-forbidden',
]);

function noFinalizer(left: readonly Diagnosed[], finalizer: string): GcError {
  const holders = left.flatMap(({ chain }) => insistences(chain, (held) => held === finalizer));
  return new GcError(
    `${diagnosedNames(left)}: not being deleted, or without the finalizer ${finalizer}`,
    {
      code: 'no-such-finalizer',
      suggestions:
        holders.length > 0 ? holders : ['Ask why without --fix: it names the finalizers.'],
    },
  );
}

/** The commands that remove finalizers from the objects of a chain that really have them. */
function insistences(
  chain: Link,
  isMeant: (finalizer: string, cause: Cause) => boolean,
): SuggestedCommand[] {
  const held = linksOf(chain).flatMap(({ object, finalizer, cause }) =>
    cause.startsWith('finalizer-controller-') &&
    finalizer !== undefined &&
    isMeant(finalizer, cause)
      ? [insistence(object, finalizer)]
      : [],
  );
  return [...new Map(held.map((one) => [one.text, one])).values()].slice(0, widest);
}

function diagnosedNames(items: readonly Diagnosed[]): string {
  return items.map(({ object }) => printedName(object)).join(', ');
}

/** The finalizers that protect what may be in use, where it was not read whether it is. */
function unreadProtection({ chain }: Diagnosed): string[] {
  return linksOf(chain).flatMap(({ state, finalizer, object }) =>
    state === 'unknown' && finalizer !== undefined && storageProtections.has(finalizer)
      ? `${finalizer} of ${printedName(object)}`
      : [],
  );
}

const storageProtections: ReadonlySet<string> = new Set([PVC_PROTECTION, PV_PROTECTION]);

async function offer(cluster: OpenedCluster, step: FixRequest, options: FixOptions): Promise<void> {
  refuseInterrupted(options.signal);
  writeErr(`Step: ${step.does}`);
  writeErr(`Risk: ${step.risk}`);
  const { sent, last } = await sendFixes(cluster, [step], options, {
    line: (_, { outcome, message }, dryRun) =>
      `${dryRun ? 'Server dry run' : 'Done'}: ${outcome}${message === undefined ? '' : `: ${message}`}`,
    question: () => 'Do this?',
    declined: 'Nothing was changed.',
  });
  if (last !== undefined && last !== 'applied') {
    throw new GcError(`the step could not be taken: ${last}`, {
      code: 'not-fixed',
      suggestions: ['Ask why again: the object may not be what it was.'],
    });
  }
  if (sent > 0) writeErr('Ask why again to see what is left.');
}

/** Offline no server can take it, so the command that would send it is printed. */
function printStep(step: FixRequest, place: CommandPlace): void {
  const { does, risk, method, path, body } = step;
  writeErr(`Step (nothing was sent): ${does}`);
  writeErr(`Risk: ${risk}`);
  if (method === 'PATCH') {
    writeCommand('  ', patchCommand(step, place));
    return;
  }
  if (method === 'PUT') {
    writeCommand('  ', putCommand(step, place));
    return;
  }
  const send = shellCommand`kubectl delete --raw ${path} -f step.json`;
  writeCommand('  ', printedCommand(send, place));
  writeWhole(`  step.json: ${jsonText(body)}`);
}
