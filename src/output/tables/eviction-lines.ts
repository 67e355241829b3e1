import { humanDuration } from '../../kube/time.ts';
import { formatSize } from '../../kubelet/images/disk-usage.ts';
import type { EvictionThresholdReport } from '../documents/nodes/node-document.ts';
import type { Column } from './table.ts';

const fates = {
  removed: { text: 'will be removed', paint: 'red' },
  'may-be-removed': { text: 'may be removed', paint: 'yellow' },
  kept: { text: 'stays', paint: 'green' },
} as const;

/** What becomes of an image or a container: nothing has happened yet. */
export const fateColumn: Column<{ readonly fate: keyof typeof fates }> = [
  'RESULT',
  ({ fate }) => fates[fate],
];

/** The thresholds of the eviction manager that make it reclaim disk, one a line. */
export function evictionLines(
  thresholds: readonly EvictionThresholdReport[],
  outcome: string,
): string[] {
  const disk = thresholds.filter(
    ({ signal, reclaims }) => reclaims.length > 0 && !signal.startsWith('containerfs'),
  );
  const met = disk.filter((threshold) => threshold.met === true);
  const state = met.length > 0 ? 'below a threshold now' : 'at its thresholds';
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
