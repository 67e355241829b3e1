import { goDurationFault, parseGoDuration } from '../../kube/go-syntax.ts';
import { fieldsOf, type Json, jsonOf, textsByKey } from '../../kube/json-value.ts';
import { evictionSignals, parseThresholds } from '../eviction/eviction-thresholds.ts';
import {
  ConfigurationValues,
  configurationProblems,
  imagePolicyIn,
} from './configuration-rules.ts';
import { decodingProblems, kindOf, unknownFields } from './decode-configuration.ts';
import { defaultKubeletSettings, type KubeletGcSettings } from './kubelet-settings.ts';

/** What a KubeletConfiguration says about garbage collection, and why a kubelet would not start with it. */
export interface CheckedKubeletConfiguration {
  /** The settings in force with it, defaults filled in; meaningless for fields with a problem. */
  readonly settings: KubeletGcSettings;
  /** Upstream's messages, in upstream's order. */
  readonly problems: readonly string[];
  /** What is allowed but misleading. */
  readonly remarks: readonly string[];
}

/**
 * Reads a KubeletConfiguration, from a file or as /configz shows it, with upstream's checks: what it
 * can read, its rules, its eviction thresholds (CFG-1, CFG-2, EV-1). As there, each step needs the one before.
 */
export function validateKubeletConfiguration(value: unknown): CheckedKubeletConfiguration {
  const fields = fieldsOf(value);
  const values = new ConfigurationValues(fields);
  const defaults = defaultKubeletSettings;
  const given = statementsIn(fields, 'evictionHard') ?? defaults.evictionHard;
  const merges = fields.mergeDefaultEvictionSettings === true;
  const settings: KubeletGcSettings = {
    images: imagePolicyIn(values),
    containers: defaults.containers,
    evictionHard: merges ? { ...defaults.evictionHard, ...given } : given,
    evictionSoft: statementsIn(fields, 'evictionSoft') ?? {},
    evictionSoftGracePeriod: statementsIn(fields, 'evictionSoftGracePeriod') ?? {},
    nodeStatusMaxImages: values.number('nodeStatusMaxImages', defaults.nodeStatusMaxImages),
  };
  const steps = [
    () =>
      jsonOf(value) ? kindProblems(fields) : ['a KubeletConfiguration is a mapping of fields'],
    () => decodingProblems(fields),
    () => configurationProblems(values),
    () => evictionProblems(settings),
  ];
  let problems: string[] = [];
  for (const step of steps) if (problems.length === 0) problems = step();
  return { settings, problems, remarks: remarksOn(fields, settings) };
}

function kindProblems({ apiVersion, kind }: Json): string[] {
  // In the words of Interpret, k8s.io/apimachinery/pkg/runtime/serializer/json/meta.go.
  for (const [field, value] of Object.entries({ apiVersion, kind })) {
    if (value === undefined || value === null || typeof value === 'string') continue;
    return [
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindOf(value)} into Go struct field .${field} of type string`,
    ];
  }
  const isKind = kind === undefined || kind === 'KubeletConfiguration';
  const isVersion = apiVersion === undefined || apiVersion === 'kubelet.config.k8s.io/v1beta1';
  if (isKind && isVersion) return [];
  for (const [field, value] of Object.entries({ apiVersion, kind })) {
    if (value === undefined || value === null || typeof value === 'string') continue;
    // As the decoder reads the two before anything else (apimachinery's SimpleMetaFactory.Interpret).
    return [
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindOf(value)} into Go struct field .${field} of type string`,
    ];
  }
  const name = kind ?? 'KubeletConfiguration';
  return [`no kind "${name}" is registered for version "${apiVersion ?? ''}"`];
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

function remarksOn(fields: Json, { images, evictionHard }: KubeletGcSettings): string[] {
  const remarks: string[] = [];
  const unknown = unknownFields(fields);
  if (unknown.length > 0) {
    remarks.push(`a kubelet of v1.36 does not know ${unknown.join(', ')}, and ignores it`);
  }
  const off = Object.keys(defaultKubeletSettings.evictionHard).filter(
    (signal) => !(signal in evictionHard),
  );
  if (off.length > 0 && Object.keys(evictionHard).length > 0) {
    remarks.push(
      `evictionHard leaves out ${off.join(', ')}: their defaults are off, unless mergeDefaultEvictionSettings is true`,
    );
  }
  if (fields.imageMinimumGCAge === '0s' || fields.imageMinimumGCAge === '0') {
    remarks.push('imageMinimumGCAge 0 means the default of 2m');
  }
  if (images.highThresholdPercent === 100 && images.maxAge === 0) {
    remarks.push(
      'imageGCHighThresholdPercent 100 without imageMaximumGCAge turns image garbage collection off; eviction still removes images',
    );
  }
  return remarks;
}
