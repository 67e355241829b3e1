import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import type { DeletionIntent } from '../../deletion/plan/plan.ts';
import { type GcError, usageError } from '../../errors.ts';
import {
  goDurationFault,
  goSyntaxFault,
  parseGoBool,
  parseGoDuration,
} from '../../kube/go-syntax.ts';
import type { deleteFlags } from './delete-flags.ts';
import type { CommonFlags, ValuesOf } from './flags.ts';

export type DeleteFlags = CommonFlags & ValuesOf<typeof deleteFlags>;

export type DryRun = 'none' | 'client' | 'server';

/** What to follow after the requests: the whole tree, the named objects alone, or nothing. */
type Following = 'tree' | 'object' | 'none';

/** What flags say of a deletion; what is `refused` is known once the server was asked. */
export interface DeleteOptions extends Omit<DeletionIntent, 'targets'> {
  readonly dryRun: DryRun;
  readonly ignoreNotFound: boolean;
  readonly following: Following;
  /** Milliseconds; undefined waits on. */
  readonly timeout: number | undefined;
  readonly maxDeletes: number | undefined;
  /** For people, on stderr. */
  readonly warnings: readonly string[];
}

/** Checks what can be checked before anything is contacted, in kubectl's words and order. */
export function deleteOptionsOf(flags: DeleteFlags): DeleteOptions {
  const warnings: string[] = [];
  const gracePeriod = integerOf('grace-period', flags['grace-period']) ?? -1;
  const timeout = durationOf(flags.timeout);
  const following = followingOf(flags.wait);
  const ignore = booleanOf('ignore-not-found', flags['ignore-not-found']);
  // A time to count from makes sense only where no cluster has its own.
  const now = flags.from ? isNow(flags.now) : (booleanOf('now', flags.now) ?? false);
  const policy = policyOf(flags.cascade, warnings);
  if (now && gracePeriod !== -1) {
    throw usageError('--now and --grace-period cannot be specified together');
  }
  const gracePeriodSeconds = gracePeriodOf(now ? 1 : gracePeriod, flags.force ?? false);
  const dryRun = dryRunOf(flags['dry-run'], warnings);
  if (flags.force && gracePeriodSeconds !== undefined && gracePeriodSeconds > 0) {
    throw usageError('--force and --grace-period greater than 0 cannot be specified together');
  }
  if (flags.force && gracePeriodSeconds === 0) warnings.push(immediate);
  return {
    policy,
    gracePeriodSeconds,
    dryRun,
    ignoreNotFound: ignore ?? selects(flags),
    following,
    timeout,
    maxDeletes: maxDeletesOf(flags['max-deletes']),
    selectedBy:
      flags['field-selector'] || selectsEnded(flags)
        ? 'fields'
        : flags.selector
          ? 'labels'
          : undefined,
    warnings,
  };
}

/** Does `--now` stand for a short grace period, or for a time? */
export function isNow(now: string | undefined): boolean {
  return now !== undefined && parseGoBool(now) === true;
}

const immediate =
  'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.';

export function selectsEnded(flags: Pick<DeleteFlags, 'evicted' | 'finished'>): boolean {
  return (flags.evicted ?? false) || (flags.finished ?? false);
}

/** Is selected what is deleted, and not named? Then to find nothing is no failure. */
export function selects(flags: DeleteFlags): boolean {
  const { all, selector = '', 'field-selector': fields = '' } = flags;
  return (all ?? false) || `${selector}${fields}`.trim() !== '' || selectsEnded(flags);
}

/** 0 without --force becomes 1, so that the kubelet is not skipped by accident. */
function gracePeriodOf(seconds: number, force: boolean): number | undefined {
  if (seconds === 0 && !force) return 1;
  if (seconds >= 0) return seconds;
  return force ? 0 : undefined;
}

export const cascadePolicies: ReadonlyMap<string | undefined, PropagationPolicy> = new Map([
  ['background', 'Background'],
  ['foreground', 'Foreground'],
  ['orphan', 'Orphan'],
]);

export function invalidCascade(cascade: string | undefined): GcError {
  return usageError(
    `invalid cascade value (${cascade}). Must be "background", "foreground", or "orphan"`,
  );
}

