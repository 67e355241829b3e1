import { parseGoDuration } from './go-duration.ts';
import { parseQuantity } from './quantity.ts';

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
export type EvictionSignal = (typeof evictionSignals)[number];

/** What the kubelet does without settings on Linux (EV-1). */
export const defaultEvictionHard: Readonly<Record<string, string>> = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

export interface EvictionThreshold {
  readonly signal: EvictionSignal;
  /** As it was written: `15%`, `1Gi`. */
  readonly written: string;
  readonly kind: 'hard' | 'soft';
  /** Bytes or inodes; a share of the capacity for percentages. */
  readonly value: { readonly quantity: number } | { readonly share: number };
}

export interface ParsedThresholds {
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
    const percent = written.replace(/%+$/, '');
    const share = shareOf(percent);
    if (Number.isNaN(share)) {
      return `strconv.ParseFloat: parsing ${JSON.stringify(percent)}: invalid syntax`;
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
  const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(percent) ? Number(percent) : NaN;
  return Math.fround(Math.fround(number) / 100);
}

/** What a signal measures: bytes, inodes or processes. */
export interface Observation {
  readonly available: number;
  readonly capacity: number;
}

export type Observations = Readonly<Partial<Record<EvictionSignal, Observation>>>;

/** The threshold in the unit of its signal. */
export function thresholdValue({ value }: EvictionThreshold, capacity: number): number {
  return 'quantity' in value ? value.quantity : Math.trunc(capacity * value.share);
}

/** Strictly less than the threshold is available (EV-2); undefined: the signal is not observed. */
export function isMet(
  threshold: EvictionThreshold,
  observations: Observations,
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
