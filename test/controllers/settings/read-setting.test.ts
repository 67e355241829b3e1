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

/** `5, flag: here, --x`, and what is wrong with it; `?` for a value that is not known. */
function shown(reading: ReturnType<typeof readSetting>): string | undefined {
  if (!reading) return undefined;
  const { value, source, readFrom, problems } = reading;
  return [`${JSON.stringify(value) ?? '?'}, ${source}: ${readFrom}`, ...problems].join('; ');
}

function read(component: Component, name: string, facts: Facts): string | undefined {
  const definition = settingsTable[component].find((one) => one.name === name);
  if (!definition) throw new Error(`the table has no ${name}`);
  return shown(readSetting(definition, program(component, facts)));
}

describe('a setting of kube-controller-manager', () => {
  const name = 'terminatedPodGCThreshold';
  const flag = '--terminated-pod-gc-threshold';
  const missed = 'nothing is known of $ARGS';
  const isFlag = `5, flag: here, ${flag}`;
  test.each<[string, Facts, string]>([
    ['is its flag', started('--v=2', `${flag}=5`), isFlag],
    [
      'is the default where no flag sets it',
      started('--v=2'),
      `12500, default: here does not set ${flag}`,
    ],
    [
      'is invalid where one of several flags is',
      started(`${flag}=x`, `${flag}=6`),
      `?, flag: here, ${flag}; invalid argument "x" for "${flag}" flag: strconv.ParseInt: parsing "x": invalid syntax`,
    ],
    [
      'is missing where the command line ends',
      started(`${flag}=5`, flag),
      `?, flag: here, ${flag}; flag needs an argument: ${flag}`,
    ],
    [
      'is unknown where a variable stands for it',
      unclear(undefined, [flag.slice(2), ['5', '$(N)']]),
      `?, unknown: here, ${flag}: $(N) is known to the kubelet alone`,
    ],
    [
      'is its flag although others may have been missed',
      unclear(missed, [flag.slice(2), ['5']]),
      isFlag,
    ],
    [
      'is unknown where its flag may have been missed',
      unclear(missed),
      `?, unknown: here: ${missed}`,
    ],
    [
      'is what a settings file says, before its flag',
      { ...started(`${flag}=5`), ...given({ [name]: 7 }) },
      '7, file: settings.yaml',
    ],
    [
      'is its flag where a settings file does not say it',
      { ...started(`${flag}=5`), ...given({ concurrentGCSyncs: 7 }) },
      isFlag,
    ],
    ['is unknown where nothing was read', {}, '?, unknown: here shows nothing'],
  ])('%s', (_, facts, expected) => {
    expect(read(manager, name, facts)).toBe(expected);
  });

  test('is all of several lists', () => {
    const facts = started('--controllers=*,-ttl', '--controllers=-job');
    expect(read(manager, 'controllers', facts)).toBe(
      '["*","-ttl","-job"], flag: here, --controllers',
    );
  });
});

describe('what versions have', () => {
  const notSet = 'here does not set --node-monitor-grace-period';
  const known = (value: string) => `"${value}", default: ${notSet}`;
  const unknown = (version: string) =>
    `?, unknown: ${notSet}, and the default of ${version} is not known`;
  test.each([
    ['v1.28.0', known('40s')],
    ['v1.31.9', known('40s')],
    ['v1.32.0', known('50s')],
    ['v1.37.2', known('50s')],
    ['v1.27.9', unknown('v1.27.9')],
    ['v1.38.0', unknown('v1.38.0')],
    [undefined, unknown('its version')],
  ])('the default of %s', (version, expected) => {
    expect(read(manager, 'nodeMonitorGracePeriod', { ...started('--v=2'), version })).toBe(
      expected,
    );
  });

  const detach = '--disable-force-detach-on-timeout';
  test.each([
    ['v1.29.4', [], undefined],
    ['v1.30.0', [], `false, default: here does not set ${detach}`],
    ['v1.29.4', [`${detach}=true`], `?, flag: here, ${detach}; unknown flag: ${detach}`],
    ['v1.30.0', [`${detach}=true`], `true, flag: here, ${detach}`],
    [undefined, [`${detach}=true`], `true, flag: here, ${detach}`],
  ])('a flag of v1.30 in %s with %j', (version, words, expected) => {
    const facts = { ...started(...words), version };
    expect(read(manager, 'disableForceDetachOnTimeout', facts)).toBe(expected);
  });
});

