import { promises as fs } from 'node:fs';
import type { Plan } from '../../deletion/plan/plan.ts';
import { exitCodes, GcError } from '../../errors.ts';
import { shellCommand } from '../../kube/shell-command.ts';
import { mayGo } from '../loop/refusals.ts';
import { writeErr, writeOut } from '../terminal/streams.ts';

/** Writes a plan with its digest, to be performed later; `-` is stdout. */
export async function savePlan(plan: Plan, file: string): Promise<void> {
  const { sealPlan } = await import('../../deletion/saved-plan.ts');
  const text = `${JSON.stringify(sealPlan(plan), undefined, 2)}\n`;
  for (const { message } of plan.coverage.problems) writeErr(`Warning: ${message}`);
  if (file === '-') return writeOut(text);
  await refuseForeignFile(file);
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
  if (plan.cluster.server !== '') {
    writeErr(`To perform it: ${shellCommand`kubectl gc delete --plan ${file}`}`);
  }
}

/** A plan takes the place of an earlier one, but of nothing else. */
async function refuseForeignFile(file: string): Promise<void> {
  // What is no plain file, or cannot be read, is met again when it is written to.
  const stat = await fs.stat(file).catch(() => undefined);
  if (!stat?.isFile() || stat.size === 0) return;
  const text = await fs.readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined || beginsAsPlan.test(text)) return;
  throw new GcError(`${file} is there already and holds no plan: it is left as it is`, {
    code: 'file-exists',
    exitCode: exitCodes.usage,
    suggestions: ['Nothing was deleted. Name another file with --plan FILE.'],
  });
}

const beginsAsPlan = /^\s*\{\s*"apiVersion":\s*"kubectl-gc\/v1",\s*"kind":\s*"Plan"/;

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
