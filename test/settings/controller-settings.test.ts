import { describe, expect, test } from 'vitest';
import {
  controllerSettingsOf,
  decidingSettings,
  defaultControllerSettings,
} from '../../src/settings/controller-settings.ts';
import { isDeciding } from '../../src/settings/deciding-settings.ts';
import type { EffectiveSetting } from '../../src/settings/effective-settings.ts';
import { enabledControllers } from '../../src/settings/enabled-controllers.ts';
import { featureGates } from '../../src/settings/feature-gates.ts';
import {
  minorOf,
  minorOrAssumed,
  type SettingValue,
} from '../../src/settings/setting-definition.ts';
import { settingsTable } from '../../src/settings/settings-table.ts';

/** A setting as it was read; undefined: its value is not known. */
function read(name: string, value: SettingValue | undefined): EffectiveSetting {
  return {
    component: 'kube-controller-manager',
    name,
    ...(value !== undefined && { value }),
    source: value === undefined ? 'unknown' : 'flag',
    readFrom: 'here',
    default: '',
    defaultOf: 'v1.36',
    instances: ['a'],
    problems: [],
    collectors: [],
    rule: '',
    means: '',
  };
}

describe('what controllers do', () => {
  const second = 1000;

  // The defaults of pkg/controller/*/config/v1alpha1/defaults.go, v1.36.
  test('is upstream’s default where nothing was read', () => {
    expect(controllerSettingsOf([])).toStrictEqual({
      settings: {
        controllers: ['*'],
        kubelets: true,
        terminatedPodGCThreshold: 12_500,
        legacyServiceAccountTokenCleanUpPeriod: 365 * 24 * 3600 * second,
        nodeMonitorPeriod: 5 * second,
        nodeMonitorGracePeriod: 50 * second,
        nodeStartupGracePeriod: 60 * second,
        pvClaimBinderSyncPeriod: 15 * second,
        largeClusterSizeThreshold: 50,
        nodeEvictionRate: 0.1,
        secondaryNodeEvictionRate: 0.01,
        unhealthyZoneThreshold: 0.55,
        cloudControllerManager: true,
      },
      thresholdFrom: 'unknown',
      controllersFrom: 'unknown',
    });
  });

  test('is what was read', () => {
    const { settings, thresholdFrom } = controllerSettingsOf([
      read('controllers', ['*', '-podgc']),
      read('terminatedPodGCThreshold', 7),
      read('legacyServiceAccountTokenCleanUpPeriod', '24h0m0s'),
      read('nodeMonitorPeriod', '6s'),
      read('nodeMonitorGracePeriod', '1m0s'),
      read('nodeStartupGracePeriod', '2m0s'),
      read('pvClaimBinderSyncPeriod', '250ms'),
      read('leaderElectLeaseDuration', '9s'),
    ]);
    expect({ settings, thresholdFrom }).toStrictEqual({
      settings: {
        ...defaultControllerSettings,
        controllers: ['*', '-podgc'],
        terminatedPodGCThreshold: 7,
        legacyServiceAccountTokenCleanUpPeriod: 24 * 3600 * second,
        nodeMonitorPeriod: 6 * second,
        nodeMonitorGracePeriod: 60 * second,
        nodeStartupGracePeriod: 120 * second,
        pvClaimBinderSyncPeriod: 250,
      },
      thresholdFrom: 'flag',
    });
  });

  test('does not include the garbage collector where --enable-garbage-collector is false', () => {
    const given = [read('controllers', ['*']), read('enableGarbageCollector', false)];
    const { controllers } = controllerSettingsOf(given).settings;
    expect(controllers).toEqual(['-garbage-collector-controller', '*']);
    expect(enabledControllers(controllers)('garbage-collector-controller')).toBe(false);
    const on = [read('controllers', ['ttl']), read('enableGarbageCollector', true)];
    expect(controllerSettingsOf(on).settings.controllers).toEqual(['ttl']);
  });

  test('leaves the flag of that name of kube-apiserver to the API server', () => {
    const off = { ...read('enableGarbageCollector', false), component: 'kube-apiserver' as const };
    const { controllers, apiServerCollectsGarbage } = controllerSettingsOf([off]).settings;
    expect([controllers, apiServerCollectsGarbage]).toEqual([['*'], false]);
  });

  test('goes by every setting that is not said to be shown only, and by no other', () => {
    const asked = new Set<string>();
    decidingSettings((name) => {
      asked.add(name);
      return undefined;
    });
    const manager = 'kube-controller-manager';
    const names = [
      ...settingsTable()[manager].map(({ name }) => ({ name, isGate: false })),
      ...featureGates().map(({ name }) => ({ name, isGate: true })),
    ];
    const deciding = names.filter(({ name, isGate }) => isDeciding(manager, name, isGate));
    // startInterval reads it.
    asked.add('controllerStartInterval');
    expect(deciding.map(({ name }) => name).sort()).toEqual([...asked].sort());
  });

  test('is the default where a value is not known', () => {
    const names = ['controllers', 'terminatedPodGCThreshold', 'nodeMonitorPeriod'];
    expect(controllerSettingsOf(names.map((name) => read(name, undefined)))).toStrictEqual({
      settings: defaultControllerSettings,
      thresholdFrom: 'unknown',
      controllersFrom: 'unknown',
    });
    const known = [read('controllers', undefined), read('terminatedPodGCThreshold', 7)];
    expect(controllerSettingsOf(known).thresholdFrom).toBe('flag');
    const odd = [read('nodeMonitorPeriod', 'soon'), read('nodeStartupGracePeriod', 5)];
    expect(controllerSettingsOf(odd).settings).toStrictEqual(defaultControllerSettings);
  });
});

test('the minor version of Kubernetes 1, or else the one that tests run against', () => {
  const versions = ['v1.34.4', '1.37', 'v1.35.1-eks-5', 'v2.1.36', 'v11.34.0', 'latest', undefined];
  expect(versions.map((version) => minorOf(version))).toEqual([
    34,
    37,
    35,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(versions.map((version) => minorOrAssumed(version))).toEqual([34, 37, 35, 36, 36, 36, 36]);
});
