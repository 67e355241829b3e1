import { usageError } from '../../errors.ts';
import { didYouMean } from '../../kube/names.ts';
import { day, humanDuration } from '../../kube/time.ts';
import { forecastControllers } from '../../questions/forecast/document.ts';
import { parseWithin, repeatedFlag, textFlag } from './flag-kinds.ts';
import { type CommonFlags, settingsFlag, type ValuesOf, wholeScopeFlags } from './flags.ts';

/** How far a forecast looks where no time is given. */
export const forecastByDefault = humanDuration(day / 1000);

export const forecastFlags = {
  ...wholeScopeFlags,
  within: textFlag(
    'DURATION',
    `only what begins within this time, as in 30m or 7d; ${forecastByDefault} by default`,
  ),
  collector: repeatedFlag('ID', 'only these collectors, as in a,b', { delimiter: ',' }),
  settings: settingsFlag,
};

export type ForecastFlags = CommonFlags & ValuesOf<typeof forecastFlags>;

/** In milliseconds, how far `--within` looks. */
export function withinOf({ within }: Pick<ForecastFlags, 'within'>): number {
  return within === undefined ? day : parseWithin(within);
}

/** Which collectors `--collector` asks for. */
export function wantedControllers(ids: readonly string[] | undefined): (id: string) => boolean {
  if (ids === undefined) return () => true;
  for (const id of ids) {
    if (forecastControllers.includes(id)) continue;
    const [near] = didYouMean(id, forecastControllers);
    throw usageError(`--collector: unknown controller "${id}"`, [
      near ?? `Controllers are: ${forecastControllers.join(', ')}.`,
    ]);
  }
  return (id) => ids.includes(id);
}
