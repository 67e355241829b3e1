import { formatGoDuration, parseGoDuration } from '../../kube/go-syntax.ts';
import { fieldsOf } from '../../kube/json-value.ts';
import type { ImageGcPolicy } from '../images/image-policy.ts';
import { defaultKubeletSettings } from './kubelet-settings.ts';

type Rule = (values: ConfigurationValues) => string | false | readonly string[];

/**
 * Upstream's rules for a whole KubeletConfiguration, in its order and words; a configuration that
 * breaks none is accepted.
 */
export function configurationProblems(values: ConfigurationValues): string[] {
  return rules.flatMap((rule) => {
    const found = rule(values);
    if (found === false) return [];
    const all = typeof found === 'string' ? [found] : found;
    return all.map((one) => `invalid configuration: ${one}`);
  });
}

/** Fields where 0 means the default: `zero` counts as not set. */
function atLeast(field: string, flag: string, fallback: number, zero = false): Rule {
  return (values) => {
    const value = zero ? values.numberOr(field, fallback) : values.number(field, fallback);
    return value < 0 && `${field} (--${flag}) ${value} must not be a negative number`;
  };
}

function between(
  field: string,
  flag: string,
  fallback: number,
  [least, most]: readonly [number, number],
  { zero = false, off = false } = {},
): Rule {
  return (values) => {
    const value = zero ? values.numberOr(field, fallback) : values.number(field, fallback);
    const isFine = (value >= least && value <= most) || (off && value === 0);
    // A port that may be turned off is said to be between 0 and the last one, except for healthz.
    const shown = field === 'readOnlyPort' ? 0 : least;
    return (
      !isFine && `${field} (--${flag}) ${value} must be between ${shown} and ${most}, inclusive`
    );
  };
}

/** A field that has to be one of some words; `fallback` where it is not set. */
function among(
  field: string,
  fallback: string,
  known: readonly string[],
  complaint: (value: string) => string,
): Rule {
  return (values) => {
    const value = values.text(field, fallback);
    return !known.includes(value) && complaint(value);
  };
}

const second = 1000;

