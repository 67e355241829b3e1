import * as Flags from '@oclif/core/flags';
import { usageError } from '../../errors.ts';
import { parseGoDuration } from '../../kube/go-syntax.ts';
import { didYouMean } from '../../kube/names.ts';
import { forecastControllers } from '../../output/documents/forecast.ts';
import {
  allNamespacesFlag,
  type CommonFlags,
  repeatable,
  selectorFlags,
  type ValuesOf,
} from './flags.ts';

export const forecastByDefault = '24h';

/** What a forecast is asked. */
export const forecastFlags = {
  'all-namespaces': allNamespacesFlag,
  ...selectorFlags,
  within: Flags.string({
    summary: `only what begins within this time, as in 30m or 7d; ${forecastByDefault} by default`,
    helpValue: 'DURATION',
  }),
  collector: Flags.string({
    summary: 'only these collectors, as in a,b; may be repeated',
    helpValue: 'ID',
    ...repeatable,
  }),
  settings: Flags.string({ summary: 'what runs in the cluster, as YAML' }),
  'kubelet-restart': Flags.string({
    helpGroup: 'WHAT IF',
    summary: 'kubelets start again after this time, and forget how long images were unused',
    helpValue: 'DURATION',
  }),
};

export type ForecastFlags = CommonFlags & ValuesOf<typeof forecastFlags>;

const day = 86_400_000;
/** Beyond it, the calendar of the clock ends. */
const longest = 100 * 365 * day;

/** `--within`: a duration as Go writes it, or whole days and weeks (`7d`, `2w`); in milliseconds. */
export function parseWithin(text: string, flag = '--within'): number {
  const [, amount, unit] = /^(\d+)([dw])$/.exec(text) ?? [];
  const within =
    amount === undefined ? parseGoDuration(text) : Number(amount) * (unit === 'w' ? 7 * day : day);
  if (within === undefined) {
    throw usageError(
      'invalid-duration',
      `${flag} "${text}" is not a duration`,
      'Write it as in 7d, 24h, 90m or 30s.',
    );
  }
  if (within < 0) {
    throw usageError(
      'invalid-duration',
      `${flag} "${text}" is before now`,
      "The cluster's audit log shows what was deleted in the past.",
    );
  }
  if (within <= longest) return within;
  throw usageError(
    'invalid-duration',
    `${flag} "${text}" is more than a hundred years`,
    'Give at most 876000h.',
  );
}

/** `--collector a,b --collector c`: three ids. */
export function givenControllers(values: readonly string[] | undefined): string[] | undefined {
  return values?.flatMap((value) => value.split(',').map((id) => id.trim()));
}

/** Which collectors `--collector` asks for. */
export function wantedControllers(ids: readonly string[] | undefined): (id: string) => boolean {
  if (ids === undefined) return () => true;
  for (const id of ids) {
    if (forecastControllers.includes(id)) continue;
    throw usageError(
      'unknown-collector',
      `--collector "${id}" is not a collector`,
      ...didYouMean(id, forecastControllers),
      `Collectors are: ${forecastControllers.join(', ')}.`,
    );
  }
  return (id) => ids.includes(id);
}
