import type { ImageGcPolicy } from '../node-facts.ts';
import { formatSize } from './disk-usage.ts';

/** How often the kubelet looks for images to remove, in milliseconds (IMG-1). */
export const imageGcPeriod = 5 * 60_000;

/** An image as seen from outside; the kubelet's memory cannot be read (VIS-1). */
export interface SeenImage {
  readonly size: number;
  readonly pinned: boolean;
  readonly inUse: boolean;
  /** Something that was not read may keep it: a pin, a volume, a dead container of a deleted pod. */
  readonly doubtful: boolean;
  /** Epoch milliseconds; `never`: the kubelet saw no container of it; undefined: not known. */
  readonly lastUsed: number | 'never' | undefined;
  /** Epoch milliseconds; undefined: not known, and taken to be older than the minimum age. */
  readonly firstDetected: number | undefined;
}

/** Does the kubelet run image passes at all (IMG-2)? Eviction removes images either way. */
export function imageGcRuns({ highThresholdPercent, maxAge }: ImageGcPolicy): boolean {
  return highThresholdPercent !== 100 || maxAge !== 0;
}

/** What the kubelet writes on the Node when it could not free enough (IMG-13). */
export function shortfallMessage(usage: number, capacity: number, freed: number): string {
  return [
    `Insufficient free disk space on the node's image filesystem (${usage}% of ${formatSize(capacity)} used).`,
    `Failed to free sufficient space by deleting unused images (freed ${freed} bytes).`,
    'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.',
  ].join(' ');
}
