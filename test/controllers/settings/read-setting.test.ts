import { describe, expect, test } from 'vitest';
import { parseCommandLine } from '../../../src/controllers/settings/command-line.ts';
import { featureGates } from '../../../src/controllers/settings/feature-gates.ts';
import { readGate, readSetting } from '../../../src/controllers/settings/read-setting.ts';
import type { Component } from '../../../src/controllers/settings/setting-definition.ts';
import type { ProgramFacts } from '../../../src/controllers/settings/settings-facts.ts';
import { flagKindOf, settingsTable } from '../../../src/controllers/settings/settings-table.ts';

type Facts = Partial<ProgramFacts>;

const manager = 'kube-controller-manager';

function program(component: Component, facts: Facts): ProgramFacts {
  return { component, instance: 'a', readFrom: 'here', version: 'v1.36.3', ...facts };
}

/** A program whose command line was not read as a whole. */
const unclear = (why: string | undefined, ...flags: [string, string[]][]): Facts => ({
  commandLine: { flags: new Map(flags), unclear: why },
});

/** A program that was started with these words. */
function started(...words: readonly string[]): Facts {
  return { commandLine: parseCommandLine(words, flagKindOf(manager)) };
}

const configz = (fields: Record<string, unknown>, ...problems: readonly string[]): Facts => ({
  configuration: { source: 'configz', fields, problems },
});
const file = (fields: Record<string, unknown>): Facts => ({
  configuration: { source: 'file', fields, problems: [] },
});
const given = (values: Record<string, number>): Facts => ({
  given: { readFrom: 'settings.yaml', values: new Map(Object.entries(values)) },
});

/** `value` undefined: it is not known. */
function read(component: Component, name: string, facts: Facts) {
  const definition = settingsTable[component].find((one) => one.name === name);
  if (!definition) throw new Error(`the table has no ${name}`);
  return shown(readSetting(definition, program(component, facts)));
}

function shown(reading: ReturnType<typeof readSetting>) {
  if (!reading) return undefined;
  const { value, source, readFrom, problems } = reading;
  return [value, source, readFrom, ...problems];
}

type Row = readonly [string, string, Facts, readonly unknown[] | undefined];

describe('a setting of kube-controller-manager', () => {
  const threshold = 'terminatedPodGCThreshold';
  const flag = '--terminated-pod-gc-threshold';
  test.each<Row>([
    [
      'is its flag',
      threshold,
      started('--v=2', `${flag}=5`),
      [5, 'flag', 'here, --terminated-pod-gc-threshold'],
    ],
    [
      'is all of several lists',
      'controllers',
      started('--controllers=*,-ttl', '--controllers=-job'),
      [['*', '-ttl', '-job'], 'flag', 'here, --controllers'],
    ],
    [
      'is the default where no flag sets it',
      threshold,
      started('--v=2'),
      [12_500, 'default', 'here does not set --terminated-pod-gc-threshold'],
    ],
    [
      'is invalid where one of several flags is',
      threshold,
      started(`${flag}=x`, `${flag}=6`),
      [
        undefined,
        'flag',
        'here, --terminated-pod-gc-threshold',
        `invalid argument "x" for "${flag}" flag: strconv.ParseInt: parsing "x": invalid syntax`,
      ],
    ],
    [
      'is missing where the command line ends',
      threshold,
      started(`${flag}=5`, flag),
      [
        undefined,
        'flag',
        'here, --terminated-pod-gc-threshold',
        'flag needs an argument: --terminated-pod-gc-threshold',
      ],
    ],
    [
      'is unknown where a variable stands for it',
      threshold,
      unclear(undefined, [flag.slice(2), ['5', '$(N)']]),
      [
        undefined,
        'unknown',
        'here, --terminated-pod-gc-threshold: $(N) is known to the kubelet alone',
      ],
    ],
    [
      'is its flag although others may have been missed',
      threshold,
      unclear('nothing is known of $ARGS', [flag.slice(2), ['5']]),
      [5, 'flag', 'here, --terminated-pod-gc-threshold'],
    ],
    [
      'is unknown where its flag may have been missed',
      threshold,
      unclear('nothing is known of $ARGS'),
      [undefined, 'unknown', 'here: nothing is known of $ARGS'],
    ],
    [
      'is what a settings file says, before its flag',
      threshold,
      { ...started(`${flag}=5`), ...given({ [threshold]: 7 }) },
      [7, 'file', 'settings.yaml'],
    ],
    [
      'is its flag where a settings file does not say it',
      threshold,
      { ...started(`${flag}=5`), ...given({ concurrentGCSyncs: 7 }) },
      [5, 'flag', 'here, --terminated-pod-gc-threshold'],
    ],
    [
      'is unknown where nothing was read',
      threshold,
      {},
      [undefined, 'unknown', 'here shows nothing'],
    ],
  ])('%s', (_, name, facts, expected) => {
    expect(read(manager, name, facts)).toEqual(expected);
  });
});

