import { stripVTControlCharacters } from 'node:util';
import { nowhere, printedCommand } from '../../command-line/shell-command.ts';
import { exitCodes, isGcError } from '../../errors.ts';
import { writeCommand, writeErr, writeWhole } from '../terminal/streams.ts';

interface OclifError extends Error {
  readonly oclif?: { readonly exit?: number };
  readonly code?: string;
  readonly parse?: object;
}

/**
 * Says on stderr what went wrong and returns the exit code; a stack is shown only when asked for. `place`: where
 * the commands are for that it suggests.
 */
export function handleError(error: unknown, verbose: boolean, place = nowhere): number {
  if (isGcError(error)) {
    writeErr(`error: ${error.message}`);
    for (const one of error.advice) {
      if (typeof one === 'string') writeWhole(`  ${one}`);
      else writeCommand(`  ${one.to}: `, printedCommand(one.command, place));
    }
    // Where a command line is wrong is said already; the place in the program is of no use.
    if (verbose && error.exitCode !== exitCodes.usage) writeStack(error);
    return error.exitCode;
  }
  const oclif = error as OclifError;
  if (oclif?.code === 'EEXIT') return oclif.oclif?.exit ?? exitCodes.ok;
  // Not every error of oclif's parser contains the parsed values: one about a missing value does not.
  if (oclif?.parse !== undefined || oclif?.oclif !== undefined) {
    writeErr(`error: ${parseMessage(oclif)}`);
    writeErr('  See --help for the flags and arguments it takes.');
    return exitCodes.usage;
  }
  if (error instanceof RangeError && error.message === 'Invalid string length') {
    writeErr('error: the answer in this form has more than 512 MiB, and cannot be made');
    writeErr(
      '  Take -o json, yaml, name or a table, which have no such limit, or ask about less: -n NAMESPACE.',
    );
    return exitCodes.failed;
  }
  const [line] = String(oclif?.message ?? error).split('\n', 1);
  writeErr(`error: this is a bug in kubectl gc: ${line}`);
  if (verbose) writeStack(error);
  else writeErr('  Run it again with -v for the details to report it with.');
  return exitCodes.failed;
}

/** oclif spreads its reasons over indented lines below a heading, and ends with its own hint. */
function parseMessage({ message }: OclifError): string {
  const [heading = '', ...reasons] = stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'See more help with --help');
  const lone = /^Flag (--\S+) expects a value$/.exec(heading)?.[1];
  // In kubectl's words, as where the line ends without the value.
  if (lone !== undefined) return `flag needs an argument: ${lone}`;
  // `Parsing --port`, and what is wrong with its value.
  const [, flag] = /^Parsing (--\S+)$/.exec(heading) ?? [];
  if (flag !== undefined) return [flag, ...reasons].join(': ');
  return /^The following errors? occurred:$/.test(heading) ? reasons.join('; ') : heading;
}

/** The error and where it was thrown, without line breaks of the message: it may quote anything. */
function writeStack(error: unknown): void {
  writeErr(String(error));
  if (!(error instanceof Error)) return;
  for (const line of error.stack?.split('\n') ?? []) if (/^\s+at /.test(line)) writeErr(line);
  if (error.cause === undefined) return;
  writeErr('caused by:');
  writeStack(error.cause);
}
