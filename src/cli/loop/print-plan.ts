import type { Plan } from '../../deletion/plan/plan.ts';
import { type Format, type Report, render } from '../../output/render.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { DeleteFlags, DeleteOptions } from '../delete/delete-options.ts';
import { wantsColour, writeErr, writeOut } from '../terminal/streams.ts';
import { contextOf, intentOf, type Planned } from './planning.ts';

/** The document that was asked for, on stdout; its gaps on stderr. */
export async function printDocument(
  { plan, snapshot, targets }: Planned,
  flags: DeleteFlags,
  options: DeleteOptions,
): Promise<void> {
  const report = flags.compare
    ? await comparisonOf(snapshot, intentOf(targets, options), contextOf(snapshot, plan.cluster))
    : await sealed(plan);
  const format = (flags.output || 'table') as Format;
  const { stdout } = process;
  const text = await render(report, format, {
    colour: wantsColour(stdout, flags['no-color'] ?? false),
    width: stdout.isTTY && format === 'table' ? stdout.columns || undefined : undefined,
    now: Date.parse(snapshot.observedAt),
  });
  warnOfGaps(plan.coverage.problems);
  await writeOut(text);
}

async function comparisonOf(...given: Parameters<ComparePolicies>): Promise<Report> {
  const { comparePolicies } = await import('../../deletion/plan/compare-policies.ts');
  return comparePolicies(...given);
}

type ComparePolicies = typeof import('../../deletion/plan/compare-policies.ts').comparePolicies;

/** The preview in front of a question, on stderr. */
export async function showPreview({ plan, snapshot }: Planned, flags: DeleteFlags): Promise<void> {
  const { stderr } = process;
  const options = {
    colour: wantsColour(stderr, flags['no-color'] ?? false),
    width: stderr.columns || undefined,
    now: Date.parse(snapshot.observedAt),
  };
  const text = (await render(plan, 'table', options)).trimEnd();
  warnOfGaps(plan.coverage.problems);
  writeErr(text);
  // What weighs most has left the screen: it is said again where the question is.
  if (plan.objects.length < (stderr.rows || Number.POSITIVE_INFINITY)) return;
  const { remarkLines, summaryLines } = await import('../../output/tables/plan-lines.ts');
  const warnings = plan.remarks.filter(({ severity }) => severity === 'warning');
  const again = [...summaryLines(plan, options), ...remarkLines(warnings, options)];
  writeErr(['', ...again].join('\n'));
}

async function sealed(plan: Plan) {
  const { sealPlan } = await import('../../deletion/saved-plan.ts');
  return sealPlan(plan);
}

const shown = 10;

/** What could not be read, on stderr; all kinds that were set aside in one line. */
export function warnOfGaps(given: readonly CoverageProblem[]): void {
  const { aside = [], gaps: problems = [] } = Object.groupBy(given, ({ setAside }) =>
    setAside ? 'aside' : 'gaps',
  );
  for (const { message } of problems.slice(0, shown)) writeErr(`Warning: ${message}`);
  if (problems.length > shown) {
    writeErr(`Warning: ${problems.length - shown} more; -o json lists them all under coverage`);
  }
  if (aside.length === 0) return;
  const kinds = new Set(aside.map(({ resource = '' }) => resource));
  const names = [...kinds].sort().join(', ');
  writeErr(`Note: ${names} may neither be listed nor created: they are not looked at`);
}
