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
  imageGCHighThresholdPercent: fc.oneof(anyInt, fc.constantFrom('many', 1.5, 3_000_000_000, true)),
  imageGCLowThresholdPercent: anyInt,
  imageMinimumGCAge: fc.oneof(anyDuration, fc.constantFrom(120, null)),
  imageMaximumGCAge: anyDuration,
  nodeStatusMaxImages: anyInt,
  mergeDefaultEvictionSettings: fc.constantFrom<unknown>(true, false, 'yes'),
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