const rules: readonly Rule[] = [
  (values) =>
    values.numberOr('nodeLeaseDurationSeconds', 40) <= 0 &&
    'nodeLeaseDurationSeconds must be greater than 0',
  (values) =>
    values.text('systemCgroups') !== '' &&
    values.text('cgroupRoot') === '' &&
    'systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified',
  atLeast('eventBurst', 'event-burst', 100, true),
  atLeast('eventRecordQPS', 'event-qps', 50),
  between('healthzPort', 'healthz-port', 10248, [1, 65535], { off: true }),
  (values) => {
    const period = values.duration('cpuCFSQuotaPeriod', 100);
    return (
      (period < 1 || period > second) &&
      `cpuCFSQuotaPeriod (--cpu-cfs-quota-period) ${printedDuration(period)} must be between 1ms and 1sec, inclusive`
    );
  },
  gcProblems,
  between('iptablesDropBit', 'iptables-drop-bit', 15, [0, 31]),
  between('iptablesMasqueradeBit', 'iptables-masquerade-bit', 14, [0, 31]),
  atLeast('kubeAPIBurst', 'kube-api-burst', 100, true),
  atLeast('kubeAPIQPS', 'kube-api-qps', 50),
  (values) => {
    const most = values.number('nodeStatusMaxImages', 50);
    return (
      most < -1 && `nodeStatusMaxImages (--node-status-max-images) ${most} must be -1 or greater`
    );
  },
  atLeast('maxOpenFiles', 'max-open-files', 1_000_000, true),
  atLeast('maxPods', 'max-pods', 110, true),
  between('oomScoreAdj', 'oom-score-adj', -999, [-1000, 1000]),
  atLeast('podsPerCore', 'pods-per-core', 0),
  between('port', 'port', 10250, [1, 65535], { zero: true }),
  between('readOnlyPort', 'read-only-port', 0, [1, 65535], { off: true }),
  atLeast('registryBurst', 'registry-burst', 10, true),
  atLeast('registryPullQPS', 'registry-qps', 5),
  (values) => {
    const pulls = values.number('maxParallelImagePulls', 1);
    return pulls < 1 && `maxParallelImagePulls ${pulls} must be a positive number`;
  },
  (values) => {
    const pulls = values.number('maxParallelImagePulls', 1);
    return (
      pulls > 1 &&
      values.flag('serializeImagePulls', false) &&
      'maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false'
    );
  },
  (values) =>
    values.flag('runOnce', false) &&
    'runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set',
  among(
    'topologyManagerPolicy',
    'none',
    ['none', 'best-effort', 'restricted', 'single-numa-node'],
    (it) =>
      `topologyManagerPolicy (--topology-manager-policy) "${it}" must be one of: ["none" "best-effort" "restricted" "single-numa-node"]`,
  ),
  among(
    'topologyManagerScope',
    'container',
    ['container', 'pod'],
    (it) =>
      `topologyManagerScope (--topology-manager-scope) "${it}" must be one of: "container", or "pod"`,
  ),
  shutdownProblems,
  (values) => {
    const behavior = values.inside('memorySwap').text('swapBehavior');
    return (
      !['', 'LimitedSwap', 'NoSwap'].includes(behavior) &&
      `memorySwap.swapBehavior "${behavior}" must be one of: "", "LimitedSwap" or "NoSwap"`
    );
  },
  (values) => {
    const longest = values
      .inside('crashLoopBackOff')
      .duration('maxContainerRestartPeriod', 300_000);
    const whole = Math.trunc(longest);
    return (
      (whole < second || whole > 300 * second) &&
      `CrashLoopBackOff.MaxContainerRestartPeriod (got: ${longest / second} seconds) must be set between 1s and 300s`
    );
  },
  enforcementProblems,
  among(
    'hairpinMode',
    'promiscuous-bridge',
    ['none', 'hairpin-veth', 'promiscuous-bridge'],
    (it) =>
      `option "${it}" specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"`,
  ),
  among(
    'imagePullCredentialsVerificationPolicy',
    'NeverVerifyPreloadedImages',
    ['NeverVerify', 'NeverVerifyPreloadedImages', 'NeverVerifyAllowlistedImages', 'AlwaysVerify'],
    (it) =>
      `option "${it}" specified for imagePullCredentialsVerificationPolicy. Valid options are "NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages" or "AlwaysVerify"`,
  ),
  (values) =>
    values.text('reservedSystemCPUs') !== '' &&
    values.text('systemReservedCgroup') + values.text('kubeReservedCgroup') !== '' &&
    "can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)",
  (values) => {
    const factor = values.number('memoryThrottlingFactor', 0.9);
    return (
      (factor <= 0 || factor > 1) &&
      `memoryThrottlingFactor ${factor} must be greater than 0 and less than or equal to 1.0`
    );
  },
  (values) =>
    values.flag('enableSystemLogQuery', false) &&
    !values.flag('enableSystemLogHandler', true) &&
    'enableSystemLogHandler is required for enableSystemLogQuery',
  (values) =>
    values.number('containerLogMaxWorkers', 1) < 1 &&
    'containerLogMaxWorkers must be greater than or equal to 1',
  (values) =>
    values.duration('containerLogMonitorInterval', 10 * second) < 3 * second &&
    'containerLogMonitorInterval must be a positive time duration greater than or equal to 3s',
  (values) =>
    values.number('containerLogMaxFiles', 5) <= 1 && 'containerLogMaxFiles must be greater than 1',
  (values) => {
    const path = values.text('podLogsDir', '/var/log/pods');
    return !path.startsWith('/') && `pod logs path "${path}" must be absolute path`;
  },
];

function shutdownProblems(values: ConfigurationValues): string[] {
  const [all, critical] = ['shutdownGracePeriod', 'shutdownGracePeriodCriticalPods'];
  const whole = values.duration(all);
  const part = values.duration(critical);
  const isOdd = (period: number) => period < 0 || (period > 0 && period < second);
  const problems: string[] = [];
  const [printed, printedPart] = [printedDuration(whole), printedDuration(part)];
  if (part > whole) problems.push(`${critical} ${printedPart} must be <= ${all} ${printed}`);
  if (isOdd(whole)) problems.push(`${all} ${printed} must be either zero or otherwise >= 1 sec`);
  if (isOdd(part))
    problems.push(`${critical} ${printedPart} must be either zero or otherwise >= 1 sec`);
  if (values.count('shutdownGracePeriodByPodPriority') > 0 && (whole > 0 || part > 0)) {
    problems.push(
      'Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time',
    );
  }
  return problems;
}

const { images: defaults } = defaultKubeletSettings;

