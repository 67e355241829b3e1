/** A filesystem as the kubelet measures it, in bytes. */
export interface Disk {
  readonly capacity: number;
  readonly available: number;
}

/** The values that the kubelet uses: a missing value counts as 0, and free space is limited to the capacity (IMG-10). */
export function diskOf(
  capacity: number | undefined,
  available: number | undefined,
): Disk | undefined {
  const whole = capacity ?? 0;
  return whole === 0 ? undefined : { capacity: whole, available: Math.min(available ?? 0, whole) };
}

/** Percent in use, rounded up as the kubelet does (IMG-10). */
export function usagePercent({ capacity, available }: Disk): number {
  return 100 - Number((BigInt(available) * 100n) / BigInt(capacity));
}

/** Bytes from here down to the low threshold (IMG-11); not positive when that is reached already. */
export function bytesToFree({ capacity, available }: Disk, lowThresholdPercent: number): number {
  const free = (BigInt(capacity) * BigInt(100 - lowThresholdPercent)) / 100n;
  return Number(free) - available;
}

/** A pass starts when less than this many bytes are available: the high threshold with its rounding. */
export function triggerBytes(capacity: number, highThresholdPercent: number): number {
  // usage >= high, while available * 100 / capacity rounded down is at most 100 - high.
  const percent = BigInt(100 - highThresholdPercent + 1);
  return Number((BigInt(capacity) * percent + 99n) / 100n);
}

const units = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes as the kubelet's messages write them: `512 B`, `10.0 GiB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size.toFixed(1)} ${units[unit]}`;
}
