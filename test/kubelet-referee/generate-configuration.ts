import fc from 'fast-check';

const anyInt = fc.oneof(
  fc.constantFrom(-1001, -2, -1, 0, 1, 2, 31, 32, 80, 85, 100, 101, 1000, 65535, 65536),
  fc.integer({ min: -10, max: 200 }),
);
const anyDuration = fc.constantFrom(
  '-1s',
  '0s',
  '1ms',
  '100ms',
  '999ms',
  '1s',
  '3s',
  '2m',
  '2m1s',
  '5m',
  '72h',
  '3d',
  '5',
  'x',
);
const anyFlag = fc.boolean();
const signals = [
  'memory.available',
  'nodefs.available',
  'imagefs.inodesFree',
  'pid.available',
  'disk.free',
];

/** At most one signal: upstream walks a map, and names the first that is wrong. */
const anyStatements = (value: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom(...signals), value).map(([signal, text]) => ({ [signal]: text }));

const anyField = {
  nodeLeaseDurationSeconds: anyInt,
  systemCgroups: fc.constantFrom('', '/system'),
  cgroupRoot: fc.constantFrom('', '/'),
  eventBurst: anyInt,
  eventRecordQPS: anyInt,
  healthzPort: anyInt,
  cpuCFSQuotaPeriod: anyDuration,
  imageGCHighThresholdPercent: anyInt,
  imageGCLowThresholdPercent: anyInt,
  imageMinimumGCAge: anyDuration,
  imageMaximumGCAge: anyDuration,
  iptablesDropBit: anyInt,
  iptablesMasqueradeBit: anyInt,
  kubeAPIBurst: anyInt,
  kubeAPIQPS: anyInt,
  nodeStatusMaxImages: anyInt,
  maxOpenFiles: anyInt,
  maxPods: fc.oneof(anyInt, fc.constantFrom('many', 1.5, 3_000_000_000, true)),
  oomScoreAdj: anyInt,
  podsPerCore: anyInt,
  port: anyInt,
  readOnlyPort: anyInt,
  registryBurst: anyInt,
  registryPullQPS: anyInt,
  maxParallelImagePulls: anyInt,
  serializeImagePulls: anyFlag,
  runOnce: anyFlag,
  topologyManagerPolicy: fc.constantFrom('none', 'restricted', 'best', ''),
  topologyManagerScope: fc.constantFrom('pod', 'container', 'node', ''),
  shutdownGracePeriod: anyDuration,
  shutdownGracePeriodCriticalPods: anyDuration,
  memorySwap: fc
    .constantFrom('', 'LimitedSwap', 'Unlimited')
    .map((swapBehavior) => ({ swapBehavior })),
  crashLoopBackOff: fc
    .constantFrom('1s', '300s', '301s', '999ms')
    .map((maxContainerRestartPeriod) => ({ maxContainerRestartPeriod })),
  enforceNodeAllocatable: fc.array(
    fc.constantFrom(
      'pods',
      'none',
      'system-reserved',
      'kube-reserved',
      'kube-reserved-compressible',
      'all',
    ),
    { maxLength: 4 },
  ),
  systemReservedCgroup: fc.constantFrom('', '/s'),
  kubeReservedCgroup: fc.constantFrom('', '/k'),
  reservedSystemCPUs: fc.constantFrom('', '0-1'),
  cgroupsPerQOS: anyFlag,
  hairpinMode: fc.constantFrom('', 'none', 'hairpin-veth', 'bridge'),
  imagePullCredentialsVerificationPolicy: fc.constantFrom('', 'NeverVerify', 'Sometimes'),
  memoryThrottlingFactor: fc.constantFrom(-1, 0, 0.5, 1, 2),
  enableSystemLogQuery: anyFlag,
  enableSystemLogHandler: anyFlag,
  containerLogMaxWorkers: anyInt,
  containerLogMonitorInterval: anyDuration,
  containerLogMaxFiles: anyInt,
  podLogsDir: fc.constantFrom('', '/var/log/pods', 'logs'),
  tlsCipherSuites: fc.constantFrom<unknown>([], 'one', [1]),
  evictionHard: anyStatements(fc.constantFrom('5%', '100Mi', '-1', '101%', 'x')),
  evictionSoft: anyStatements(fc.constantFrom('10%', '1Gi', '-5%')),
  evictionSoftGracePeriod: anyStatements(fc.constantFrom('90s', '-1s', 'x')),
  somethingElse: anyInt,
};

const head = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
const names = Object.keys(anyField) as (keyof typeof anyField)[];

/** A few fields of a KubeletConfiguration, some of which a kubelet does not start with. */
const anyConfiguration = fc
  .subarray(names, { minLength: 1, maxLength: 4 })
  .chain((chosen) =>
    fc.record(
      Object.fromEntries(chosen.map((name) => [name, anyField[name] as fc.Arbitrary<unknown>])),
    ),
  );

export function generateConfigurations(seed: number, count: number): Record<string, unknown>[] {
  return fc
    .sample(anyConfiguration, { seed, numRuns: count })
    .map((fields) => ({ ...head, ...fields }));
}
