import type { PodGcItem, PodGcPreview } from '../documents/podgc-preview.ts';
import { stacked } from '../fit-text.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { type Column, renderItems } from '../tables/table.ts';
import { type Answer, distinctNames } from './answer.ts';
import { forecastTime } from './forecast.ts';

export const podGcPreviewAnswer = {
  table: podGcPreviewTable,
  names: ({ items }) => distinctNames(items),
} satisfies Answer<PodGcPreview>;

/** What is deleted, then what is left alone, then what is unknown, then what a threshold of one's own would delete. */
function podGcPreviewTable(
  { items, waiting, unknown, ownThreshold }: PodGcPreview,
  options: RenderOptions,
  wide: boolean,
): string {
  return stacked([
    itemsTable(items, options, wide),
    otherTable('LEFT ALONE', waiting, options),
    otherTable('UNKNOWN', unknown, options),
    otherTable('ABOVE YOUR THRESHOLD', ownThreshold?.items ?? [], options),
  ]);
}

function itemsTable(items: readonly PodGcItem[], options: RenderOptions, wide: boolean): string {
  const style = styleOf(options);
  const columns: Column<PodGcItem>[] = [
    ['ORDER', ({ order }) => `${order}`],
    ['NAMESPACE', ({ object }) => object.namespace],
    ['POD', ({ object }) => object.name],
    ['PHASE', phaseOf],
    [
      'WHEN',
      (item) => ({ text: whenOf(item, options.now), paint: paintOf(style, item.confidence) }),
    ],
    ['STEP', ({ step }) => step, 'wide'],
    ['NODE', ({ node }) => node, 'wide'],
    ['UID', ({ object }) => object.uid, 'wide'],
    ['RULE', ({ rule }) => rule, 'wide'],
    ['REASON', ({ because }) => because],
  ];
  return renderItems(items, columns, options, wide);
}

/** A pod that has not ended is marked Failed first. */
function phaseOf({ phase, patch }: PodGcItem): string {
  return patch ? `${phase || 'none'} → Failed` : phase;
}

/** What has no latest time may not happen at all. */
function whenOf({ notBefore, notAfter, confidence }: PodGcItem, now: number): string {
  const isOpen = notAfter === undefined;
  return forecastTime(
    { notBefore, ...(!isOpen && { notAfter }), confidence: isOpen ? 'unknown' : confidence },
    now,
  );
}

function otherTable(
  header: string,
  pods: readonly Pick<PodGcItem, 'object' | 'phase' | 'because'>[],
  options: RenderOptions,
): string {
  const columns: Column<(typeof pods)[number]>[] = [
    ['NAMESPACE', ({ object }) => object.namespace],
    [header, ({ object }) => object.name],
    ['PHASE', ({ phase }) => phase],
    ['REASON', ({ because }) => because],
  ];
  return renderItems(pods, columns, options);
}
