import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import type { DeletionIntent } from '../../deletion/plan/plan.ts';
import { type GcError, usageError } from '../../errors.ts';
import { didYouMean } from '../../kube/names.ts';
import { type Format, formatOf } from '../../questions/render.ts';
import { parseGoBool, parseGoDuration } from '../../syntax/go-syntax.ts';
import { parseBool } from '../argv/normalize-argv.ts';
import type { deleteFlags } from './delete-flags.ts';
import { type DryRun, deprecated, dryRunOf } from './flag-kinds.ts';
import type { CommonFlags, ValuesOf } from './flags.ts';

export type DeleteFlags = CommonFlags & ValuesOf<typeof deleteFlags>;

/** What to follow after the requests: the whole tree, the named objects alone, or nothing. */
type FollowMode = 'tree' | 'object' | 'none';

/** What flags say of a deletion; what is `refused` is known once the server was asked. */
export interface DeleteOptions extends Omit<DeletionIntent, 'targets'> {
  readonly dryRun: DryRun;
  readonly ignoreNotFound: boolean;
  readonly following: FollowMode;
  /** Milliseconds; undefined waits on. */
  readonly timeout: number | undefined;
  readonly maxDeletes: number | undefined;
  /** For people, on stderr. */
  readonly warnings: readonly string[];
}

/** Checks what can be checked before anything is contacted. */
export function checkedDeleteOptions(flags: DeleteFlags): DeleteOptions {
  const warnings: string[] = [];
  const gracePeriod = flags['grace-period'] ?? -1;
  const timeout = timeoutOf(flags.timeout);
  const following = followingOf(flags.wait);
  const ignore = booleanOf('ignore-not-found', flags['ignore-not-found']);
  // A time to count from makes sense only where no cluster has its own.
  const now = flags.from ? isNow(flags.now) : (booleanOf('now', flags.now) ?? false);
  const policy = cascadePolicy(flags.cascade, warnings);
  if (now && gracePeriod !== -1) {
    throw usageError('--now and --grace-period cannot be specified together', [
      '--now is --grace-period=1: give one of them.',
    ]);
  }
  const gracePeriodSeconds = gracePeriodOf(now ? 1 : gracePeriod, flags.force ?? false);
  const dryRun = dryRunOf(flags['dry-run'], warnings);
  if (flags.force && gracePeriodSeconds !== undefined && gracePeriodSeconds > 0) {
    throw usageError('--force and --grace-period greater than 0 cannot be specified together', [
      'Leave one of them out.',
    ]);
  }
  if (flags.force && gracePeriodSeconds === 0) warnings.push(immediate);
  return {
    policy,
    gracePeriodSeconds,
    dryRun,
    ignoreNotFound: ignore ?? selects(flags),
    following,
    timeout,
    maxDeletes: flags['max-deletes'],
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
    didYouMean(cascade ?? '', ['background', 'foreground', 'orphan']),
  );
}

function cascadePolicy(cascade: string | undefined, warnings: string[]): PropagationPolicy {
  if (cascade === undefined) return 'Background';
  const policy = cascadePolicies.get(cascade);
  if (policy) return policy;
  const bool = parseGoBool(cascade);
  if (bool === undefined) throw invalidCascade(cascade);
  const instead = bool ? 'background' : 'orphan';
  warnings.push(`warning: ${deprecated('cascade', cascade, instead)}`);
  return bool ? 'Background' : 'Orphan';
}

function followingOf(wait: string | undefined): FollowMode {
  if (wait === undefined || wait === 'tree') return 'tree';
  if (wait === 'object') return 'object';
  return booleanOf('wait', wait) ? 'tree' : 'none';
}

function booleanOf(flag: string, text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : parseBool(flag, text);
}

/** Milliseconds; undefined waits on. */
function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = parseGoDuration(text);
  if (milliseconds === undefined) {
    throw usageError(`--timeout "${text}" is not a duration`, ['Write it as in 90s, 5m or 1h30m.']);
  }
  if (milliseconds < 0) {
    throw usageError('--timeout must not be negative', ['Give 0 to wait without a limit.']);
  }
  return milliseconds || undefined;
}

const formats: readonly Format[] = ['name', 'table', 'wide', 'json', 'yaml', 'svg', 'html'];

/** Refuses other values of `-o`, and a picture where no plan is shown. */
export function checkOutput(flags: DeleteFlags): void {
  const { output = '' } = flags;
  if (output !== '') formatOf(output, formats);
  const isPicture = output === 'svg' || output === 'html';
  if (!isPicture || wantsDocument(flags)) return;
  throw usageError(`-o ${output} shows what a deletion would do, and deletes nothing`, [
    'Add --preview or --compare.',
  ]);
}

/** Is a document asked for, instead of a deletion? */
export function wantsDocument(flags: DeleteFlags): boolean {
  const { output = '', preview, compare } = flags;
  const isDocument = output !== '' && output !== 'name';
  const rehearses = !['none', undefined].includes(flags['dry-run']);
  return (preview ?? false) || (compare ?? false) || (rehearses && isDocument);
}
