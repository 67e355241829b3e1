import { expect, test } from 'vitest';
import { parseCommandLine } from '../../../src/controllers/settings/command-line.ts';
import type { Component } from '../../../src/controllers/settings/setting-definition.ts';
import { flagKindOf } from '../../../src/controllers/settings/settings-table.ts';
import { unknownFlagFaults } from '../../../src/controllers/settings/unknown-flags.ts';

const faultsOf = (
  text: string,
  version?: string,
  component: Component = 'kube-controller-manager',
) =>
  unknownFlagFaults({
    component,
    instance: 'a',
    readFrom: 'a',
    version,
    commandLine: parseCommandLine(
      text.split(' ').map((word) => ({ text: word })),
      flagKindOf(component),
    ),
  });

test('an unknown flag is told in the words of the program, with the nearest name', () => {
  expect(faultsOf('--terminatd-pod-gc-threshold=5 --v=2', 'v1.36.3')).toEqual([
    'unknown flag: --terminatd-pod-gc-threshold. Did you mean --terminated-pod-gc-threshold?',
  ]);
  expect(faultsOf('--frobnicate-the-whole-cluster', 'v1.36')).toEqual([
    'unknown flag: --frobnicate-the-whole-cluster',
  ]);
});

test('known flags are those of --help, deprecated ones and underscores included', () => {
  expect(faultsOf('--leader_elect --node-sync-period=5s --help --version', 'v1.36.3')).toEqual([]);
});

test('nothing is said of the flags of other programs', () => {
  expect(faultsOf('--etcd-servers=x', 'v1.36.3', 'kube-apiserver')).toEqual([]);
});

test('nothing is said of a version whose flags are not known', () => {
  expect(faultsOf('--pod-eviction-timeout=5m', 'v1.26.0')).toEqual([]);
  expect(faultsOf('--pod-eviction-timeout=5m')).toEqual([]);
});
