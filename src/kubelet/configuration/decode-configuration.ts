import { goDurationFault } from '../../kube/go-syntax.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a kubelet cannot read, in Go's words and order: it names the first one only, durations before others. */
export function decodingProblems(fields: Fields): string[] {
  const found = Object.entries(fields).flatMap(([field, value]) => {
    const type = kubeletConfigurationFields.get(field);
    const message = type && problemOf(field, type, value);
    return message === undefined ? [] : [{ message, rank: isDuration(type) ? 0 : 1 }];
  });
  return found.sort((a, b) => a.rank - b.rank).map(({ message }) => message);
}

/** What a kubelet only warns of, and then ignores. */
export function unknownFields(fields: Fields): string[] {
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

/** The kind of a JSON value, as Go names it. */
export function kindOf(value: unknown): string {
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
