import { goDurationFault, parseGoDuration } from '../../kube/go-syntax.ts';
import { fieldsOf, type Json, jsonOf, textsByKey } from '../../kube/json-value.ts';
import { evictionSignals, parseThresholds } from '../eviction/eviction-thresholds.ts';
import {
  ConfigurationValues,
  configurationProblems,
  imagePolicyIn,
} from './configuration-rules.ts';
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

type Fields = Readonly<Record<string, unknown>>;

/** What a kubelet cannot read, in Go's words and order: it names the first one only, durations before others. */
function decodingProblems(fields: Fields): string[] {
  const found = Object.entries(fields).flatMap(([field, value]) => {
    const type = kubeletConfigurationFields.get(field);
    const message = type && problemOf(field, type, value);
    return message === undefined ? [] : [{ message, rank: isDuration(type) ? 0 : 1 }];
  });
  return found.sort((a, b) => a.rank - b.rank).map(({ message }) => message);
}

/** What a kubelet only warns of, and then ignores. */
function unknownFields(fields: Fields): string[] {
  return Object.keys(fields).filter(
    (field) => field !== 'apiVersion' && field !== 'kind' && !kubeletConfigurationFields.has(field),
  );
}

/** Types of Go by the types of JSON that they are read from. */
const expected: Readonly<Partial<Record<FieldType, string>>> = {
  bool: 'bool',
  string: 'string',
  int32: 'number',
  int64: 'number',
  float64: 'number',
  '[]string': 'array',
  '[]int32': 'array',
  'map[string]string': 'object',
  'map[string]bool': 'object',
  duration: 'string',
  optionalDuration: 'string',
};

function problemOf(field: string, type: FieldType, value: unknown): string | undefined {
  if (value === null) return type === 'duration' ? durationFault(field, '') : undefined;
  const wanted = expected[type];
  const kind = kindOf(value);
  if (wanted === undefined) return undefined;
  if (kind !== wanted) return cannot(kind, field, isDuration(type) ? 'string' : type);
  if (isDuration(type)) return durationFault(field, String(value));
  if (type === 'int32' || type === 'int64') {
    const limit = type === 'int32' ? 2 ** 31 : 2 ** 63;
    const number = Number(value);
    const fits = Number.isInteger(number) && number >= -limit && number < limit;
    return fits ? undefined : cannot(`number ${number}`, field, type);
  }
  const element = type.startsWith('map') || type.startsWith('[]') ? type.replace(/^.*]/, '') : '';
  const kinds: Readonly<Record<string, string>> = { int32: 'number' };
  const odd = Object.values(Object(value)).find(
    (one) => element !== '' && one !== null && kindOf(one) !== (kinds[element] ?? element),
  );
  return odd === undefined ? undefined : cannot(kindOf(odd), field, element);
}

function isDuration(type: FieldType | undefined): boolean {
  return type === 'duration' || type === 'optionalDuration';
}

function cannot(what: string, field: string, type: string): string {
  return `json: cannot unmarshal ${what} into Go struct field KubeletConfiguration.${field} of type ${type}`;
}

/** What encoding/json calls a value of this kind. */
function kindOf(value: unknown): string {
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

/** Types of Go that fields of a KubeletConfiguration have; `other` ones are not checked by type. */
const names = {
  bool: `
    enableServer rotateCertificates serverTLSBootstrap enableDebuggingHandlers
    enableContentionProfiling cgroupsPerQOS singleProcessOOMKill runOnce cpuCFSQuota
    serializeImagePulls mergeDefaultEvictionSettings enableControllerAttachDetach
    protectKernelDefaults makeIPTablesUtilChains failSwapOn kernelMemcgNotification
    enableSystemLogHandler enableSystemLogQuery enableProfilingHandler
    enableDebugFlagsHandler seccompDefault registerNode localStorageCapacityIsolation
    failCgroupV1`,
  string: `
    staticPodPath podLogsDir staticPodURL address tlsCertFile tlsPrivateKeyFile
    tlsMinVersion healthzBindAddress clusterDomain kubeletCgroups systemCgroups
    cgroupRoot cgroupDriver cpuManagerPolicy memoryManagerPolicy topologyManagerPolicy
    topologyManagerScope hairpinMode podCIDR resolvConf contentType containerLogMaxSize
    reservedSystemCPUs showHiddenMetricsForVersion systemReservedCgroup
    kubeReservedCgroup volumePluginDir providerID containerRuntimeEndpoint
    imageServiceEndpoint`,
  duration: `
    syncFrequency fileCheckFrequency httpCheckFrequency streamingConnectionIdleTimeout
    nodeStatusUpdateFrequency nodeStatusReportFrequency imageMinimumGCAge
    imageMaximumGCAge volumeStatsAggPeriod cpuManagerReconcilePeriod
    runtimeRequestTimeout evictionPressureTransitionPeriod shutdownGracePeriod
    shutdownGracePeriodCriticalPods`,
  other: `
    staticPodURLHeader authentication authorization memorySwap logging
    shutdownGracePeriodByPodPriority crashLoopBackOff reservedMemory registerWithTaints
    tracing userNamespaces`,
  int32: `
    port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst
    healthzPort oomScoreAdj nodeLeaseDurationSeconds imageGCHighThresholdPercent
    imageGCLowThresholdPercent maxPods nodeStatusMaxImages kubeAPIQPS kubeAPIBurst
    maxParallelImagePulls evictionMaxPodGracePeriod podsPerCore iptablesMasqueradeBit
    iptablesDropBit containerLogMaxFiles containerLogMaxWorkers`,
  '[]string': `
    tlsCipherSuites preloadedImagesVerificationAllowlist clusterDNS
    enforceNodeAllocatable allowedUnsafeSysctls`,
  '[]int32': `
    tlsCurvePreferences`,
  ImagePullCredentialsVerificationPolicy: `
    imagePullCredentialsVerificationPolicy`,
  'map[string]string': `
    cpuManagerPolicyOptions topologyManagerPolicyOptions qosReserved evictionHard
    evictionSoft evictionSoftGracePeriod evictionMinimumReclaim systemReserved
    kubeReserved`,
  int64: `
    podPidsLimit maxOpenFiles`,
  optionalDuration: `
    cpuCFSQuotaPeriod containerLogMonitorInterval`,
  'map[string]bool': `
    featureGates`,
  ResourceChangeDetectionStrategy: `
    configMapAndSecretChangeDetectionStrategy`,
  float64: `
    memoryThrottlingFactor`,
  MemoryReservationPolicy: `
    memoryReservationPolicy`,
} as const;

type FieldType = keyof typeof names;

/** Every field of KubeletConfiguration, kubelet.config.k8s.io/v1beta1 in v1.36, with its type. */
const kubeletConfigurationFields: ReadonlyMap<string, FieldType> = new Map(
  Object.entries(names).flatMap(([type, fields]) =>
    fields
      .trim()
      .split(/\s+/)
      .map((field): [string, FieldType] => [field, type as FieldType]),
  ),
);
