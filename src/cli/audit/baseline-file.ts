import { existsSync, promises as fs } from 'node:fs';
import { type Baseline, parseBaseline } from '../../audit/baseline.ts';
import { GcError, usageError } from '../../errors.ts';
import { readDocument } from '../input/read-document.ts';

/** The baseline in a file; undefined without one, and where it is about to be written for the first time. */
export async function readBaseline(
  path: string | undefined,
  toBeWritten: boolean,
): Promise<Baseline | undefined> {
  if (path === undefined) return undefined;
  if (!existsSync(path)) {
    if (toBeWritten) return undefined;
    throw usageError(
      'no-baseline',
      `there is no baseline ${path}`,
      'Write one with --update-baseline.',
    );
  }
  return parseBaseline(await readDocument(path, 'baseline'), path);
}

/** Replaces the file as a whole, so that whoever interrupts it keeps the one there was. */
export async function writeBaseline(path: string, baseline: Baseline): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await fs.writeFile(draft, `${JSON.stringify(baseline, undefined, 2)}\n`);
    await fs.rename(draft, path);
  } catch (cause) {
    await fs.rm(draft, { force: true });
    throw new GcError(`cannot write the baseline ${path}: ${(cause as Error).message}`, {
      code: 'cannot-write',
      cause,
    });
  }
}
