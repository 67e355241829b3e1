import { printedKindOf } from '../../kube/resource-type.ts';
import { writeOut } from '../streams.ts';
import type { DeletionTarget } from './deletion-target.ts';

/** `--interactive`: kubectl's list and question on stdout, its answer from stdin, on a terminal or not. */
export async function confirmAsKubectl(targets: readonly DeletionTarget[]): Promise<boolean> {
  const names = targets.map(({ type, name }) => `${printedKindOf(type)}/${name}\n`);
  await writeOut(
    `You are about to delete the following ${targets.length} resource(s):\n${names.join('')}Do you want to continue? (y/N): `,
  );
  const line = await firstLine();
  if (line !== undefined && /^\s*y[ \t\r]*$/i.test(line)) return true;
  await writeOut('deletion is cancelled\n');
  return false;
}

/** Undefined when stdin ends before a line does. */
async function firstLine(): Promise<string | undefined> {
  if (process.stdin.readableEnded) return undefined;
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return undefined;
  } finally {
    lines.close();
    process.stdin.unref?.();
  }
}
