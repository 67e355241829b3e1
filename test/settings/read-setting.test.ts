import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseCommandLine } from '../../src/settings/control-plane-pods.ts';
import { featureGates } from '../../src/settings/feature-gates.ts';
import { readGate, readSetting } from '../../src/settings/read-setting.ts';
import type { Component } from '../../src/settings/setting-definition.ts';
import type { ProgramFacts } from '../../src/settings/settings-facts.ts';
import { flagKindOf, settingsTable } from '../../src/settings/settings-table.ts';
import { rowsOf } from '../support/rows.ts';

/**
 * What was read of a program: `flags` as they were given, `seen` as they stand in a pod, `missed` and why, a `settings`
 * file, and a KubeletConfiguration that `configz` shows or a `file` holds, with what is wrong with it.
 */
function factsIn(text: string): Partial<ProgramFacts> {
  const [, word = '', said = ''] = /^(\w+) ?(.*)$/.exec(text) ?? [];
  const { problems = [], ...fields } = parse(
    ['configz', 'file', 'settings'].includes(word) ? said : '{}',
  );
  switch (word) {
    case 'flags':
      return {
        commandLine: parseCommandLine(said.split(' '), flagKindOf('kube-controller-manager')),
      };
    case 'seen':
      return { commandLine: { flags: seenIn(said), unclear: undefined } };
    case 'missed': {
      const [why = '', seen = ''] = said.split(', seen ');
      return { commandLine: { flags: seenIn(seen), unclear: why } };
    }
    case 'settings':
      return { given: { readFrom: 'settings.yaml', values: new Map(Object.entries(fields)) } };
    case 'configz':
    case 'file':
      return { configuration: { source: word, fields, problems } };
    default:
      return {};
  }
}

/** `v=1,2`. */
function seenIn(text: string): Map<string, string[]> {
  const [name = '', values = ''] = text.split(/=(.*)/);
  return new Map(name === '' ? [] : [[name, values.split(',')]]);
}

function program(component: Component, text: string, version: string | undefined = 'v1.36.3') {
  const facts = Object.assign({}, ...text.split(' and ').map(factsIn));
  return { component, instance: 'a', readFrom: 'here', version, ...facts };
}

/** `5, flag: here, --x`, and what is wrong with it; `?` for a value that is not known. */
function shown(reading: ReturnType<typeof readSetting>): string {
  if (!reading) return '';
  const { value, source, readFrom, problems } = reading;
  return [`${JSON.stringify(value) ?? '?'}, ${source}: ${readFrom}`, ...problems].join('; ');
}

function read(component: Component, name: string, of: ProgramFacts): string {
  const definition = settingsTable()[component].find((one) => one.name === name);
  if (!definition) throw new Error(`the table has no ${name}`);
  return shown(readSetting(definition, of));
}

const versionIn = (text: string) => (text === 'unknown' ? undefined : text);

describe('a setting of kube-controller-manager', () => {
  const rows = rowsOf(`
    is its flag | flags --v=2 --concurrent-gc-syncs=5 | 5, flag: here, --concurrent-gc-syncs
    is the default where no flag sets it | flags --v=2 | 20, default: here does not set --concurrent-gc-syncs
    is invalid where one of several flags is | flags --concurrent-gc-syncs=x --concurrent-gc-syncs=6
        | ?, flag: here, --concurrent-gc-syncs; invalid argument "x" for "--concurrent-gc-syncs" flag: strconv.ParseInt: parsing "x": invalid syntax
    is missing where the command line ends | flags --concurrent-gc-syncs=5 --concurrent-gc-syncs
        | ?, flag: here, --concurrent-gc-syncs; flag needs an argument: --concurrent-gc-syncs
    is unknown where a variable stands for it | seen concurrent-gc-syncs=5,$(N)
        | ?, unknown: here, --concurrent-gc-syncs: $(N) is known to the kubelet alone
    is its flag although others may have been missed | missed of $ARGS nothing is known, seen concurrent-gc-syncs=5
        | 5, flag: here, --concurrent-gc-syncs
    is unknown where its flag may have been missed | missed of $ARGS nothing is known
        | ?, unknown: here: of $ARGS nothing is known
    is what a settings file says, before its flag | flags --concurrent-gc-syncs=5 and settings {concurrentGCSyncs: 7}
        | 7, file: settings.yaml
    is its flag where a settings file does not say it | flags --concurrent-gc-syncs=5 and settings {kubeAPIBurst: 7}
        | 5, flag: here, --concurrent-gc-syncs
    is unknown where nothing was read | nothing | ?, unknown: here shows nothing
  `);
  test.each(rows)('%s', (_, facts = '', expected) => {
    const manager = program('kube-controller-manager', facts);
    expect(read('kube-controller-manager', 'concurrentGCSyncs', manager)).toBe(expected);
  });

  test('is all of several lists', () => {
    const lists = program(
      'kube-controller-manager',
      'flags --controllers=*,-ttl --controllers=-job',
    );
    expect(read('kube-controller-manager', 'controllers', lists)).toBe(
      '["*","-ttl","-job"], flag: here, --controllers',
    );
  });
});

