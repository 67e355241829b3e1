import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseCommandLine } from '../../src/settings/control-plane-pods.ts';
import {
  effectiveFaults,
  effectiveSettings,
  startFaults,
} from '../../src/settings/effective-settings.ts';
import type { Leader, ProgramFacts, SettingsFacts } from '../../src/settings/settings-facts.ts';
import { flagKindOf } from '../../src/settings/settings-table.ts';

const manager = 'kube-controller-manager';

function replica(instance: string, words: string, more: Partial<ProgramFacts> = {}): ProgramFacts {
  return {
    component: manager,
    instance,
    readFrom: `pod ${instance}`,
    version: 'v1.36.3',
    commandLine: parseCommandLine(words.split(' '), flagKindOf(manager)),
    ...more,
  };
}

function kubelet(instance: string, fields: Record<string, unknown>): ProgramFacts {
  return {
    component: 'kubelet',
    instance,
    readFrom: `/configz of node ${instance}`,
    version: 'v1.36.3',
    configuration: { source: 'configz', fields, problems: [] },
  };
}

function facts(programs: readonly ProgramFacts[], more: Partial<SettingsFacts> = {}) {
  return {
    observedAt: '2026-01-01T00:00:00Z',
    serverVersion: 'v1.36.3',
    components: [manager],
    programs,
    leader: { kind: 'sole' },
    problems: [],
    ...more,
  } satisfies SettingsFacts;
}

/** What is told of one setting or gate, of each value that it has: `85, configz: /configz of node a [a c]`. */
function told(name: string, some: SettingsFacts): string[] {
  return effectiveSettings(some)
    .filter((one) => one.name === name)
    .map(
      ({ value, source, readFrom, instances }) =>
        `${value ?? '?'}, ${source}: ${readFrom} [${instances.join(' ')}]`,
    );
}

const flag = '--terminated-pod-gc-threshold';

describe('several instances', () => {
  test('with the same value stand together, with others apart', () => {
    const nodes = [
      kubelet('a', { imageGCHighThresholdPercent: 85 }),
      kubelet('b', { imageGCHighThresholdPercent: 70 }),
      kubelet('c', { imageGCHighThresholdPercent: 85 }),
    ];
    expect(told('imageGCHighThresholdPercent', facts(nodes, { components: ['kubelet'] }))).toEqual([
      '85, configz: /configz of node a [a c]',
      '70, configz: /configz of node b [b]',
    ]);
  });

  test('of versions with different defaults stand apart', () => {
    const two = facts([replica('a', '--v=2'), replica('b', '--v=2', { version: 'v1.31.0' })]);
    const periods = effectiveSettings(two).filter(({ name }) => name === 'nodeMonitorGracePeriod');
    expect(
      periods.map((one) => `${one.value} ${one.default} ${one.defaultOf} ${one.instances}`),
    ).toEqual(['50s 50s v1.36 a', '40s 40s v1.31 b']);
  });

  test('without a flag in their version have the default of the version that has it', () => {
    const old = facts([
      replica('a', '--disable-force-detach-on-timeout=true', { version: 'v1.29.4' }),
    ]);
    const [item] = effectiveSettings(old).filter(
      ({ name }) => name === 'disableForceDetachOnTimeout',
    );
    expect(item).toMatchObject({
      default: false,
      defaultOf: 'v1.36',
      problems: ['unknown flag: --disable-force-detach-on-timeout'],
    });
    expect(item).not.toHaveProperty('value');
  });
});

describe('of the replicas of kube-controller-manager', () => {
  const known: Leader = { kind: 'known', instance: 'b', lease: 'Lease kube-system/kcm' };
  const unknown: Leader = { kind: 'unknown', because: 'the Lease has expired' };
  const elsewhere: Leader = { ...unknown, because: 'the Lease names c', elsewhere: true };
  const differing = [replica('a', `${flag}=1`), replica('b', `${flag}=2`)];
  const alike = [replica('a', `${flag}=1`), replica('b', `${flag}=1`)];
  test.each<[string, Leader, readonly ProgramFacts[], string]>([
    ['the leader counts', known, differing, `2, flag: pod b, ${flag} [b]`],
    ['no leader, equal replicas', unknown, alike, `1, flag: pod a, ${flag} [a b]`],
    [
      'no leader, different replicas',
      unknown,
      differing,
      '?, unknown: the replicas differ, and the Lease has expired []',
    ],
  ])('%s', (_, leader, programs, expected) => {
    expect(told('terminatedPodGCThreshold', facts(programs, { leader }))).toEqual([expected]);
  });

  test('of other programs, every instance counts, whoever leads', () => {
    const server = (instance: string, ttl: string): ProgramFacts => ({
      component: 'kube-apiserver',
      instance,
      readFrom: 'a pod',
      version: 'v1.36.3',
      commandLine: { flags: new Map([['event-ttl', [ttl]]]), unclear: undefined },
    });
    const two = [server('a', '1h0m0s'), server('b', '2h0m0s')];
    for (const leader of [known, unknown, elsewhere]) {
      expect(told('eventTTL', facts(two, { components: ['kube-apiserver'], leader }))).toEqual([
        '1h0m0s, flag: a pod, --event-ttl [a]',
        '2h0m0s, flag: a pod, --event-ttl [b]',
      ]);
    }
  });

  test('flags that their version lacks are not reported, whoever leads', () => {
    const old = [replica('a', '--v=2', { version: 'v1.29.4' })];
    expect(told('disableForceDetachOnTimeout', facts(old, { leader: elsewhere }))).toEqual([]);
  });
});

