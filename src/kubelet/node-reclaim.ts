import type { EvictionSignal, EvictionThreshold } from './eviction-thresholds.ts';

/** Which of the node's filesystem, the images' and the containers' are one. */
export type DiskLayout = 'one-filesystem' | 'separate-imagefs' | 'split-imagefs';

export type Reclaim = 'delete-all-containers' | 'delete-unused-images';

/** What the eviction manager tries before it evicts a pod, in order (EV-2). */
export function reclaimsFor(signal: EvictionSignal, layout: DiskLayout): readonly Reclaim[] {
  const [disk] = signal.split('.');
  if (disk !== 'nodefs' && disk !== 'imagefs' && disk !== 'containerfs') return [];
  if (layout === 'split-imagefs') {
    return disk === 'imagefs' ? ['delete-unused-images'] : ['delete-all-containers'];
  }
  if (layout === 'separate-imagefs' && disk === 'nodefs') return [];
  return ['delete-all-containers', 'delete-unused-images'];
}

/**
 * The containers' filesystem has the thresholds of the disk that it lies on; its own are ignored.
 * Hard and soft ones both.
 */
export function withContainerFs(
  thresholds: readonly EvictionThreshold[],
  layout: DiskLayout,
): EvictionThreshold[] {
  const others = thresholds.filter(({ signal }) => !signal.startsWith('containerfs.'));
  const disk = layout === 'separate-imagefs' ? 'imagefs.' : 'nodefs.';
  const copies = others
    .filter(({ signal }) => signal.startsWith(disk))
    .map((threshold) => ({
      ...threshold,
      signal: threshold.signal.replace(disk, 'containerfs.') as EvictionSignal,
    }));
  return [...others, ...copies];
}
