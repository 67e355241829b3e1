import {
  fieldsOf,
  type Json,
  jsonOf,
  numberOf,
  textOf,
  textsByKey,
} from '../../kube/json-value.ts';
import { formatGoDuration, goDurationFault, parseGoDuration } from '../../syntax/go-syntax.ts';
import { evictionSignals, parseThresholds } from '../eviction/eviction-thresholds.ts';
import type { ImageGcPolicy, KubeletGcSettings } from '../node-facts.ts';
import { defaultKubeletSettings } from './kubelet-settings.ts';

/** What a KubeletConfiguration says about garbage collection, and why a kubelet would not start with it. */
export interface CheckedKubeletConfiguration {
  /** The settings in force with it, defaults filled in; meaningless for fields with a problem. */
  readonly settings: KubeletGcSettings;
  /** Upstream's messages, in upstream's order. */
  readonly problems: readonly string[];
}

/**
 * Reads a KubeletConfiguration, from a file or as /configz shows it, with upstream's checks of what decides
 * about garbage collection: what it can read, its rules, its eviction thresholds (CFG-1, CFG-2, EV-1). As
 * there, each step needs the one before.
 */
export function validateKubeletConfiguration(value: unknown): CheckedKubeletConfiguration {
  const fields = fieldsOf(value);
  const defaults = defaultKubeletSettings;
  const given = statementsIn(fields, 'evictionHard') ?? defaults.evictionHard;
  const merges = fields.mergeDefaultEvictionSettings === true;
  const settings: KubeletGcSettings = {
    images: imagePolicyIn(fields),
    containers: defaults.containers,
    evictionHard: merges ? { ...defaults.evictionHard, ...given } : given,
    evictionSoft: statementsIn(fields, 'evictionSoft') ?? {},
    evictionSoftGracePeriod: statementsIn(fields, 'evictionSoftGracePeriod') ?? {},
    nodeStatusMaxImages: numberOf(fields.nodeStatusMaxImages) ?? defaults.nodeStatusMaxImages,
  };
  const steps = [
    () =>
      jsonOf(value) ? kindProblems(fields) : ['a KubeletConfiguration is a mapping of fields'],
    () => decodingProblems(fields),
    () => [...imageProblems(settings.images), ...listedImagesProblems(settings)],
    () => evictionProblems(settings),
  ];
  let problems: string[] = [];
  for (const step of steps) if (problems.length === 0) problems = step();
  return { settings, problems };
}

