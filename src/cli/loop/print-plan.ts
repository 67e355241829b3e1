import { type Format, render } from '../../output/render.ts';
import type { DeleteFlags, DeleteOptions } from '../delete/delete-options.ts';
import { documentLook, lookOn, warnOfGaps, writeOut, writeRendered } from '../terminal/streams.ts';
import { contextOf, intentOf, type Planned } from './planning.ts';

/** The document that was asked for, on stdout; its gaps on stderr. */
export async function printDocument(
  { plan, snapshot, targets }: Planned,
  flags: DeleteFlags,
  options: DeleteOptions,
): Promise<void> {
  const [{ comparePolicies }, { sealPlan }] = await Promise.all([
    import('../../deletion/plan/compare-policies.ts'),
    import('../../deletion/saved-plan.ts'),
  ]);
  const report = flags.compare
    ? comparePolicies(snapshot, intentOf(targets, options), contextOf(snapshot, plan.cluster))
    : sealPlan(plan);
  const format = (flags.output || 'table') as Format;
  const text = await render(report, format, {
    ...documentLook(format, flags['no-color']),
    now: Date.parse(snapshot.observedAt),
  });
  warnOfGaps(plan.coverage.problems);
  await writeOut(text);
}

/** The preview in front of a question, on stderr. */
export async function showPreview({ plan, snapshot }: Planned, flags: DeleteFlags): Promise<void> {
  const { stderr } = process;
  const options = {
    ...lookOn(stderr, flags['no-color']),
    now: Date.parse(snapshot.observedAt),
  };
  const text = (await render(plan, 'table', options)).trimEnd();
  warnOfGaps(plan.coverage.problems);
  writeRendered(text);
  // What weighs most has left the screen: it is said again where the question is.
  if (plan.objects.length < (stderr.rows || Number.POSITIVE_INFINITY)) return;
  const { remarkLines, summaryLines } = await import('../../output/tables/plan-table.ts');
  const warnings = plan.remarks.filter(({ severity }) => severity === 'warning');
  const again = [...summaryLines(plan, options), ...remarkLines(warnings, options)];
  writeRendered(['', ...again].join('\n'));
}
