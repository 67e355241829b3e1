import { stacked } from '../../output/fit-text.ts';
import { paints, type RenderOptions } from '../../output/style.ts';
import { type Column, renderItems } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import { forecastTime } from '../forecast/when.ts';
import type { PodGcItem, PodGcPreview } from './document.ts';

export const podGcAnswer = {
  tableOf: podGcTable,
} satisfies Answer<PodGcPreview>;

/** What is deleted, then what is skipped, then what is unknown, then what a threshold of one's own would delete. */
export function podGcTable(
  { items, waiting, unknown, ownThreshold }: PodGcPreview,
  options: RenderOptions,
): string {
  return stacked([
    renderItems(items, podColumns, options),
    renderItems(waiting, otherColumns('SKIPPED'), options),
    renderItems(unknown, otherColumns('UNKNOWN'), options),
    renderItems(ownThreshold?.items ?? [], otherColumns('ABOVE YOUR THRESHOLD'), options),
  ]);
}

const podColumns: readonly Column<PodGcItem>[] = [
  ['ORDER', ({ order }) => `${order}`],
  ['NAMESPACE', ({ object }) => object.namespace],
  ['POD', ({ object }) => object.name],
  ['PHASE', phaseCell],
  [
    'WHEN',
    (item, { now }) => ({
      text: item.refused === undefined ? passOf(item, now) : 'refused',
      paint: paints[item.confidence],
    }),
  ],
  ['STEP', ({ step }) => step, 'wide'],
  ['NODE', ({ node }) => node, 'wide'],
  ['UID', ({ object }) => object.uid, 'wide'],
  ['RULE', ({ rule }) => rule, 'wide'],
  [
    'REASON',
    ({ because, refused }) => (refused === undefined ? because : `${because}; refused: ${refused}`),
  ],
];

function otherColumns(header: string): Column<Pick<PodGcItem, 'object' | 'phase' | 'because'>>[] {
  return [
    ['NAMESPACE', ({ object }) => object.namespace],
    [header, ({ object }) => object.name],
    ['PHASE', ({ phase }) => phase],
    ['REASON', ({ because }) => because],
  ];
}

/** A pod that has not ended is marked Failed first. */
function phaseCell({ phase, patch }: PodGcItem): string {
  return patch ? `${phase || 'none'} → Failed` : phase;
}

/** What has no latest time may not happen at all. */
function passOf({ notBefore, notAfter, confidence }: PodGcItem, now: number): string {
  const isOpen = notAfter === undefined;
  return forecastTime(
    { notBefore, ...(!isOpen && { notAfter }), confidence: isOpen ? 'unknown' : confidence },
    now,
  );
}
