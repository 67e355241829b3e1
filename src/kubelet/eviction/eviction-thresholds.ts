import { trimmedRight } from '../../kube/names.ts';
import {
  goSyntaxFault,
  parseGoDuration,
  parseGoFloat,
  parseQuantity,
} from '../../syntax/go-syntax.ts';

/** Signals that the eviction manager knows; all others are a start-up error. */
export const evictionSignals = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
] as const;
type EvictionSignal = (typeof evictionSignals)[number];

/** What the kubelet does without settings on Linux (EV-1). */
export const defaultEvictionHard: Readonly<Record<string, string>> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

interface EvictionThreshold {
  readonly signal: EvictionSignal;
  /** As it was written: `15%`, `1Gi`. */
  readonly written: string;
  readonly kind: 'hard' | 'soft';
  /** Bytes or inodes; a share of the capacity for percentages. */
  readonly value: { readonly quantity: number } | { readonly share: number };
}

interface ParsedThresholds {
  readonly thresholds: readonly EvictionThreshold[];
  /** Upstream's messages for what it refuses. */
  readonly problems: readonly string[];
}

/** Reads evictionHard or evictionSoft; `0%` and `100%` turn a signal off. */
export function parseThresholds(
  statements: Readonly<Record<string, string>>,
  kind: EvictionThreshold['kind'],
): ParsedThresholds {
  const thresholds: EvictionThreshold[] = [];
  const problems: string[] = [];
  for (const [name, written] of Object.entries(statements)) {
    const signal = evictionSignals.find((known) => known === name);
    if (signal === undefined) {
      problems.push(`unsupported eviction signal ${name}`);
      continue;
    }
    if (written === '0%' || written === '100%') continue;
    const value = thresholdOf(signal, written);
    if (typeof value === 'string') problems.push(value);
    else thresholds.push({ signal, written, kind, value });
  }
  return { thresholds, problems };
}

function thresholdOf(signal: string, written: string): EvictionThreshold['value'] | string {
  if (written.endsWith('%')) {
    const percent = trimmedRight(written, '%');
    const share = shareOf(percent);
    if (Number.isNaN(share)) {
      return goSyntaxFault('ParseFloat', percent);
    }
    if (share < 0) return `eviction percentage threshold ${signal} must be >= 0%: ${written}`;
    if (share > 1) return `eviction percentage threshold ${signal} must be <= 100%: ${written}`;
    return { share };
  }
  const quantity = parseQuantity(written);
  if (quantity === undefined) {
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  return quantity > 0 ? { quantity } : `eviction threshold ${signal} must be positive: ${written}`;
}

/** Upstream keeps shares as 32-bit floats. */
function shareOf(percent: string): number {
  return Math.fround(Math.fround(parseGoFloat(percent) ?? Number.NaN) / 100);
}

/** What a signal measures: bytes, inodes or processes. */
export interface SignalObservation {
  readonly available: number;
  readonly capacity: number;
}

export type SignalObservations = Readonly<Partial<Record<EvictionSignal, SignalObservation>>>;

/** The threshold in the unit of its signal. */
export function thresholdValue({ value }: EvictionThreshold, capacity: number): number {
  return 'quantity' in value ? value.quantity : Math.trunc(capacity * value.share);
}

/** Strictly less than the threshold is available (EV-2); undefined: the signal is not observed. */
export function isThresholdMet(
  threshold: EvictionThreshold,
  observations: SignalObservations,
): boolean | undefined {
  const observed = observations[threshold.signal];
  return observed && observed.available < thresholdValue(threshold, observed.capacity);
}

/** How long a soft threshold has to be met before anything is done, in milliseconds; undefined: not set. */
export function graceOf(
  signal: EvictionSignal,
  periods: { readonly evictionSoftGracePeriod: Readonly<Record<string, string>> },
): number | undefined {
  const written = periods.evictionSoftGracePeriod[signal];
  return written === undefined ? undefined : parseGoDuration(written);
}

/** Which of the node's, the images' and the containers' filesystems are the same. */
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
