import { Command } from '@oclif/core/command';
import { usageError } from '../errors.ts';
import { type Format, formatOf, type Report, render } from '../reporters/render.ts';
import type { RenderOptions } from '../reporters/style.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type CommonFlags, commonFlags } from './flags.ts';
import { wantsColour, writeErr, writeOut } from './streams.ts';

/** What all commands share: kubectl's flags, one way to print, one way to remark. */
export abstract class GcCommand extends Command {
  static override baseFlags = commonFlags;

  /** Prints a report to stdout, its gaps to stderr. */
  protected async print(
    report: Report,
    output: string,
    formats: readonly Format[],
    flags: CommonFlags,
    now: number,
  ): Promise<void> {
    const text = await render(report, formatOf(output, formats), renderOptions(flags, now));
    this.remarkOnCoverage(report.coverage);
    await writeOut(text);
  }

  protected remark(line: string): void {
    writeErr(line);
  }

  /** What was not seen is never passed over in silence. */
  protected remarkOnCoverage({
    problems,
  }: {
    readonly problems: readonly { readonly message: string }[];
  }): void {
    for (const problem of problems.slice(0, shownProblems)) writeErr(`Warning: ${problem.message}`);
    const more = problems.length - shownProblems;
    if (more > 0) writeErr(`Warning: ${more} more problems; -o json lists them all under coverage`);
  }
}

const shownProblems = 10;

/** `--now`, else when the picture was taken. */
export function clockOf(flags: CommonFlags, snapshot: Snapshot): number {
  if (flags.now === undefined) return Date.parse(snapshot.observedAt);
  const now = Date.parse(flags.now);
  if (!Number.isNaN(now)) return now;
  throw usageError(
    'invalid-time',
    `--now "${flags.now}" is not a time`,
    'Write it as RFC 3339: 2026-01-31T12:00:00Z.',
  );
}

function renderOptions(flags: CommonFlags, now: number): RenderOptions {
  const { stdout } = process;
  return {
    colour: wantsColour(stdout, flags['no-color'] ?? false),
    width: stdout.isTTY ? stdout.columns : undefined,
    now,
  };
}
