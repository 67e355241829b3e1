import { parseThresholds } from './eviction-thresholds.ts';
import { formatGoDuration, parseGoDuration } from './go-duration.ts';
import { defaultKubeletSettings, type KubeletGcSettings } from './kubelet-settings.ts';

/** What a KubeletConfiguration says about garbage collection, and why a kubelet would not start with it. */
export interface CheckedKubeletConfiguration {
  /** The settings in force with it, defaults filled in; meaningless for fields with a problem. */
  readonly settings: KubeletGcSettings;
  /** Upstream's messages, in upstream's order. */
  readonly problems: readonly string[];
  /** What is allowed, but not what it may seem. */
  readonly remarks: readonly string[];
}

/**
 * Reads a KubeletConfiguration, from a file or as /configz shows it, with upstream's checks of the
 * fields that decide about images, containers and eviction (CFG-1, CFG-2, EV-1).
 */
export function validateKubeletConfiguration(value: unknown): CheckedKubeletConfiguration {
  const problems: string[] = [];
  const remarks: string[] = [];
  const fields = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push('a KubeletConfiguration is a mapping of fields');
  }
  const { apiVersion, kind } = fields;
  if (kind !== undefined && kind !== 'KubeletConfiguration') {
    problems.push(`no kind "${kind}" is registered for version "${apiVersion ?? ''}"`);
  } else if (apiVersion !== undefined && apiVersion !== 'kubelet.config.k8s.io/v1beta1') {
    problems.push(`no kind "KubeletConfiguration" is registered for version "${apiVersion}"`);
  }
  const integer = (field: string, fallback: number): number => {
    const given = fields[field];
    if (given === undefined || given === null) return fallback;
    if (Number.isInteger(given)) return given as number;
    problems.push(`${field}: ${JSON.stringify(given)} is not a whole number`);
    return fallback;
  };
  const duration = (field: string, fallback: number): number => {
    const given = fields[field];
    if (given === undefined || given === null) return fallback;
    const parsed = typeof given === 'string' ? parseGoDuration(given) : undefined;
    if (parsed === undefined) problems.push(durationFault(field, given));
    return parsed ?? fallback;
  };
  const statements = (field: string, fallback: Readonly<Record<string, string>>) => {
    const given = fields[field];
    if (given === undefined || given === null) return fallback;
    const entries = Object.entries(Object(given));
    if (typeof given === 'object' && entries.every(([, text]) => typeof text === 'string')) {
      return Object.fromEntries(entries) as Record<string, string>;
    }
    problems.push(`${field} is not a mapping of signals to thresholds`);
    return fallback;
  };

  const defaults = defaultKubeletSettings;
  const high = integer('imageGCHighThresholdPercent', defaults.images.highThresholdPercent);
  const low = integer('imageGCLowThresholdPercent', defaults.images.lowThresholdPercent);
  // 0 cannot be set: upstream takes it for unset.
  const minAge = duration('imageMinimumGCAge', 0) || defaults.images.minAge;
  const maxAge = duration('imageMaximumGCAge', defaults.images.maxAge);
  const nodeStatusMaxImages = integer('nodeStatusMaxImages', defaults.nodeStatusMaxImages);
  const images = {
    highThresholdPercent: high,
    lowThresholdPercent: low,
    minAge,
    maxAge,
  };
  problems.push(...imageProblems(images));
  if (nodeStatusMaxImages < -1) {
    problems.push(
      `invalid configuration: nodeStatusMaxImages (--node-status-max-images) ${nodeStatusMaxImages} must be -1 or greater`,
    );
  }
  const given = statements('evictionHard', defaults.evictionHard);
  const merges = fields.mergeDefaultEvictionSettings === true;
  const evictionHard = merges ? { ...defaults.evictionHard, ...given } : given;
  const evictionSoft = statements('evictionSoft', {});
  problems.push(...parseThresholds(evictionHard, 'hard').problems);
  problems.push(...parseThresholds(evictionSoft, 'soft').problems);
  const evictionSoftGracePeriod = statements('evictionSoftGracePeriod', {});
  problems.push(...gracePeriodProblems(evictionSoft, evictionSoftGracePeriod));
  const off = Object.keys(defaults.evictionHard).filter((signal) => !(signal in evictionHard));
  if (off.length > 0 && Object.keys(evictionHard).length > 0) {
    remarks.push(
      `evictionHard leaves out ${off.join(', ')}: their defaults are off, unless mergeDefaultEvictionSettings is true`,
    );
  }
  if (fields.imageMinimumGCAge === '0s' || fields.imageMinimumGCAge === '0') {
    remarks.push('imageMinimumGCAge 0 means the default of 2m');
  }
  if (high === 100 && maxAge === 0) {
    remarks.push(
      'imageGCHighThresholdPercent 100 without imageMaximumGCAge turns image garbage collection off; eviction still removes images',
    );
  }
  const settings = {
    images,
    containers: defaults.containers,
    evictionHard,
    evictionSoft,
    evictionSoftGracePeriod,
    nodeStatusMaxImages,
  };
  return { settings, problems, remarks };
}

/** What a kubelet says of thresholds and ages that it does not start with (CFG-2). */
export function imageProblems(policy: KubeletGcSettings['images']): string[] {
  const { highThresholdPercent: high, lowThresholdPercent: low, minAge, maxAge } = policy;
  const problems: string[] = [];
  const fault = (message: string) => problems.push(`invalid configuration: ${message}`);
  const highName = 'imageGCHighThresholdPercent (--image-gc-high-threshold)';
  const lowName = 'imageGCLowThresholdPercent (--image-gc-low-threshold)';
  if (high < 0 || high > 100) fault(`${highName} ${high} must be between 0 and 100, inclusive`);
  if (low < 0 || low > 100) fault(`${lowName} ${low} must be between 0 and 100, inclusive`);
  if (low >= high) fault(`${lowName} ${low} must be less than ${highName} ${high}`);
  const [min, max] = [formatGoDuration(minAge), formatGoDuration(maxAge)];
  if (minAge < 0) fault(`imageMinimumGCAge ${min} must not be negative`);
  if (maxAge < 0) fault(`imageMaximumGCAge ${max} must not be negative`);
  if (maxAge > 0 && maxAge <= minAge) {
    fault(`imageMaximumGCAge ${max} must be greater than imageMinimumGCAge ${min}`);
  }
  return problems;
}

function gracePeriodProblems(
  soft: Readonly<Record<string, string>>,
  periods: Readonly<Record<string, string>>,
): string[] {
  return Object.keys(soft)
    .filter((signal) => periods[signal] === undefined)
    .map((signal) => `grace period must be specified for the soft eviction threshold ${signal}`);
}

/** Go's words, with what people usually meant. */
function durationFault(field: string, given: unknown): string {
  const written = JSON.stringify(given);
  if (typeof given !== 'string') return `${field}: ${written} is not a duration in quotes`;
  const unit = /^[\d.]+([a-z]+)/.exec(given)?.[1];
  if (unit === undefined) return `${field}: time: invalid duration ${written}`;
  const bad = /(?:^|\d)([a-zA-Z]+)/g;
  for (const [, found = ''] of given.matchAll(bad)) {
    if (!/^(ns|us|µs|ms|s|m|h)$/.test(found)) {
      const days = found === 'd' ? '; there are no days: 72h is three of them' : '';
      return `${field}: time: unknown unit ${JSON.stringify(found)} in duration ${written}${days}`;
    }
  }
  return `${field}: time: invalid duration ${written}`;
}