describe('a setting of a kubelet', () => {
  const high = 'imageGCHighThresholdPercent';
  const onlyFlag = 'only a flag sets it, and no command line was read';
  const odd = `${high} must be 100 at most`;
  test.each<[string, string, Facts, string]>([
    ['is what /configz shows', high, configz({ [high]: 70 }), '70, configz: here'],
    ['is what its file says', high, file({ [high]: 70 }), '70, file: here'],
    [
      'is shown with what is wrong with it, and with nothing else',
      high,
      configz({ [high]: 170 }, odd, 'imageMinimumGCAge is odd'),
      `170, configz: here; ${odd}`,
    ],
    ['is unknown where it is no value', high, configz({ [high]: [70] }), '?, configz: here'],
    [
      'may be a text',
      'imageMaximumGCAge',
      configz({ imageMaximumGCAge: '9h' }),
      '"9h", configz: here',
    ],
    [
      'is the default where its file does not say it',
      high,
      file({}),
      '85, default: here does not set it',
    ],
    [
      'is unknown where /configz does not show it',
      high,
      configz({ [high]: null }),
      '?, unknown: here does not show it',
    ],
    [
      'is empty where /configz leaves out a mapping',
      'evictionSoft',
      configz({}),
      '{}, configz: here',
    ],
    [
      'has no threshold that is no text',
      'evictionHard',
      file({ evictionHard: { 'memory.available': { toString: 1 }, 'imagefs.available': '15%' } }),
      '{"imagefs.available":"15%"}, file: here',
    ],
    [
      'is unknown where only a flag can set it, and a file was read',
      'maximumDeadContainers',
      file({}),
      `?, unknown: ${onlyFlag}`,
    ],
  ])('%s', (_, name, facts, expected) => {
    expect(read('kubelet', name, facts)).toBe(expected);
  });
});

describe('a feature gate', () => {
  const orders = 'OrderedNamespaceDeletion';
  const disks = 'KubeletSeparateDiskGC';
  const gates = (text: string, version = 'v1.36.3'): Facts => ({
    ...started(`--feature-gates=${orders}=${text}`),
    version,
  });
  const isOn = 'true, flag: here, --feature-gates';
  const isOff = 'false, flag: here, --feature-gates';
  const locked = `cannot set feature gate ${orders} to false, feature is locked to true`;
  const unrecognized = `unrecognized feature gate: ${orders}`;
  test.each<[string, string, Component, Facts, string]>([
    ['is what the flag says', orders, manager, gates('true'), isOn],
    ['is locked once it is final', orders, manager, gates('false'), `${isOff}; ${locked}`],
    [
      'cannot be named in a version that does not have it yet',
      orders,
      manager,
      gates('true', 'v1.29.0'),
      `${isOn}; ${unrecognized}`,
    ],
    [
      'cannot be named in a version that has it no more',
      orders,
      manager,
      gates('true', 'v1.37.2'),
      `${isOn}; ${unrecognized}`,
    ],
    [
      'is not judged in a version that is not known',
      orders,
      manager,
      gates('false', 'v1.99.0'),
      isOff,
    ],
    [
      'is the default of the version',
      orders,
      manager,
      { ...started('--v=2'), version: 'v1.32.0' },
      'false, default: here does not set it',
    ],
    [
      'is unknown where no version was told',
      orders,
      manager,
      { ...started(), version: undefined },
      "?, unknown: here does not set it, and its version's default is not known",
    ],
    [
      'is unknown where a variable stands for gates',
      orders,
      manager,
      unclear(undefined, ['feature-gates', [`${orders}=true`, '$(G)']]),
      '?, unknown: here: $(G) is known to the kubelet alone',
    ],
    [
      'is unknown where nothing was read',
      'StorageVersionAPI',
      'kube-apiserver',
      {},
      '?, unknown: here shows nothing',
    ],
    [
      'is what a KubeletConfiguration says',
      disks,
      'kubelet',
      configz({ featureGates: { [disks]: false } }),
      'false, configz: here',
    ],
    [
      'is the default where a KubeletConfiguration does not say true or false',
      disks,
      'kubelet',
      file({ featureGates: { [disks]: 'no' } }),
      'true, default: here does not set it',
    ],
  ])('%s', (_, name, component, facts, expected) => {
    const gate = featureGates.find((one) => one.name === name);
    if (!gate) throw new Error(`the table has no ${name}`);
    expect(shown(readGate(gate, program(component, facts)))).toBe(expected);
  });
});
