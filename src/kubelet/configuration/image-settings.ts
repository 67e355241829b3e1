import { formatGoDuration, parseGoDuration } from '../../kube/go-syntax.ts';
import { type Json, numberOf, textOf } from '../../kube/json-value.ts';
import type { ImageGcPolicy } from '../images/image-policy.ts';
import { defaultKubeletSettings } from './kubelet-settings.ts';

const { images: defaults } = defaultKubeletSettings;

/** The settings of image garbage collection in a KubeletConfiguration. 0 cannot be set as minimum age. */
export function imagePolicyIn(fields: Json): ImageGcPolicy {
  const age = (name: string) => parseGoDuration(textOf(fields[name]) ?? '');
  return {
    highThresholdPercent:
      numberOf(fields.imageGCHighThresholdPercent) ?? defaults.highThresholdPercent,
    lowThresholdPercent:
      numberOf(fields.imageGCLowThresholdPercent) ?? defaults.lowThresholdPercent,
    minAge: age('imageMinimumGCAge') || defaults.minAge,
    maxAge: age('imageMaximumGCAge') ?? defaults.maxAge,
  };
}

/** What a kubelet says of thresholds and ages that it does not start with (CFG-2). */
export function imageProblems(policy: ImageGcPolicy): string[] {
  const { highThresholdPercent: high, lowThresholdPercent: low, minAge, maxAge } = policy;
  const problems: string[] = [];
  const highName = 'imageGCHighThresholdPercent (--image-gc-high-threshold)';
  const lowName = 'imageGCLowThresholdPercent (--image-gc-low-threshold)';
  const isPercent = (value: number) => value >= 0 && value <= 100;
  if (!isPercent(high)) problems.push(`${highName} ${high} must be between 0 and 100, inclusive`);
  if (!isPercent(low)) problems.push(`${lowName} ${low} must be between 0 and 100, inclusive`);
  if (low >= high) problems.push(`${lowName} ${low} must be less than ${highName} ${high}`);
  const [min, max] = [formatGoDuration(minAge), formatGoDuration(maxAge)];
  if (minAge < 0) problems.push(`imageMinimumGCAge ${min} must not be negative`);
  if (maxAge < 0) problems.push(`imageMaximumGCAge ${max} must not be negative`);
  if (maxAge > 0 && maxAge <= minAge) {
    problems.push(`imageMaximumGCAge ${max} must be greater than imageMinimumGCAge ${min}`);
  }
  return problems.map((problem) => `invalid configuration: ${problem}`);
}
