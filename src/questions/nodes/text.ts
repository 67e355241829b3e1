import { counted } from '../../kube/counts-by-kind.ts';
import { age, humanDuration } from '../../kube/time.ts';
import { formatSize } from '../../kubelet/images/disk-usage.ts';
import type { ImageRange } from '../../kubelet/images/image-forecast.ts';
import type { NodeReport } from '../../kubelet/node-facts.ts';
import { printable } from '../../output/printable.ts';
import type { RenderOptions } from '../../output/style.ts';
import {
  groupingsBy,
  onOneScreen,
  type ScreenTable,
  sectionsOnScreen,
} from '../../output/tables/one-screen.ts';
import type { Column } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import type {
  ContainerCounts,
  ContainerSettings,
  ContainersReport,
  NodeContainers,
} from './containers.ts';
import type {
  ImagePassReport,
  ImageSettings,
  ImagesReport,
  NodeImageItem,
  NodeImages,
} from './images.ts';
import { type EvictionThresholdReport, sandboxReasonsInWords } from './node-document.ts';

export const nodesAnswer = {
  tableOf: nodesTable,
} satisfies Answer<ImagesReport | ContainersReport>;

/** Each node: its disk or its limits, what the next pass does, then the images, or containers and sandboxes. */
export function nodesTable(
  report: ImagesReport | ContainersReport,
  options: RenderOptions,
): string {
  const texts =
    report.kind === 'Images'
      ? report.nodes.map((node) => imagesText(node, options))
      : report.nodes.map((node) => containersText(node, options));
  return texts.join('\n');
}

function imagesText(node: NodeImages, options: RenderOptions): string {
  const { pass, reports = [], remarks, eviction, images } = node;
  const lines = [
    `Node ${node.node}: the next pass ${passOutcome(pass)}`,
    ...diskLines(node, options),
    ...reports.map((report) => `  evidence: ${reportInWords(report, options.now)}`),
    `  next pass: ${passInWords(pass)}`,
    ...(pass.event ? [`  warning on the node: ${pass.event}`] : []),
    ...(options.wide ? evictionLines(eviction.thresholds, evictionOutcome(node)) : []),
  ];
  return sectionsOnScreen(
    [
      () => headText(lines, remarks),
      (most) => onOneScreen({ ...imageTable, items: images }, options, most),
    ],
    options,
  );
}

function containersText(node: NodeContainers, options: RenderOptions): string {
  const { settings, counts, eviction, remarks, containers, sandboxes } = node;
  const outcome = `deleting all unused containers removes ${countsInWords(eviction.counts)}`;
  const deleting = eviction.thresholds.filter(({ reclaims }) =>
    reclaims.includes('delete-all-containers'),
  );
  const lines = [
    `Node ${node.node}: the next pass removes ${countsInWords(counts)}`,
    `  limits: ${limitsInWords(settings)}`,
    ...(options.wide ? evictionLines(deleting, outcome) : []),
  ];
  return sectionsOnScreen(
    [
      () => headText(lines, remarks),
      (most) => onOneScreen({ ...containerTable, items: containers }, options, most),
      (most) => onOneScreen({ ...sandboxTable, items: sandboxes }, options, most),
    ],
    options,
  );
}

