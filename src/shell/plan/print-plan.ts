import { addressOf, printedCommand, shellCommand } from '../../command-line/shell-command.ts';
import type { Planned, PlanRefusal } from '../../deletion/plan/plan.ts';
import { isAboutData } from '../../deletion/plan/plan-totals.ts';
import { isBeingDeleted } from '../../kube/object-record.ts';
import { flowed } from '../../output/fit-text.ts';
import { printedText } from '../../output/printable.ts';
import { accessRefusals } from '../../perform/check-access.ts';
import { refusalsOf } from '../../perform/limits.ts';
import { type Format, isTable, render } from '../../questions/render.ts';
import { isolated } from '../../snapshot/isolated.ts';
import type { DeleteFlags, DeleteOptions } from '../flags/delete-options.ts';
import { computing } from '../terminal/interruption.ts';
import {
  documentLook,
  gapsAsWarnings,
  lookOn,
  writeCommand,
  writeErr,
  writeOut,
  writeRendered,
} from '../terminal/streams.ts';
import { changesEnd, type Deletion, limitsOf } from './planning.ts';

/** A live preview, with all for which the deletion itself would be refused. */
export async function printPreview(
  planned: Planned,
  { cluster, flags, options, signal, withoutPreview }: Deletion,
  preview = '--preview',
): Promise<void> {
  const refusals = [
    ...refusalsOf(planned, limitsOf(flags, options, preview)),
    ...(await accessRefusals(planned.plan, cluster, signal)),
  ];
  await printDocument(planned, flags, options, refusals);
  const isTable = !flags.output || flags.output === 'wide';
  if (withoutPreview === undefined || !isTable || refusals.length > 0) return;
  const [first] = planned.targets;
  // Asking again changes nothing.
  if (first && planned.targets.every(isBeingDeleted) && !changesEnd(options)) {
    const why = shellCommand`kubectl gc why ${addressOf(first)}`;
    writeCommand('Already being deleted. What blocks it: ', printedCommand(why, cluster.place));
  } else if (planned.plan.requests.length > 0) writeCommand('Delete: ', withoutPreview);
}

/** The document that was asked for, on stdout; its gaps on stderr. */
export async function printDocument(
  planned: Planned,
  flags: DeleteFlags,
  options: DeleteOptions,
  more: readonly PlanRefusal[],
): Promise<void> {
  const { plan, snapshot, targets } = planned;
  const refusals = [...(plan.refusals ?? []), ...more];
  const format = (flags.output || 'table') as Format;
  const whole = refusals.length === 0 ? plan : { ...plan, refusals };
  const reportOf = async () => {
    if (flags.compare) {
      const { comparePolicies } = await import('../../deletion/plan/compare-policies.ts');
      const { context } = planned;
      const { policy, ...intent } = options;
      return computing(() =>
        isolated(snapshot, (known, same) =>
          comparePolicies(known, { ...intent, targets: same(targets) }, context, {
            ...planned,
            policy,
          }),
        ),
      );
    }
    // A table has no place for a digest.
    if (isTable(format)) return whole;
    const { sealPlan } = await import('../../deletion/saved-plan.ts');
    return sealPlan(whole);
  };
  const report = await reportOf();
  const warnings = gapsAsWarnings(plan.coverage.problems, format === 'table');
  const text = await render(report, format, {
    ...documentLook(format, flags),
    now: Date.parse(snapshot.observedAt),
    records: snapshot.records,
    linesBeside: linesBeside(warnings),
  });
  for (const warning of warnings) writeErr(warning);
  await writeOut(text);
  // These formats have no place for it.
  if (flags.compare || format === 'name') {
    for (const { message } of refusals) writeErr(`Warning: would be refused: ${message}`);
  }
}

/** With the line that says what to do next, on a terminal of 80 columns. */
function linesBeside(warnings: readonly string[]): number {
  const width = 80;
  return warnings.reduce((sum, one) => sum + flowed(one, { width }).split('\n').length, 1);
}

/** The preview in front of a question, on stderr. */
export async function showPreview({ plan, snapshot }: Planned, flags: DeleteFlags): Promise<void> {
  const { stderr } = process;
  const warnings = gapsAsWarnings(plan.coverage.problems, true);
  const look = lookOn(stderr, flags);
  const text = await render(plan, 'table', {
    ...look,
    now: Date.parse(snapshot.observedAt),
    linesBeside: linesBeside(warnings),
  });
  for (const warning of warnings) writeErr(warning);
  writeRendered(printedText(text.trimEnd(), look));
}

/** What is deleted without a question, on a terminal: how much, and the data. */
export async function showTotal({ plan }: Planned, flags: DeleteFlags): Promise<void> {
  const { stderr } = process;
  if (!stderr.isTTY || plan.requests.length === 0) return;
  const { remarkLines, summaryLines } = await import('../../questions/delete/plan-words.ts');
  const look = { ...lookOn(stderr, flags), now: Date.now() };
  const data = plan.remarks.filter(isAboutData);
  const lines = [...remarkLines(data, look), ...summaryLines(plan, look)];
  writeRendered(printedText(lines.join('\n'), look));
}
