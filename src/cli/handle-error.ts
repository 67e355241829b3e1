import { type ExitCode, exitCodes, isGcError } from '../errors.ts';
import { manifest } from './inlined-manifest.ts';
import { nearestCommand } from './nearest-command.ts';
import { writeErr } from './streams.ts';

interface OclifError extends Error {
  readonly oclif?: { readonly exit?: number };
  readonly code?: string;
  readonly parse?: unknown;
}

/** Tells what went wrong on stderr and answers the exit code; a stack is shown only when asked for. */
export function handleError(error: unknown, verbose: boolean): number {
  if (isGcError(error)) {
    writeErr(`error: ${error.message}`);
    for (const suggestion of error.suggestions) writeErr(`  ${suggestion}`);
    if (verbose) writeErr(stackOf(error));
    return error.exitCode;
  }
  const oclif = error as OclifError;
  if (oclif?.code === 'EEXIT') return oclif.oclif?.exit ?? exitCodes.ok;
  if (oclif?.parse !== undefined) return usage(firstLine(oclif.message), verbose, oclif);
  const unknown = /^command (.+) not found$/.exec(oclif?.message ?? '')?.[1];
  if (unknown !== undefined) {
    const near = nearestCommand(unknown, manifest);
    return usage(
      `unknown command "${unknown.replaceAll(':', ' ')}" for "kubectl gc"`,
      verbose,
      oclif,
      near ? `Did you mean: kubectl gc ${near}` : undefined,
    );
  }
  writeErr(`error: this is a bug in kubectl gc: ${firstLine(String(oclif?.message ?? error))}`);
  writeErr(verbose ? stackOf(error) : '  Run it again with -v for the details to report it with.');
  return exitCodes.failed;
}

function usage(message: string, verbose: boolean, error: Error, hint?: string): ExitCode {
  writeErr(`error: ${message}`);
  writeErr(`  ${hint ?? 'See --help for the flags and arguments it takes.'}`);
  if (verbose) writeErr(stackOf(error));
  return exitCodes.usage;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
