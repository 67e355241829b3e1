import type { ClusterAnswer, FleetReport } from '../documents/fleet.ts';
import type { RenderOptions } from '../style.ts';
import { type Column, renderItems } from './table.ts';

const columns: readonly Column<ClusterAnswer>[] = [
  ['NOT READ', ({ context }) => context],
  ['SERVER', ({ server }) => server ?? ''],
  ['REASON', ({ failure }) => failure?.message ?? ''],
];

/** What the clusters answered, and below it those that did not. */
export function fleetTable(
  { clusters }: FleetReport,
  answered: string,
  options: RenderOptions,
): string {
  const unread = clusters.filter(({ status }) => status === 'not-read');
  return [answered, renderItems(unread, columns, { ...options, labels: undefined })]
    .filter((table) => table !== '')
    .join('\n');
}
