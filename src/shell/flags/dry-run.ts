import { usageError } from '../../errors.ts';
import { didYouMean } from '../../kube/names.ts';
import { parseGoBool } from '../../syntax/go-syntax.ts';
import { textFlag } from './flag-kinds.ts';

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
