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

export type FieldType = keyof typeof names;

/** Every field of KubeletConfiguration, kubelet.config.k8s.io/v1beta1 in v1.36, with its type. */
export const kubeletConfigurationFields: ReadonlyMap<string, FieldType> = new Map(
  Object.entries(names).flatMap(([type, fields]) =>
    fields
      .trim()
      .split(/\s+/)
      .map((field): [string, FieldType] => [field, type as FieldType]),
  ),
);
