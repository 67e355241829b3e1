import { usageError } from '../../errors.ts';
import { featureGates } from '../../settings/effective/feature-gates.ts';
import { settingsTable } from '../../settings/effective/settings-table.ts';
import { nearestCollector } from '../forecast-flags.ts';

/** Refuses collectors that no setting is about. */
export function checkCollector(id: string | undefined): void {
  if (id === undefined) return;
  const all = [...Object.values(settingsTable).flat(), ...featureGates];
  const known = new Set(all.flatMap(({ collectors }) => collectors));
  known.delete('all');
  if (known.has(id)) return;
  throw usageError(
    'unknown-collector',
    `no setting is about a collector "${id}"`,
    ...nearestCollector(id, [...known]),
    `Collectors with settings are: ${[...known].sort().join(', ')}.`,
  );
}