describe('what versions have', () => {
  const grace = 'nodeMonitorGracePeriod';
  const notSet = 'here does not set --node-monitor-grace-period';
  test.each([
    ['v1.28.0', ['40s', 'default', notSet]],
    ['v1.31.9', ['40s', 'default', notSet]],
    ['v1.32.0', ['50s', 'default', notSet]],
    ['v1.37.2', ['50s', 'default', notSet]],
    ['v1.27.9', [undefined, 'unknown', `${notSet}, and the default of v1.27.9 is not known`]],
    ['v1.38.0', [undefined, 'unknown', `${notSet}, and the default of v1.38.0 is not known`]],
    [undefined, [undefined, 'unknown', `${notSet}, and the default of its version is not known`]],
  ])('the default of %s', (version, expected) => {
    expect(read(manager, grace, { ...started('--v=2'), version })).toEqual(expected);
  });

  // --disable-force-detach-on-timeout came with v1.30.
  test.each([
    ['v1.29.4', [], undefined],
    ['v1.30.0', [], [false, 'default', 'here does not set --disable-force-detach-on-timeout']],
    [
      'v1.29.4',
      ['--disable-force-detach-on-timeout=true'],
      [
        undefined,
        'flag',
        'here, --disable-force-detach-on-timeout',
        'unknown flag: --disable-force-detach-on-timeout',
      ],
    ],
    [
      'v1.30.0',
      ['--disable-force-detach-on-timeout=true'],
      [true, 'flag', 'here, --disable-force-detach-on-timeout'],
    ],
    [
      undefined,
      ['--disable-force-detach-on-timeout=true'],
      [true, 'flag', 'here, --disable-force-detach-on-timeout'],
    ],
  ])('a flag of v1.30 in %s with %j', (version, words, expected) => {
    const facts = { ...started(...words), version };
    expect(read(manager, 'disableForceDetachOnTimeout', facts)).toEqual(expected);
  });
});

describe('a setting of a kubelet', () => {
  const high = 'imageGCHighThresholdPercent';
  const onlyFlag = 'only a flag sets it, and no command line was read';
  test.each<Row>([
    ['is what /configz shows', high, configz({ [high]: 70 }), [70, 'configz', 'here']],
    ['is what its file says', high, file({ [high]: 70 }), [70, 'file', 'here']],
    [
      'is shown with what is wrong with it, and with nothing else',
      high,
      configz({ [high]: 170 }, `${high} must be 100 at most`, 'imageMinimumGCAge is odd'),
      [170, 'configz', 'here', `${high} must be 100 at most`],
    ],
    [
      'is unknown where it is no value',
      high,
      configz({ [high]: [70] }),
      [undefined, 'configz', 'here'],
    ],
    [
      'may be a text',
      'imageMaximumGCAge',
      configz({ imageMaximumGCAge: '9h' }),
      ['9h', 'configz', 'here'],
    ],
    [
      'is the default where its file does not say it',
      high,
      file({}),
      [85, 'default', 'here does not set it'],
    ],
    [
      'is unknown where /configz does not show it',
      high,
      configz({ [high]: null }),
      [undefined, 'unknown', 'here does not show it'],
    ],
    [
      'is empty where /configz leaves out a mapping',
      'evictionSoft',
      configz({}),
      [{}, 'configz', 'here'],
    ],
    [
      'is unknown where only a flag can set it, and a file was read',
      'maximumDeadContainers',
      file({}),
      [undefined, 'unknown', onlyFlag],
    ],
  ])('%s', (_, name, facts, expected) => {
    expect(read('kubelet', name, facts)).toEqual(expected);
  });
});

