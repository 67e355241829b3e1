import { describe, expect, test } from 'vitest';
import {
  defaultSimulationSettings,
  parseSimulationSettings,
} from '../../../src/controllers/settings/controller-settings.ts';
import { GcError } from '../../../src/errors.ts';

describe('settings of a simulation', () => {
  test('have defaults', () => {
    expect(defaultSimulationSettings).toEqual({
      controllers: ['*'],
      kubelets: true,
      terminatedPodGCThreshold: 12_500,
    });
    expect(parseSimulationSettings({}, '')).toEqual(defaultSimulationSettings);
    // An empty file.
    expect(parseSimulationSettings(null, '')).toEqual(defaultSimulationSettings);
  });

  test('say what differs', () => {
    const given = { controllers: [], kubelets: false, terminatedPodGCThreshold: 0 };
    expect(parseSimulationSettings(given, '')).toEqual(given);
  });

  test('take what every settings file may hold', () => {
    const given = { nodeMonitorGracePeriod: '2m', leaderElect: false, kubelets: false };
    expect(parseSimulationSettings(given, '')).toEqual({
      ...defaultSimulationSettings,
      kubelets: false,
      nodeMonitorGracePeriod: 120_000,
    });
  });

  test.each([
    [['*'], 'settings is not a mapping'],
    ['*', 'settings is not a mapping'],
    [{ controllers: '*' }, 'settings.controllers is not a list of names'],
    [{ controllers: [1] }, 'settings.controllers is not a list of names'],
    [{ controllers: ['podgcc'] }, 'settings.controllers[0]: "podgcc" is not a controller'],
    [{ kubelets: 'no' }, 'settings.kubelets is neither true nor false'],
    [{ terminatedPodGCThreshold: 1.5 }, 'settings.terminatedPodGCThreshold is not a whole number'],
    [{ kubelet: true }, 'settings.kubelet is not a setting'],
    [
      { terminatedPodGCThreshold: 2_147_483_648 },
      'settings.terminatedPodGCThreshold: invalid argument "2147483648" for "--terminated-pod-gc-threshold" flag: strconv.ParseInt: parsing "2147483648": value out of range',
    ],
    [
      { nodeMonitorPeriod: '2d' },
      'settings.nodeMonitorPeriod: invalid argument "2d" for "--node-monitor-period" flag: time: unknown unit "d" in duration "2d"',
    ],
    [
      { concurrentDaemonSetSyncs: 0 },
      'settings.concurrentDaemonSetSyncs: kube-controller-manager does not start with this: concurrent-daemonset-syncs must be greater than 0, but got 0',
    ],
  ])('refuse %j', (given, message) => {
    const refuse = () => parseSimulationSettings(given, 'settings');
    expect(refuse).toThrow(GcError);
    expect(refuse).toThrow(message);
    expect(refuse).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});