describe('a component that was not read', () => {
  test('has all settings and gates of the version of the server, unknown', () => {
    const items = effectiveSettings(facts([kubelet('a', {})], { serverVersion: 'v1.31.2' }));
    expect(
      new Set(items.map(({ value, source, readFrom }) => [value, source, readFrom].join())),
    ).toEqual(new Set([',unknown,no kube-controller-manager could be read']));
    const defaultIn = (name: string) =>
      items.filter((one) => one.name === name).map((one) => [one.default, one.defaultOf]);
    expect(
      ['nodeMonitorGracePeriod', 'OrderedNamespaceDeletion', 'DynamicResourceAllocation'].map(
        defaultIn,
      ),
    ).toEqual([[['40s', 'v1.31']], [[false, 'v1.31']], [[false, 'v1.31']]]);
  });
});

test('a setting has its names, unit, rule and replacement', () => {
  const items = effectiveSettings(
    facts([replica('a', '--v=2'), kubelet('n', { imageGCHighThresholdPercent: 85 })], {
      components: [manager, 'kubelet'],
    }),
  );
  const of = (name: string) => items.find((one) => one.name === name);
  expect(of('nodeEvictionRate')).toStrictEqual(
    parse(`
      component: kube-controller-manager
      name: nodeEvictionRate
      flag: --node-eviction-rate
      value: 0.1
      unit: nodes/s
      source: default
      readFrom: pod a does not set --node-eviction-rate
      default: 0.1
      defaultOf: v1.36
      instances: [a]
      problems: []
      collectors: [node-lifecycle]
      rule: NODE-5
      means: nodes a second that get the taint that evicts
    `),
  );
  expect(of('imageGCHighThresholdPercent')).toMatchObject({
    flag: '--image-gc-high-threshold',
    field: 'imageGCHighThresholdPercent',
    unit: '%',
    successor: 'imageGCHighThresholdPercent in the KubeletConfiguration file',
  });
  const flagAlone = of('maximumDeadContainers');
  expect([flagAlone?.field, flagAlone?.successor]).toEqual([
    undefined,
    'evictionHard or evictionSoft in the KubeletConfiguration file',
  ]);
  expect(of('ImageVolume')).toStrictEqual(
    parse(`
      {component: kubelet, name: ImageVolume, shownOnly: true, value: true, source: default, readFrom: /configz of node n does not set it,
      default: true, defaultOf: v1.36, instances: [n], problems: [], collectors: [image-gc], rule: CFG-5,
      means: "pods mount images, which keeps them"}
    `),
  );
});

describe('kube-controller-manager does not start', () => {
  // newLegacySATokenCleanerController: `!(options.CleanUpPeriod > 0)`.
  test.each([
    ['1ns', []],
    ['0', ['invalid CleanUpPeriod: 0s']],
    ['-90s', ['invalid CleanUpPeriod: -1m30s']],
  ])('with --legacy-service-account-token-clean-up-period=%s: %j', (value, faults) => {
    const flag = `--legacy-service-account-token-clean-up-period=${value}`;
    expect(effectiveFaults(replica('a', flag))).toEqual(faults);
  });

  test.each([
    ['*,-ttl,garbagecollector', []],
    ['*,-foo,bar,namespace-controller', ['foo', 'bar']],
    ['-*', ['*']],
  ])('with --controllers=%s: %j', (value, unknown) => {
    // As kube-controller-manager words it.
    const faults = unknown.map((name) => `"${name}" is not in the list of known controllers`);
    expect(effectiveFaults(replica('a', `--controllers=${value}`)).join()).toBe(faults.join(', '));
  });

  test('with gates that only the node knows, is not said', () => {
    const flags = new Map([['feature-gates', ['$(GATES)']]]);
    const commandLine = { flags, unclear: undefined };
    expect(effectiveFaults(replica('a', '--v=2', { commandLine }))).toEqual([]);
  });

  test('with a gate that is not written as one, or is locked', () => {
    const gates = '--feature-gates=A,OrderedNamespaceDeletion=false';
    expect(effectiveFaults(replica('a', gates)).join('\n')).toMatchInlineSnapshot(`
      "cannot set feature gate OrderedNamespaceDeletion to false, feature is locked to true
      missing bool value for A"
    `);
  });
});

test('a fault of a KubeletConfiguration is reported once', () => {
  const problem = 'imageGCLowThresholdPercent must be below imageGCHighThresholdPercent';
  const odd = kubelet('a', { imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 80 });
  const program: ProgramFacts = {
    ...odd,
    configuration: { source: 'file', fields: {}, ...odd.configuration, problems: [problem] },
  };
  expect(effectiveFaults(program)).toEqual([problem]);
  expect(startFaults(facts([program, { ...program, instance: 'b' }]))).toEqual([problem]);
});