function policyOf(cascade: string | undefined, warnings: string[]): PropagationPolicy {
  if (cascade === undefined) return 'Background';
  const policy = cascadePolicies.get(cascade);
  if (policy) return policy;
  const bool = parseGoBool(cascade);
  if (bool === undefined) throw invalidCascade(cascade);
  const instead = bool ? 'background' : 'orphan';
  warnings.push(
    `warning: --cascade=${cascade} is deprecated (boolean value) and can be replaced with --cascade=${instead}.`,
  );
  return bool ? 'Background' : 'Orphan';
}

function dryRunOf(value: string | undefined, warnings: string[]): DryRun {
  if (value === undefined || value === 'none') return 'none';
  if (value === 'client' || value === 'server') return value;
  if (value === 'unchanged') {
    warnings.push('Warning: --dry-run is deprecated and can be replaced with --dry-run=client.');
    return 'client';
  }
  const bool = parseGoBool(value);
  if (bool === undefined) {
    throw usageError(`Invalid dry-run value (${value}). Must be "none", "server", or "client".`);
  }
  const instead = bool ? 'client' : 'none';
  warnings.push(
    `Warning: --dry-run=${value} is deprecated (boolean value) and can be replaced with --dry-run=${instead}.`,
  );
  return instead;
}

function followingOf(wait: string | undefined): Following {
  if (wait === undefined || wait === 'tree') return 'tree';
  if (wait === 'object') return 'object';
  return booleanOf('wait', wait) ? 'tree' : 'none';
}

function maxDeletesOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\+?\d{1,15}$/.test(text)) return Number(text);
  throw usageError(`--max-deletes "${text}" is not a number of objects`, [
    'Give a whole number from 0 on: --max-deletes 20.',
  ]);
}

function integerOf(flag: string, text: string | undefined): number | undefined {
  const read = (word: string) => (/^[-+]?\d{1,15}$/.test(word) ? Number(word) : undefined);
  return parsedBy(read, text, flag, (word) => goSyntaxFault('ParseInt', word));
}

function booleanOf(flag: string, text: string | undefined): boolean | undefined {
  return parsedBy(parseGoBool, text, flag, (word) => goSyntaxFault('ParseBool', word));
}

/** Milliseconds; undefined waits on. */
function durationOf(text: string | undefined): number | undefined {
  const milliseconds = parsedBy(parseGoDuration, text, 'timeout', goDurationFault);
  if (milliseconds === undefined || milliseconds >= 0) return milliseconds || undefined;
  throw usageError('--timeout must not be negative');
}

/** The value of a flag; one that `read` does not understand is a usage error in Go's words. */
function parsedBy<T>(
  read: (text: string) => T | undefined,
  text: string | undefined,
  flag: string,
  faultOf: (text: string) => string | undefined,
): T | undefined {
  const value = text === undefined ? undefined : read(text);
  if (text === undefined || value !== undefined) return value;
  throw usageError(`invalid argument "${text}" for "--${flag}" flag: ${faultOf(text)}`);
}

const formats = ['name', 'table', 'wide', 'json', 'yaml', 'svg', 'html'] as const;

/** Refuses other values of `-o`, in kubectl's words, and a picture where no plan is shown. */
export function checkOutput(flags: DeleteFlags): void {
  const { output = '' } = flags;
  const isPicture = output === 'svg' || output === 'html';
  if (isPicture && !wantsDocument(flags)) {
    throw usageError(`-o ${output} shows what a deletion would do, and deletes nothing`, [
      'Add --preview or --compare.',
    ]);
  }
  if (output === '' || formats.some((format) => format === output)) return;
  throw usageError(`unexpected -o output mode: ${output}. We only support '-o name'`, [
    `kubectl gc also supports: ${formats.filter((format) => format !== 'name').join(', ')}.`,
  ]);
}

/** Is a document asked for, instead of a deletion? */
export function wantsDocument(flags: DeleteFlags): boolean {
  const { output = '', preview, compare } = flags;
  const isDocument = output !== '' && output !== 'name';
  const rehearses = !['none', undefined].includes(flags['dry-run']);
  return (preview ?? false) || (compare ?? false) || (rehearses && isDocument);
}