describe('a feature gate', () => {
  type GateRow = readonly [string, string, Component, Facts, readonly unknown[] | undefined];
  const gates = (text: string) => started(`--feature-gates=${text}`);
  const orders = 'OrderedNamespaceDeletion';
  const flag = 'here, --feature-gates';
  const locked = `cannot set feature gate ${orders} to false, feature is locked to true`;
  const apiServer = 'kube-apiserver';
  test.each<GateRow>([
    ['is what the flag says', orders, manager, gates(`${orders}=true`), [true, 'flag', flag]],
    [
      'is locked once it is final',
      orders,
      manager,
      gates(`${orders}=false`),
      [false, 'flag', flag, locked],
    ],
    [
      'cannot be named in a version that does not have it yet',
      orders,
      manager,
      { ...gates(`${orders}=true`), version: 'v1.29.0' },
      [true, 'flag', flag, `unrecognized feature gate: ${orders}`],
    ],
    [
      'cannot be named in a version that has it no more',
      orders,
      manager,
      { ...gates(`${orders}=true`), version: 'v1.37.2' },
      [true, 'flag', flag, `unrecognized feature gate: ${orders}`],
    ],
    [
      'is not judged in a version that is not known',
      orders,
      manager,
      { ...gates(`${orders}=false`), version: 'v1.99.0' },
      [false, 'flag', flag],
    ],
    [
      'is the default of the version',
      orders,
      manager,
      { ...started('--v=2'), version: 'v1.32.0' },
      [false, 'default', 'here does not set it'],
    ],
    [
      'is unknown where no version was told',
      orders,
      manager,
      { ...started(), version: undefined },
      [undefined, 'unknown', "here does not set it, and its version's default is not known"],
    ],
    [
      'is unknown where flags may have been missed',
      orders,
      manager,
      unclear('nothing is known of $ARGS'),
      [undefined, 'unknown', 'here: nothing is known of $ARGS'],
    ],
    [
      'is unknown where a variable stands for gates',
      orders,
      manager,
      unclear(undefined, ['feature-gates', [`${orders}=true`, '$(G)']]),
      [undefined, 'unknown', 'here: $(G) is known to the kubelet alone'],
    ],
    [
      'is unknown where nothing was read',
      'StorageVersionAPI',
      apiServer,
      {},
      [undefined, 'unknown', 'here shows nothing'],
    ],
    [
      'is what a KubeletConfiguration says',
      'KubeletSeparateDiskGC',
      'kubelet',
      configz({ featureGates: { KubeletSeparateDiskGC: false } }),
      [false, 'configz', 'here'],
    ],
    [
      'is the default where a KubeletConfiguration does not say true or false',
      'KubeletSeparateDiskGC',
      'kubelet',
      file({ featureGates: { KubeletSeparateDiskGC: 'no' } }),
      [true, 'default', 'here does not set it'],
    ],
  ])('%s', (_, name, component, facts, expected) => {
    const gate = featureGates.find((one) => one.name === name);
    if (!gate) throw new Error(`the table has no ${name}`);
    expect(shown(readGate(gate, program(component, facts)))).toEqual(expected);
  });
});
