import { promises as fs } from 'node:fs';
import { GcError } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import { writeErr, writeOut } from '../streams.ts';
import { mayGo } from './refusals.ts';

/** Writes a plan with its digest, to be performed later; `-` is stdout. */
export async function savePlan(plan: Plan, file: string): Promise<void> {
  const { sealPlan } = await import('../../executor/seal-plan.ts');
  const text = `${JSON.stringify(sealPlan(plan), undefined, 2)}\n`;
  for (const { message } of plan.coverage.problems) writeErr(`Warning: ${message}`);
  if (file === '-') return writeOut(text);
  try {
    await fs.writeFile(file, text, { mode: 0o600 });
  } catch (cause) {
    throw new GcError(`cannot write the plan to ${file}: ${reasonOf(cause)}`, {
      code: 'cannot-write',
      suggestions: ['Nothing was deleted. Name another file with --plan FILE.'],
      cause,
    });
  }
  const going = plan.objects.filter(mayGo).length;
  writeErr(
    `Nothing was deleted. ${file} holds the plan: ${going} ${going === 1 ? 'object' : 'objects'} would go.`,
  );
  // A plan that was made from files is for no cluster.
  if (plan.cluster.server !== '') writeErr(`To perform it: kubectl gc delete --plan ${file}`);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
