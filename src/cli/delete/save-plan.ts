import { promises as fs } from 'node:fs';
import { goingCount } from '../../deletion/plan/going.ts';
import type { Plan } from '../../deletion/plan/plan.ts';
import { GcError } from '../../errors.ts';
import { shellCommand } from '../../kube/shell-command.ts';
import { refuseForeignFile } from '../foreign-file.ts';
import { writeErr, writeOut } from '../terminal/streams.ts';

/** Writes a plan with its digest, to be performed later; `-` is stdout. */
export async function savePlan(plan: Plan, file: string): Promise<void> {
  const { sealPlan } = await import('../../deletion/saved-plan.ts');
  const text = `${JSON.stringify(sealPlan(plan), undefined, 2)}\n`;
  for (const { message } of plan.coverage.problems) writeErr(`Warning: ${message}`);
  if (file === '-') return writeOut(text);
  await refuseForeignFile(file, 'Plan', 'Nothing was deleted. Name another file with --plan FILE.');
  try {
    await fs.writeFile(file, text, { mode: 0o600 });
  } catch (cause) {
    throw new GcError(`cannot write the plan to ${file}: ${reasonOf(cause)}`, {
      code: 'cannot-write',
      suggestions: ['Nothing was deleted. Name another file with --plan FILE.'],
      cause,
    });
  }
  const going = goingCount(plan);
  writeErr(
    `Nothing was deleted. ${file} holds the plan: ${going} ${going.endsWith(' 1') || going === '1' ? 'object' : 'objects'} would go.`,
  );
  // A plan that was made from files is for no cluster.
  if (plan.cluster.server !== '') {
    writeErr(`To perform it: ${shellCommand`kubectl gc delete --plan ${file}`}`);
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
