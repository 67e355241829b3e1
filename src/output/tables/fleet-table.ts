import type { ClusterAnswer, FleetReport } from '../documents/fleet.ts';
import type { RenderOptions } from '../style.ts';
import { stacked, type Text } from '../text.ts';
import { type Column, renderItems } from './table.ts';

const columns: readonly Column<ClusterAnswer>[] = [
  ['NOT READ', ({ context }) => context],
  ['SERVER', ({ server }) => server ?? ''],
  ['REASON', ({ failure }) => failure?.message ?? ''],
];

/** What the clusters answered, and below it those that did not. */
export function fleetTable(
  { clusters }: FleetReport,
  answered: string | Text,
  options: RenderOptions,
): Text {
  const unread = clusters.filter(({ status }) => status === 'not-read');
  return stacked([answered, renderItems(unread, columns, { ...options, labels: undefined })]);
}