describe('what versions have', () => {
  // --disable-force-detach-on-timeout came with v1.30.
  const rows = rowsOf(`
    v1.28.0 | nodeMonitorGracePeriod | --v=2 | "40s", default: here does not set --node-monitor-grace-period
    v1.31.9 | nodeMonitorGracePeriod | --v=2 | "40s", default: here does not set --node-monitor-grace-period
    v1.32.0 | nodeMonitorGracePeriod | --v=2 | "50s", default: here does not set --node-monitor-grace-period
    v1.37.2 | nodeMonitorGracePeriod | --v=2 | "50s", default: here does not set --node-monitor-grace-period
    v1.27.9 | nodeMonitorGracePeriod | --v=2
        | ?, unknown: here does not set --node-monitor-grace-period, and the default of v1.27.9 is not known
    v1.39.0 | nodeMonitorGracePeriod | --v=2
        | ?, unknown: here does not set --node-monitor-grace-period, and the default of v1.39.0 is not known
    unknown | nodeMonitorGracePeriod | --v=2
        | ?, unknown: here does not set --node-monitor-grace-period, and the default of its version is not known
    v1.29.4 | disableForceDetachOnTimeout | --v=2 |
    v1.30.0 | disableForceDetachOnTimeout | --v=2 | false, default: here does not set --disable-force-detach-on-timeout
    v1.29.4 | disableForceDetachOnTimeout | --disable-force-detach-on-timeout=true
        | ?, flag: here, --disable-force-detach-on-timeout; unknown flag: --disable-force-detach-on-timeout
    v1.30.0 | disableForceDetachOnTimeout | --disable-force-detach-on-timeout=true
        | true, flag: here, --disable-force-detach-on-timeout
    unknown | disableForceDetachOnTimeout | --disable-force-detach-on-timeout=true
        | true, flag: here, --disable-force-detach-on-timeout
  `);
  test.each(rows)('%s: %s with %s', (version = '', name = '', flags = '', expected = '') => {
    const manager = {
      ...program('kube-controller-manager', `flags ${flags}`),
      version: versionIn(version),
    };
    expect(read('kube-controller-manager', name, manager)).toBe(expected);
  });
});

describe('a setting of a kubelet', () => {
  const rows = rowsOf(`
    is what /configz shows | nodeStatusMaxImages | configz {nodeStatusMaxImages: 70} | 70, configz: here
    is what its file says | nodeStatusMaxImages | file {nodeStatusMaxImages: 70} | 70, file: here
    is shown with what is wrong with it, and with nothing else | nodeStatusMaxImages
        | configz {nodeStatusMaxImages: -7, problems: [nodeStatusMaxImages -7 is odd, imageMinimumGCAge is odd]}
        | -7, configz: here; nodeStatusMaxImages -7 is odd
    is unknown where it is no value | nodeStatusMaxImages | configz {nodeStatusMaxImages: [70]} | ?, configz: here
    may be a text | imageMaximumGCAge | configz {imageMaximumGCAge: 9h} | "9h", configz: here
    is the default where its file does not say it | nodeStatusMaxImages | file {} | 50, default: here does not set it
    is unknown where /configz does not show it | nodeStatusMaxImages | configz {nodeStatusMaxImages: null}
        | ?, unknown: here does not show it
    is empty where /configz leaves out a mapping | evictionSoft | configz {} | {}, configz: here
    has no threshold that is no text | evictionHard
        | file {evictionHard: {memory.available: {toString: 1}, imagefs.available: 15%}} | {"imagefs.available":"15%"}, file: here
    is unknown where only a flag can set it, and a file was read | maximumDeadContainers | file {}
        | ?, unknown: only a flag sets it, and no command line was read
  `);
  test.each(rows)('%s', (_, name = '', facts = '', expected) => {
    expect(read('kubelet', name, program('kubelet', facts))).toBe(expected);
  });
});

describe('a feature gate', () => {
  const [orders, disks] = ['OrderedNamespaceDeletion', 'KubeletSeparateDiskGC'];
  const rows = rowsOf(`
    is what the flag says | v1.36.3 | flags --feature-gates=ORDERS=true | true, flag: here, --feature-gates
    is locked once it is final | v1.36.3 | flags --feature-gates=ORDERS=false
        | false, flag: here, --feature-gates; cannot set feature gate ORDERS to false, feature is locked to true
    cannot be named before a version has it | v1.29.0 | flags --feature-gates=ORDERS=true
        | true, flag: here, --feature-gates; unrecognized feature gate: ORDERS
    cannot be named once a version has it no more | v1.37.2 | flags --feature-gates=ORDERS=true
        | true, flag: here, --feature-gates; unrecognized feature gate: ORDERS
    is not judged in a version that is not known | v1.99.0 | flags --feature-gates=ORDERS=false
        | false, flag: here, --feature-gates
    is the default of the version | v1.32.0 | flags --v=2 | false, default: here does not set it
    is unknown where no version was told | unknown | flags --v=2
        | ?, unknown: here does not set it, and its version's default is not known
    is unknown where flags may have been missed | v1.36.3 | missed of $ARGS nothing is known
        | ?, unknown: here: of $ARGS nothing is known
    is unknown where a variable stands for gates | v1.36.3 | seen feature-gates=ORDERS=true,$(G)
        | ?, unknown: here: $(G) is known to the kubelet alone
    is unknown where nothing was read | v1.36.3 | nothing | ?, unknown: here shows nothing
    is what a KubeletConfiguration says          | v1.36.3 | configz {featureGates: {DISKS: false}}     | false, configz: here
    is the default where that is not true or false | v1.36.3 | file {featureGates: {DISKS: no}}
        | true, default: here does not set it
  `);
  test.each(rows)('%s', (_, version = '', facts = '', expected = '') => {
    const isKubelet = facts.includes('DISKS');
    const gate = featureGates().find(({ name }) => name === (isKubelet ? disks : orders));
    if (!gate) throw new Error('no such gate');
    const text = facts.replace('ORDERS', gate.name).replace('DISKS', gate.name);
    const of = program(isKubelet ? 'kubelet' : 'kube-controller-manager', text);
    expect(shown(readGate(gate, { ...of, version: versionIn(version) }))).toBe(
      expected.replace('ORDERS', gate.name),
    );
  });
});
