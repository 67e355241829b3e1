import { describe, expect, test } from 'vitest';
import { parseCommandLine } from '../../../src/controllers/settings/command-line.ts';
import { effectiveSettings } from '../../../src/controllers/settings/effective-settings.ts';
import type {
  ProgramFacts,
  SettingsFacts,
} from '../../../src/controllers/settings/settings-facts.ts';
import { flagKindOf } from '../../../src/controllers/settings/settings-table.ts';

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
    problems: [],
    ...more,
  } satisfies SettingsFacts;
}

/** What is told of one setting or gate, of each value that it has. */
function told(name: string, some: SettingsFacts) {
  return effectiveSettings(some)
    .filter((one) => one.name === name)
    .map(({ value, source, readFrom, instances }) => [value, source, readFrom, instances]);
}

const threshold = 'terminatedPodGCThreshold';
const flag = '--terminated-pod-gc-threshold';

describe('several instances', () => {
  test('with the same value stand together, with others apart', () => {
    const nodes = [
      kubelet('a', { imageGCHighThresholdPercent: 85 }),
      kubelet('b', { imageGCHighThresholdPercent: 70 }),
      kubelet('c', { imageGCHighThresholdPercent: 85 }),
    ];
    expect(told('imageGCHighThresholdPercent', facts(nodes, { components: ['kubelet'] }))).toEqual([
      [85, 'configz', '/configz of node a', ['a', 'c']],
      [70, 'configz', '/configz of node b', ['b']],
    ]);
  });

  test('of versions with different defaults stand apart', () => {
    const server = (instance: string, version: string): ProgramFacts => ({
      ...replica(instance, '--v=2', { version }),
      component: 'kube-apiserver',
    });
    const two = facts([server('a', 'v1.36.3'), server('b', 'v1.31.0')], {
      components: ['kube-apiserver'],
    });
    expect(
      effectiveSettings(two)
        .filter(({ name }) => name === 'CoordinatedLeaderElection' || name === 'DRADeviceTaints')
        .map(({ name, value, defaultOf, instances }) => [name, value, defaultOf, instances]),
    ).toEqual([
      ['CoordinatedLeaderElection', false, 'v1.36', ['a']],
      ['CoordinatedLeaderElection', false, 'v1.31', ['b']],
      ['DRADeviceTaints', true, 'v1.36', ['a']],
    ]);
  });

  test('whose version does not have a flag are told the default of the one that does', () => {
    const old = facts([
      replica('a', '--disable-force-detach-on-timeout=true', { version: 'v1.29.4' }),
    ]);
    const [item] = effectiveSettings(old).filter(
      ({ name }) => name === 'disableForceDetachOnTimeout',
    );
    expect(item).toMatchObject({ default: false, defaultOf: 'v1.36', value: true });
  });

  test('what their version does not have is not told', () => {
    const old = [replica('a', '--v=2', { version: 'v1.29.4' })];
    expect(told('disableForceDetachOnTimeout', facts(old))).toEqual([]);
  });
});

test('of replicas of kube-controller-manager that differ, none counts', () => {
  const two = (other: number) =>
    facts([replica('a', `${flag}=1`), replica('b', `${flag}=${other}`)]);
  expect(told(threshold, two(1))).toEqual([[1, 'flag', `pod a, ${flag}`, ['a', 'b']]]);
  expect(told(threshold, two(2))).toEqual([
    [undefined, 'unknown', 'the replicas differ', ['a', 'b']],
  ]);
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

test('a setting is told with its names, its unit, its rule and what replaces it', () => {
  const items = effectiveSettings(
    facts([replica('a', '--v=2'), kubelet('n', { imageGCHighThresholdPercent: 85 })], {
      components: [manager, 'kubelet'],
    }),
  );
  const of = (name: string) => items.find((one) => one.name === name);
  expect(of('nodeEvictionRate')).toStrictEqual({
    component: manager,
    name: 'nodeEvictionRate',
    flag: '--node-eviction-rate',
    value: 0.1,
    unit: 'nodes/s',
    source: 'default',
    readFrom: 'pod a does not set --node-eviction-rate',
    default: 0.1,
    defaultOf: 'v1.36',
    instances: ['a'],
    collectors: ['node-lifecycle'],
    rule: 'NODE-5',
    means: 'nodes a second that get the taint that evicts',
  });
  expect(of('imageGCHighThresholdPercent')).toStrictEqual({
    component: 'kubelet',
    name: 'imageGCHighThresholdPercent',
    flag: '--image-gc-high-threshold',
    field: 'imageGCHighThresholdPercent',
    value: 85,
    unit: '%',
    source: 'configz',
    readFrom: '/configz of node n',
    default: 85,
    defaultOf: 'v1.36',
    instances: ['n'],
    collectors: ['image-gc'],
    rule: 'CFG-1',
    means: 'usage that starts an image pass',
    successor: 'imageGCHighThresholdPercent in the KubeletConfiguration file',
  });
  expect(of('ImageVolume')).toStrictEqual({
    component: 'kubelet',
    name: 'ImageVolume',
    value: true,
    source: 'default',
    readFrom: '/configz of node n does not set it',
    default: true,
    defaultOf: 'v1.36',
    instances: ['n'],
    collectors: ['image-gc'],
    rule: 'CFG-5',
    means: 'pods mount images, which keeps them',
  });
});
