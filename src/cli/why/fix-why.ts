import type { DiagnosisState } from '../../diagnosis/diagnosis.ts';
import type { FixStep } from '../../diagnosis/fix-step.ts';
import { linksOf } from '../../diagnosis/link.ts';
import { readInFull } from '../../diagnosis/read-whole.ts';
import { GcError } from '../../errors.ts';
import { applyFixStep, type FixResult } from '../../executor/apply-fix-step.ts';
import { printable } from '../../reporters/printable.ts';
import { printedName } from '../../reporters/printed-name.ts';
import type { Diagnosed, DiagnosisReport } from '../../reports/why.ts';
import { confirm } from '../confirm.ts';
import { isInteractive } from '../delete/terminal.ts';
import type { OpenedCluster } from '../input.ts';
import { writeErr } from '../streams.ts';

const healthy: ReadonlySet<DiagnosisState> = new Set(['alive', 'absent', 'collectable']);

/** Offers the first step of each chain: rehearses it on the server, asks, and sends it once. */
export async function fixWhy(
  cluster: OpenedCluster | undefined,
  { items }: DiagnosisReport,
  options: { readonly yes: boolean; readonly dryRun: boolean },
): Promise<void> {
  const steps = items.flatMap(({ fix }) => fix ?? []);
  if (steps.length === 0) {
    const unread = items.flatMap(unreadProtection);
    if (unread.length > 0) throw protectionUnread(unread);
    const isHealthy = items.every(({ state }) => healthy.has(state));
    writeErr(
      isHealthy
        ? 'There is nothing to fix: nothing is stuck.'
        : 'There is no step that would be safe to offer.',
    );
    return;
  }
  for (const step of steps) {
    if (!cluster) printStep(step);
    else await offer(cluster, step, options);
  }
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
  step: FixStep,
  { yes, dryRun }: { readonly yes: boolean; readonly dryRun: boolean },
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
function printStep({ does, risk, object, method, path, body }: FixStep): void {
  const text = JSON.stringify(body).replaceAll("'", `'\\''`);
  writeErr(`Step (nothing was sent): ${printable(does)}`);
  writeErr(`Risk: ${printable(risk)}`);
  const where = object.namespace === '' ? '' : ` -n ${object.namespace}`;
  if (method === 'PATCH') {
    const name = printedName(object).replace('/', ' ');
    writeErr(`  kubectl patch ${name}${where} --type=json -p '${text}'`);
    return;
  }
  writeErr(`  kubectl ${method === 'PUT' ? 'replace' : 'delete'} --raw ${path} -f step.json`);
  writeErr(`  step.json: ${JSON.stringify(body)}`);
}
