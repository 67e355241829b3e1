import * as Flags from '@oclif/core/flags';
import { usageError } from '../../errors.ts';
import { didYouMean } from '../../kube/names.ts';
import { day } from '../../kube/time.ts';
import { parseGoBool, parseGoDuration, parseGoInt } from '../../syntax/go-syntax.ts';

/** What a flag has besides its value and summary, which all have; oclif reads it. */
interface More {
  readonly char?: Letter;
  readonly options?: readonly string[];
  readonly dependsOn?: string[];
  readonly exclusive?: string[];
  /** The value it has when it stands alone, as kubectl's `--cascade` may; read by the argument normaliser. */
  readonly bare?: string;
  /** A flag that may stand alone takes a following word only when it is like this pattern. */
  readonly following?: string;
}

type Letter = NonNullable<NonNullable<Parameters<typeof Flags.boolean>[0]>['char']>;

/** A flag with one value, of which help says `value`. */
export function textFlag(value: string | undefined, summary: string, more: More = {}) {
  return Flags.string({ ...(value !== undefined && { helpValue: value }), summary, ...more });
}

/** A flag whose value is a whole number, written as pflag reads it, within limits where it has some. */
export function numberFlag(
  value: string,
  summary: string,
  limits: { readonly min?: number; readonly max?: number } = {},
) {
  const flag = Flags.integer({ helpValue: value, summary, ...limits });
  const parse: typeof flag.parse = (text, ...more) =>
    flag.parse(`${parseGoInt(text) ?? text}`, ...more);
  return { ...flag, parse };
}

/** A flag that may be given several times, each time with one value: help shows `VALUE...`. `delimiter`: or with several. */
export function repeatedFlag(
  value: string | undefined,
  summary: string,
  more: More & { readonly delimiter?: ',' } = {},
) {
  return Flags.string({
    ...(value !== undefined && { helpValue: value }),
    summary,
    multiple: true,
    multipleNonGreedy: true,
    ...more,
  });
}

export function booleanFlag(
  summary: string,
  more: Omit<More, 'options' | 'bare' | 'following'> = {},
) {
  return Flags.boolean({ summary, ...more });
}

/** A flag that needs a cluster: files cannot be watched, asked for their kubelets or changed. */
export function ofCluster<Flag extends { exclusive?: string[] }>(flag: Flag): Flag {
  return { ...flag, exclusive: ['from', ...(flag.exclusive ?? [])] };
}

/** These flags, in a part of the help of their own; `more`: what each of them has besides. */
export function flagsIn<All extends Readonly<Record<string, object>>>(
  helpGroup: string,
  flags: All,
  more: Pick<More, 'dependsOn'> = {},
): All {
  const entries = Object.entries(flags).map(([name, flag]) => [
    name,
    { ...flag, helpGroup, ...more },
  ]);
  return Object.fromEntries(entries);
}

const strategies = ['none', 'server', 'client'] as const;
export type DryRun = (typeof strategies)[number];

/** kubectl's `--dry-run`. `bare`: what it means without a value. */
export function dryRunFlag(
  summary: string,
  more: { readonly bare: string; readonly dependsOn?: string[] },
) {
  const following = `^(${strategies.join('|')})$`;
  return textFlag('none|client|server', summary, { ...more, following });
}

/** As GetDryRunStrategy of kubectl reads it; warnings are its own. */
export function dryRunOf(value: string | undefined, warnings: string[]): DryRun {
  if (value === undefined) return 'none';
  const strategy = strategies.find((one) => one === value);
  if (strategy) return strategy;
  if (value === 'unchanged') {
    warnings.push('Warning: --dry-run is deprecated and can be replaced with --dry-run=client.');
    return 'client';
  }
  const bool = parseGoBool(value);
  if (bool === undefined) {
    throw usageError(
      `Invalid dry-run value (${value}). Must be "none", "server", or "client".`,
      didYouMean(value, strategies),
    );
  }
  const instead = bool ? 'client' : 'none';
  warnings.push(`Warning: ${deprecated('dry-run', value, instead)}`);
  return instead;
}

export function deprecated(flag: string, value: string, instead: string): string {
  return `--${flag}=${value} is deprecated (boolean value) and can be replaced with --${flag}=${instead}.`;
}

/** Beyond it, the calendar of the clock ends. */
const longestRange = 100 * 365 * day;

/** `--within`: a duration as Go writes it, or whole days and weeks (`7d`, `2w`); in milliseconds. */
export function parseWithin(text: string, flag = '--within'): number {
  const [, amount, unit] = /^(\d+)([dw])$/.exec(text) ?? [];
  const within =
    amount === undefined ? parseGoDuration(text) : Number(amount) * (unit === 'w' ? 7 * day : day);
  if (within === undefined) {
    throw usageError(`${flag} "${text}" is not a duration`, [
      'Write it as in 7d, 24h, 90m or 30s.',
    ]);
  }
  if (within < 0) {
    throw usageError(`${flag} "${text}" is before now: this looks ahead`, [
      "The cluster's audit log shows what was deleted in the past.",
    ]);
  }
  if (within <= longestRange) return within;
  throw usageError(`${flag} "${text}" is more than a hundred years`, ['Give at most 876000h.']);
}