function headText(lines: readonly string[], remarks: readonly string[]): string {
  const all = [...lines, ...remarks.map((remark) => `  note: ${remark}`)];
  return `${all.map(printable).join('\n')}\n`;
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
  const thresholdsLine = `  thresholds: ${thresholdsInWords(settings)}; a pass frees space below ${formatSize(triggersBelowBytes)} available`;
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

function thresholdsInWords(settings: ImageSettings): string {
  const { highThresholdPercent, lowThresholdPercent } = settings;
  const most = settings.maximumAgeSeconds;
  return [
    `high ${highThresholdPercent}%`,
    `low ${lowThresholdPercent}%`,
    `minimum age ${humanDuration(settings.minimumAgeSeconds)}`,
    `maximum age ${most === 0 ? 'off' : humanDuration(most)}`,
  ].join(', ');
}

function limitsInWords(settings: ContainerSettings): string {
  const { minimumAgeSeconds, maxPerPodContainer: each, maxContainers: all } = settings;
  const limit = (value: number) => (value < 0 ? 'any number' : String(value));
  return `${limit(each)} dead of each container, ${limit(all)} on the node, minimum age ${humanDuration(minimumAgeSeconds)}`;
}

function passInWords(pass: ImagePassReport): string {
  const { triggered, because, bytesToFree, removedImages, freedBytes, after } = pass;
  if (removedImages.most === 0) return `removes nothing: ${because}`;
  const verb = triggered === 'unknown' ? 'may remove' : 'removes';
  const aim = bytesToFree === undefined ? '' : ` to free ${formatSize(Math.max(0, bytesToFree))}`;
  const result = after ? `; then ${rangeOf(after.usedPercent, String)}% is used` : '';
  return `${verb} ${countIn(removedImages, 'image')} (${rangeOf(freedBytes, formatSize)})${aim}: ${because}${result}`;
}

/** `removes 3 images and frees 1.2 GiB` */
function passOutcome({ triggered, removedImages, freedBytes }: ImagePassReport): string {
  if (removedImages.most === 0) return 'removes nothing';
  const [removes, frees] = triggered === 'unknown' ? ['may remove', 'free'] : ['removes', 'frees'];
  return `${removes} ${countIn(removedImages, 'image')} and ${frees} ${rangeOf(freedBytes, formatSize)}`;
}

function countsInWords({ containers, sandboxes }: ContainerCounts): string {
  return `${countIn(containers, 'container')} and ${countIn(sandboxes, 'sandbox')}`;
}

/** `3 images`, `1 to 2 images` */
function countIn({ least, most }: ImageRange, what: string): string {
  return `${least === most ? '' : `${least} to `}${counted(most, what)}`;
}

function rangeOf({ least, most }: ImageRange, write: (value: number) => string): string {
  return least === most ? write(least) : `${write(least)} to ${write(most)}`;
}

function evictionOutcome({ eviction }: NodeImages): string {
  const { unusedImages, unusedBytes, reclaims } = eviction;
  const all = reclaims.includes('delete-all-containers') ? 'all unused containers, then ' : '';
  return `deleting ${all}unused images removes ${counted(unusedImages, 'image')} (${formatSize(unusedBytes)})`;
}

/** The thresholds of the eviction manager that make it reclaim disk, one a line. */
function evictionLines(thresholds: readonly EvictionThresholdReport[], outcome: string): string[] {
  const disk = thresholds.filter(
    ({ signal, reclaims }) => reclaims.length > 0 && !signal.startsWith('containerfs'),
  );
  const isMet = disk.some(({ met }) => met === true);
  const state = isMet ? 'below a threshold now' : 'at its thresholds';
  const lines = disk.map((threshold) => `    ${thresholdInWords(threshold)}`);
  return lines.length === 0 ? [] : [`  eviction, ${state}: ${outcome}`, ...lines];
}

function thresholdInWords(threshold: EvictionThresholdReport): string {
  const { signal, kind, threshold: written, value, available, met, reclaims } = threshold;
  const { graceSeconds } = threshold;
  const count = signal.endsWith('inodesFree') ? String : formatSize;
  const limit = value === undefined ? written : `${written} (${count(value)})`;
  const now = available === undefined ? 'not measured' : `${count(available)} now`;
  const soft =
    kind !== 'soft'
      ? ''
      : ` after its grace period${graceSeconds === undefined ? '' : ` of ${humanDuration(graceSeconds)}`}`;
  const words = reclaims.map((reclaim) => reclaim.replaceAll('-', ' ')).join(', then ');
  return `${signal} below ${limit}: ${now}${met ? ', MET' : ''}; ${words}${soft}`;
}

/** What becomes of an image or a container: nothing has happened yet. */
const fates = {
  removed: { text: 'will be removed', paint: 'red' },
  'may-be-removed': { text: 'may be removed', paint: 'yellow' },
  kept: { text: 'stays', paint: 'green' },
} as const;

const fateColumn: Column<{ readonly fate: keyof typeof fates }> = [
  'RESULT',
  ({ fate }) => fates[fate],
];

const imageColumns: readonly Column<NodeImageItem>[] = [
  ['IMAGE', ({ names }) => names[0] ?? '<untagged>'],
  ['SIZE', ({ sizeBytes }) => formatSize(sizeBytes)],
  fateColumn,
  ['ID', ({ id }) => id ?? '', 'wide'],
  ['RULE', ({ rule }) => rule, 'wide'],
  ['REASON', ({ because }) => because],
];

const containerColumns: readonly Column<NodeContainers['containers'][number]>[] = [
  ['CONTAINER', ({ name }) => name],
  ['POD', ({ pod }) => pod || '<unknown>'],
  ['STATE', ({ state }) => state],
  ['AGE', ({ createdAt }, { now }) => age(createdAt, now)],
  fateColumn,
  ['ID', shownId],
  ['POD UID', ({ podUid }) => podUid, 'wide'],
  ['RULE', ({ rule }) => rule, 'wide'],
  ['REASON', ({ because }) => because],
];

const sandboxColumns: readonly Column<NodeContainers['sandboxes'][number]>[] = [
  ['SANDBOX', shownId],
  ['POD', ({ pod }) => pod || '<unknown>'],
  ['STATE', ({ ready }) => (ready ? 'ready' : 'not ready')],
  ['AGE', ({ createdAt }, { now }) => age(createdAt, now)],
  fateColumn,
  ['REASON', ({ reason }) => sandboxReasonsInWords[reason]],
];

const imageTable: Omit<ScreenTable<NodeImageItem>, 'items'> = {
  columns: imageColumns,
  groupings: groupingsBy(
    ({ fate, because }) => `${fate} ${because}`,
    ({ fate }) => fate,
  ),
  noun: 'image',
  merged: {
    IMAGE: (some) => counted(some.length, 'image'),
    SIZE: (some) => formatSize(some.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)),
  },
};

const containerTable: Omit<ScreenTable<NodeContainers['containers'][number]>, 'items'> = {
  columns: containerColumns,
  groupings: groupingsBy(
    ({ fate, state, because }) => `${fate} ${state} ${because}`,
    ({ fate }) => fate,
  ),
  noun: 'container',
  merged: { CONTAINER: (some) => counted(some.length, 'container'), POD: podsInWords },
};

const sandboxTable: Omit<ScreenTable<NodeContainers['sandboxes'][number]>, 'items'> = {
  columns: sandboxColumns,
  groupings: groupingsBy(
    ({ fate, reason }) => `${fate} ${reason}`,
    ({ fate }) => fate,
  ),
  noun: 'sandbox',
  merged: { SANDBOX: (some) => counted(some.length, 'sandbox'), POD: podsInWords },
};

function podsInWords(some: readonly { readonly pod: string }[]): string {
  const [first = '', ...more] = new Set(some.map(({ pod }) => pod));
  return more.length > 0 ? counted(more.length + 1, 'Pod') : first;
}

function shownId({ id }: { readonly id: string }, { wide }: RenderOptions): string {
  return wide ? id : id.slice(0, 13);
}