/** The settings of image garbage collection in a KubeletConfiguration. 0 cannot be set as minimum age. */
export function imagePolicyIn(values: ConfigurationValues): ImageGcPolicy {
  return {
    highThresholdPercent: values.number(
      'imageGCHighThresholdPercent',
      defaults.highThresholdPercent,
    ),
    lowThresholdPercent: values.number('imageGCLowThresholdPercent', defaults.lowThresholdPercent),
    minAge: values.duration('imageMinimumGCAge') || defaults.minAge,
    maxAge: values.duration('imageMaximumGCAge', defaults.maxAge),
  };
}

function gcProblems(values: ConfigurationValues): string[] {
  return imagePolicyProblems(imagePolicyIn(values));
}

/** What a kubelet says of thresholds and ages that it does not start with (CFG-2). */
export function imageProblems(policy: ImageGcPolicy): string[] {
  return imagePolicyProblems(policy).map((problem) => `invalid configuration: ${problem}`);
}

function imagePolicyProblems(policy: ImageGcPolicy): string[] {
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
  return problems;
}

const field = 'enforceNodeAllocatable (--enforce-node-allocatable)';

/** A kind of reserved resources: its cgroup's field and flag. */
const reserved = [
  ['system-reserved', 'systemReservedCgroup (--system-reserved-cgroup)', 'systemReservedCgroup'],
  ['kube-reserved', 'kubeReservedCgroup (--kube-reserved-cgroup)', 'kubeReservedCgroup'],
] as const;

/** What a kubelet says of enforceNodeAllocatable. */
function enforcementProblems(values: ConfigurationValues): string[] {
  const enforced = values.texts('enforceNodeAllocatable', ['pods']);
  const problems: string[] = [];
  for (const [name] of reserved) {
    const both = [name, `${name}-compressible`];
    if (both.every((one) => enforced.includes(one))) {
      problems.push(`both "${both[0]}" and "${both[1]}" cannot be specified together in ${field}`);
    }
  }
  const seen = new Set<string>();
  for (const value of enforced) {
    if (seen.has(value)) {
      problems.push(`duplicated enforcements "${value}" in ${field}`);
      continue;
    }
    seen.add(value);
    const kind = reserved.find(([name]) => value === name || value === `${name}-compressible`);
    if (value === 'none') {
      if (enforced.length > 1) {
        problems.push(`${field} may not contain additional enforcements when "none" is specified`);
      }
      continue;
    }
    if (kind) {
      const [name, cgroup, setting] = kind;
      if (values.text(setting) === '') {
        problems.push(
          `${cgroup} must be specified when "${name}" or "${name}-compressible" included in ${field}`,
        );
      }
    } else if (value !== 'pods') {
      problems.push(
        `option "${value}" specified for ${field}. Valid options are "pods", "system-reserved", "system-reserved-compressible", "kube-reserved", "kube-reserved-compressible" or "none"`,
      );
      continue;
    }
    if (!values.flag('cgroupsPerQOS', true)) {
      problems.push(
        `cgroupsPerQOS (--cgroups-per-qos) must be set to true when "${value}" contained in ${field}`,
      );
    }
  }
  return problems;
}

/** Reads the fields of a KubeletConfiguration that was decoded, with upstream's defaults filled in. */
export class ConfigurationValues {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  /** `fallback` is used if the field is not set. */
  number(field: string, fallback: number): number {
    const value = this.#fields[field];
    return typeof value === 'number' ? value : fallback;
  }

  /** The same where 0 counts as not set. */
  numberOr(field: string, fallback: number): number {
    return this.number(field, fallback) || fallback;
  }

  text(field: string, fallback = ''): string {
    const value = this.#fields[field];
    return typeof value === 'string' && value !== '' ? value : fallback;
  }

  flag(field: string, fallback: boolean): boolean {
    const value = this.#fields[field];
    return typeof value === 'boolean' ? value : fallback;
  }

  /** Milliseconds. */
  duration(field: string, fallback = 0): number {
    const value = this.#fields[field];
    return (typeof value === 'string' ? parseGoDuration(value) : undefined) ?? fallback;
  }

  texts(field: string, fallback: readonly string[] = []): readonly string[] {
    const value = this.#fields[field];
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : fallback;
  }

  count(field: string): number {
    const value = this.#fields[field];
    return Array.isArray(value) ? value.length : 0;
  }

  /** The fields of a field. */
  inside(field: string): ConfigurationValues {
    return new ConfigurationValues(fieldsOf(this.#fields[field]));
  }
}

/** As Go prints a metav1.Duration: `{30s}`. */
function printedDuration(milliseconds: number): string {
  return `{${formatGoDuration(milliseconds)}}`;
}
