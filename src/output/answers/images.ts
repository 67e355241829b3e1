import { counted } from '../../kube/counts-by-kind.ts';
import { age, humanDuration } from '../../kube/time.ts';
import { formatSize } from '../../kubelet/images/disk-usage.ts';
import type { ImageRange } from '../../kubelet/images/image-forecast.ts';
import type { NodeReport } from '../../kubelet/node-facts.ts';
import type { ImagePassReport } from '../documents/nodes/image-pass.ts';
import type {
  ImageSettings,
  ImagesReport,
  NodeImageItem,
  NodeImages,
} from '../documents/nodes/images.ts';
import { stacked } from '../fit-text.ts';
import { printable } from '../printable.ts';
import type { RenderOptions } from '../style.ts';
import { evictionLines, fateColumn } from '../tables/eviction-lines.ts';
import { type Column, renderItems } from '../tables/table.ts';
import type { Answer } from './answer.ts';

export const imagesAnswer = {
  table: imagesTable,
} satisfies Answer<ImagesReport>;

/** Each node: the disk, what the next pass does, the images. */
function imagesTable({ nodes }: ImagesReport, options: RenderOptions): string {
  return nodes.map((node) => nodeText(node, options)).join('\n');
}

function nodeText(node: NodeImages, options: RenderOptions): string {
  const { pass, reports = [], remarks, eviction, images } = node;
  const lines = [
    `Node ${node.node}: the next pass ${outcomeOf(pass)}`,
    ...diskLines(node, options),
    ...reports.map((report) => `  evidence: ${reportInWords(report, options.now)}`),
    `  next pass: ${passInWords(pass)}`,
    ...(pass.event ? [`  warning on the node: ${pass.event}`] : []),
    ...(options.wide ? evictionLines(eviction.thresholds, evictionOutcome(node)) : []),
    ...remarks.map((remark) => `  note: ${remark}`),
  ];
  return stacked([
    `${lines.map(printable).join('\n')}\n`,
    renderItems(images, imageColumns, options),
  ]);
}

function diskLines(
  { disk, reports = [], settings }: NodeImages,
  { wide }: RenderOptions,
): string[] {
  if (!disk) {
    return [
      reports.length === 0
        ? '  disk: not known'
        : '  disk: not known; this was reported of it, and may have changed since',
    ];
  }
  const { usedPercent, capacityBytes, availableBytes, triggersBelowBytes } = disk;
  const thresholdsLine = `  thresholds: ${settingsInWords(settings)}; a pass frees space below ${formatSize(triggersBelowBytes)} available`;
  return [
    `  disk: ${usedPercent}% of ${formatSize(capacityBytes)} used, ${formatSize(availableBytes)} available`,
    ...(wide ? [thresholdsLine] : []),
  ];
}

/** `DiskPressure since 4d ago, reported by the kubelet: kubelet has disk pressure` */
function reportInWords({ kind, name, time, message, reportedBy }: NodeReport, now: number): string {
  const ago = `${kind === 'Condition' ? 'since ' : ''}${age(time, now)} ago`;
  const when = time === '' ? 'at an unknown time' : ago;
  const by = reportedBy === 'kubelet' ? 'the kubelet' : reportedBy || 'an unknown program';
  return `${name} ${when}, reported by ${by}${message === '' ? '' : `: ${message}`}`;
}

function settingsInWords(settings: ImageSettings): string {
  const { highThresholdPercent, lowThresholdPercent } = settings;
  const most = settings.maximumAgeSeconds;
  return [
    `high ${highThresholdPercent}%`,
    `low ${lowThresholdPercent}%`,
    `minimum age ${humanDuration(settings.minimumAgeSeconds)}`,
    `maximum age ${most === 0 ? 'off' : humanDuration(most)}`,
  ].join(', ');
}

function passInWords(pass: ImagePassReport): string {
  const { triggered, because, bytesToFree, removedImages, freedBytes, after } = pass;
  if (removedImages.most === 0) return `removes nothing: ${because}`;
  const verb = triggered === 'unknown' ? 'may remove' : 'removes';
  const aim = bytesToFree === undefined ? '' : ` to free ${formatSize(Math.max(0, bytesToFree))}`;
  const result = after ? `; then ${rangeOf(after.usedPercent, String)}% is used` : '';
  return `${verb} ${imagesIn(removedImages)} (${rangeOf(freedBytes, formatSize)})${aim}: ${because}${result}`;
}

/** `removes 3 images and frees 1.2 GiB` */
function outcomeOf({ triggered, removedImages, freedBytes }: ImagePassReport): string {
  if (removedImages.most === 0) return 'removes nothing';
  const [removes, frees] = triggered === 'unknown' ? ['may remove', 'free'] : ['removes', 'frees'];
  return `${removes} ${imagesIn(removedImages)} and ${frees} ${rangeOf(freedBytes, formatSize)}`;
}

/** `3 images`, `1 to 2 images` */
function imagesIn({ least, most }: ImageRange): string {
  return least === most ? counted(most, 'image') : `${least} to ${counted(most, 'image')}`;
}

function rangeOf({ least, most }: ImageRange, write: (value: number) => string): string {
  return least === most ? write(least) : `${write(least)} to ${write(most)}`;
}

function evictionOutcome({ eviction }: NodeImages): string {
  const { unusedImages, unusedBytes, reclaims } = eviction;
  const all = reclaims.includes('delete-all-containers') ? 'all unused containers, then ' : '';
  return `deleting ${all}unused images removes ${counted(unusedImages, 'image')} (${formatSize(unusedBytes)})`;
}

const imageColumns: readonly Column<NodeImageItem>[] = [
  ['IMAGE', ({ names }) => names[0] ?? '<untagged>'],
  ['SIZE', ({ sizeBytes }) => formatSize(sizeBytes)],
  fateColumn,
  ['ID', ({ id }) => id ?? '', 'wide'],
  ['RULE', ({ rule }) => rule, 'wide'],
  ['REASON', ({ because }) => because],
];
