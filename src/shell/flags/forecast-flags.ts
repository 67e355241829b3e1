import * as Flags from '@oclif/core/flags';
import { usageError } from '../../errors.ts';
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
  settings: Flags.string({ helpValue: 'FILE', summary: "the controllers' settings, as YAML" }),
};

export type ForecastFlags = CommonFlags & ValuesOf<typeof forecastFlags>;

/** `--collector a,b --collector c`: three ids. */
export function givenControllers(values: readonly string[] | undefined): string[] | undefined {
  return values?.flatMap((value) => value.split(',').map((id) => id.trim()));
}

/** Which collectors `--collector` asks for. */
export function wantedControllers(ids: readonly string[] | undefined): (id: string) => boolean {
  if (ids === undefined) return () => true;
  for (const id of ids) {
    if (forecastControllers.includes(id)) continue;
    throw usageError(`--collector "${id}" is not a collector`, [
      ...didYouMean(id, forecastControllers),
      `Collectors are: ${forecastControllers.join(', ')}.`,
    ]);
  }
  return (id) => ids.includes(id);
}
