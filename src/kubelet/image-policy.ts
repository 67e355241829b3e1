import type { ImageGcPolicy } from './image-record.ts';

/** What the image manager refuses to start with, in upstream's words (CFG-3); undefined: nothing. */
export function imagePolicyFault(policy: ImageGcPolicy): string | undefined {
  const { highThresholdPercent: high, lowThresholdPercent: low } = policy;
  if (high < 0 || high > 100) {
    return `invalid HighThresholdPercent ${high}, must be in range [0-100]`;
  }
  if (low < 0 || low > 100) return `invalid LowThresholdPercent ${low}, must be in range [0-100]`;
  if (low > high) {
    return `LowThresholdPercent ${low} can not be higher than HighThresholdPercent ${high}`;
  }
  return undefined;
}

/** Does the kubelet run image passes at all (IMG-2)? Eviction removes images either way. */
export function imageGcRuns({ highThresholdPercent, maxAge }: ImageGcPolicy): boolean {
  return highThresholdPercent !== 100 || maxAge !== 0;
}
