import { GcError } from '../../errors.ts';
import { addressOf, shellCommand } from '../../kube/shell-command.ts';
import type { Diagnosed, DiagnosisReport } from '../../output/documents/why.ts';
import { printable, printedName } from '../../output/printable.ts';
import { type DiagnosisState, linksOf } from '../../why/chain.ts';
import { applyFixStep, type FixResult } from '../../why/fix/apply-fix.ts';
import type { FixRequest } from '../../why/fix-request.ts';
import { readInFull } from '../../why/read-whole.ts';
import type { OpenedCluster } from '../input/session.ts';
import { confirm, isInteractive } from '../terminal/confirm.ts';
import { writeErr } from '../terminal/streams.ts';

interface FixOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** The finalizer whose removal was insisted on. */
  readonly finalizer: string | undefined;
}

const healthy: ReadonlySet<DiagnosisState> = new Set(['alive', 'absent', 'collectable']);

/** Offers the first step of each chain: rehearses it on the server, asks, and sends it once. */
export async function offerFixes(
  cluster: OpenedCluster | undefined,
  { items }: DiagnosisReport,
  options: FixOptions,
): Promise<void> {
  const steps = items.flatMap(({ fix }) => fix ?? []);
  for (const step of steps) {
    if (!cluster) printStep(step);
    else await offer(cluster, step, options);
  }
  const { finalizer } = options;
  const left = items.filter(
    ({ state, fix }) =>
      !fix && (finalizer !== undefined || state === 'stuck' || state === 'unknown'),
  );
  const unread = left.flatMap(unreadProtection);
  if (unread.length > 0 && finalizer === undefined) throw protectionUnread(unread);
  if (left.length > 0)
    throw finalizer === undefined ? noSafeStep(left) : noFinalizer(left, finalizer);
  if (steps.length > 0) return;
  const isHealthy = items.every(({ state }) => healthy.has(state));
  writeErr(
    isHealthy
      ? 'There is nothing to fix: nothing is stuck.'
      : 'There is nothing to fix so far: somebody is at it.',
  );
}

function noSafeStep(left: readonly Diagnosed[]): GcError {
  return new GcError(`there is no step that would be safe to offer for ${namesOf(left)}`, {
    code: 'no-safe-step',
    suggestions: [
      'The chain says why, and what you can do.',
      'To take a finalizer off although its program may be running: --fix --remove-finalizer FINALIZER.',
    ],
  });
}

function noFinalizer(left: readonly Diagnosed[], finalizer: string): GcError {
  return new GcError(
    `${namesOf(left)}: not being deleted, or without the finalizer ${printable(finalizer)}`,
    { code: 'no-such-finalizer', suggestions: ['Ask why without --fix: it names the finalizers.'] },
  );
}

function namesOf(items: readonly Diagnosed[]): string {
  return items.map(({ object }) => printedName(object)).join(', ');
}

/** The finalizers that protect what may be in use, where it was not read whether it is. */
function unreadProtection({ chain }: Diagnosed): string[] {
  return linksOf(chain).flatMap(({ state, finalizer, object }) =>
    state === 'unknown' && finalizer !== undefined && protections.has(finalizer)
      ? `${finalizer} of ${printedName(object)}`
      : [],
  );
}

const protections: ReadonlySet<string> = new Set([
  'kubernetes.io/pvc-protection',
  'kubernetes.io/pv-protection',
]);

function protectionUnread(unread: readonly string[]): GcError {
  return new GcError(
    `no step takes ${printable(unread.join(', '))} off: it was not read whether what it protects is in use`,
    { code: 'use-not-read', suggestions: [readInFull] },
  );
}

async function offer(
  { client }: OpenedCluster,
  step: FixRequest,
  { yes, dryRun }: FixOptions,
): Promise<void> {
  writeErr(`Step: ${printable(step.does)}`);
  writeErr(`Risk: ${printable(step.risk)}`);
  const rehearsed = await applyFixStep(client, step, { dryRun: true });
  writeErr(`Server dry run: ${told(rehearsed)}`);
  if (rehearsed.outcome !== 'applied') throw notFixed(rehearsed);
  if (dryRun) {
    writeErr('Nothing was changed (--dry-run).');
    return;
  }
  if (!yes && !(await confirm('Do this?'))) {
    writeErr(`Nothing was changed.${isInteractive() ? '' : ' Add --yes to do it.'}`);
    return;
  }
  const result = await applyFixStep(client, step, { dryRun: false });
  writeErr(`Done: ${told(result)}`);
  if (result.outcome !== 'applied') throw notFixed(result);
  writeErr('Ask why again to see what is left.');
}

function told({ outcome, message }: FixResult): string {
  return message === undefined ? outcome : `${outcome}: ${printable(message)}`;
}

function notFixed({ outcome }: FixResult): GcError {
  return new GcError(`the step could not be taken: ${outcome}`, {
    code: 'not-fixed',
    suggestions: ['Ask why again: the object may not be what it was.'],
  });
}

/** Offline there is nobody to send it to. */
function printStep({ does, risk, object, method, path, body }: FixRequest): void {
  const text = JSON.stringify(body);
  writeErr(`Step (nothing was sent): ${printable(does)}`);
  writeErr(`Risk: ${printable(risk)}`);
  if (method === 'PATCH') {
    writeErr(`  ${shellCommand`kubectl patch ${addressOf(object)} --type=json -p ${text}`}`);
    return;
  }
  const verb = method === 'PUT' ? 'replace' : 'delete';
  writeErr(`  ${shellCommand`kubectl ${verb} --raw ${path} -f step.json`}`);
  writeErr(`  step.json: ${text}`);
}