function kindProblems({ apiVersion, kind }: Json): string[] {
  // In the words of Interpret, k8s.io/apimachinery/pkg/runtime/serializer/json/meta.go.
  for (const [field, value] of Object.entries({ apiVersion, kind })) {
    if (value === undefined || value === null || typeof value === 'string') continue;
    return [
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field .${field} of type string`,
    ];
  }
  const isKind = kind === undefined || kind === 'KubeletConfiguration';
  const isVersion = apiVersion === undefined || apiVersion === 'kubelet.config.k8s.io/v1beta1';
  if (isKind && isVersion) return [];
  const name = kind ?? 'KubeletConfiguration';
  return [`no kind "${name}" is registered for version "${apiVersion ?? ''}"`];
}

/** The settings of image garbage collection in a KubeletConfiguration. 0 cannot be set as minimum age. */
function imagePolicyIn(fields: Json): ImageGcPolicy {
  const age = (name: string) => parseGoDuration(textOf(fields[name]) ?? '');
  return {
    highThresholdPercent:
      numberOf(fields.imageGCHighThresholdPercent) ??
      defaultKubeletSettings.images.highThresholdPercent,
    lowThresholdPercent:
      numberOf(fields.imageGCLowThresholdPercent) ??
      defaultKubeletSettings.images.lowThresholdPercent,
    minAge: age('imageMinimumGCAge') || defaultKubeletSettings.images.minAge,
    maxAge: age('imageMaximumGCAge') ?? defaultKubeletSettings.images.maxAge,
  };
}

/** What a kubelet says of thresholds and ages that it does not start with (CFG-2). */
function imageProblems(policy: ImageGcPolicy): string[] {
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

function listedImagesProblems({ nodeStatusMaxImages: most }: KubeletGcSettings): string[] {
  if (most >= -1) return [];
  return [
    `invalid configuration: nodeStatusMaxImages (--node-status-max-images) ${most} must be -1 or greater`,
  ];
}

/** Signals and what is written for them; undefined: nothing, or something that cannot be read. */
function statementsIn(fields: Json, field: string): Record<string, string> | undefined {
  return jsonOf(fields[field]) && { ...textsByKey(fields[field]) };
}

function evictionProblems(settings: KubeletGcSettings): string[] {
  const { evictionHard, evictionSoft, evictionSoftGracePeriod: periods } = settings;
  const problems = [
    ...parseThresholds(evictionHard, 'hard').problems,
    ...parseThresholds(evictionSoft, 'soft').problems,
  ];
  for (const [signal, period] of Object.entries(periods)) {
    const parsed = parseGoDuration(period);
    if (evictionSignals.every((known) => known !== signal)) {
      problems.push(`unsupported eviction signal ${signal}`);
    } else if (parsed === undefined) {
      problems.push(`${goDurationFault(period)}`);
    } else if (parsed < 0) {
      problems.push(`invalid eviction grace period specified: ${period}, must be a positive value`);
    }
  }
  for (const { signal } of parseThresholds(evictionSoft, 'soft').thresholds) {
    if (periods[signal] === undefined) {
      problems.push(`grace period must be specified for the soft eviction threshold ${signal}`);
    }
  }
  return problems;
}

/** The fields that decide about garbage collection, with their types in Go. */
const fieldTypes = {
  imageMinimumGCAge: 'duration',
  imageMaximumGCAge: 'duration',
  imageGCHighThresholdPercent: 'int32',
  imageGCLowThresholdPercent: 'int32',
  nodeStatusMaxImages: 'int32',
  mergeDefaultEvictionSettings: 'bool',
  evictionHard: 'map[string]string',
  evictionSoft: 'map[string]string',
  evictionSoftGracePeriod: 'map[string]string',
  featureGates: 'map[string]bool',
} as const;

type FieldType = (typeof fieldTypes)[keyof typeof fieldTypes];

/** What a kubelet cannot read, in Go's words and order: it names the first one only, durations before others. */
function decodingProblems(fields: Json): string[] {
  const problemsOf = (isWanted: (type: FieldType) => boolean) =>
    Object.entries(fields).flatMap(([field, value]) => {
      const type = Object.hasOwn(fieldTypes, field) && fieldTypes[field as keyof typeof fieldTypes];
      return (type && isWanted(type) && fieldProblem(field, type, value)) || [];
    });
  return [
    ...problemsOf((type) => type === 'duration'),
    ...problemsOf((type) => type !== 'duration'),
  ];
}

/** Types of JSON that those of Go are read from. */
const expected: Readonly<Record<FieldType, string>> = {
  bool: 'bool',
  int32: 'number',
  'map[string]string': 'object',
  'map[string]bool': 'object',
  duration: 'string',
};

function fieldProblem(field: string, type: FieldType, value: unknown): string | undefined {
  if (value === null) return type === 'duration' ? durationFault(field, '') : undefined;
  const kind = jsonTypeOf(value);
  if (kind !== expected[type]) return cannot(kind, field, type === 'duration' ? 'string' : type);
  if (type === 'duration') return durationFault(field, String(value));
  if (type === 'int32') {
    const number = Number(value);
    const fits = Number.isInteger(number) && number >= -(2 ** 31) && number < 2 ** 31;
    return fits ? undefined : cannot(`number ${number}`, field, type);
  }
  const element = type.replace(/^.*]/, '');
  const odd = Object.values(Object(value)).find(
    (one) => type !== 'bool' && one !== null && jsonTypeOf(one) !== element,
  );
  return odd === undefined ? undefined : cannot(jsonTypeOf(odd), field, element);
}

function cannot(what: string, field: string, type: string): string {
  return `json: cannot unmarshal ${what} into Go struct field KubeletConfiguration.${field} of type ${type}`;
}

/** What encoding/json calls a value of this kind. */
function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Go's message, plus the field that it leaves out and the value that was probably meant. */
function durationFault(field: string, given: string): string | undefined {
  const fault = goDurationFault(given);
  if (fault === undefined) return undefined;
  const days = fault.includes('unknown unit "d"')
    ? '; there are no days: 72h is three of them'
    : '';
  return `${field}: ${fault}${days}`;
}
