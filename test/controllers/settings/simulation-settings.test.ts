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
    expect(parseSimulationSettings(undefined, '')).toEqual(defaultSimulationSettings);
  });

  test('say what differs', () => {
    const given = { controllers: [], kubelets: false, terminatedPodGCThreshold: 0 };
    expect(parseSimulationSettings(given, '')).toEqual(given);
  });

  test('take what every settings file may hold', () => {
    const given = {
      nodeMonitorGracePeriod: '2m',
      leaderElect: false,
      leaderElectLeaseDuration: '20s',
      kubelets: false,
    };
    expect(parseSimulationSettings(given, '')).toStrictEqual({
      ...defaultSimulationSettings,
      kubelets: false,
      nodeMonitorGracePeriod: 120_000,
    });
  });

  test('take a pause before each controller, and none', () => {
    const pauseOf = (controllerStartInterval: string) =>
      parseSimulationSettings({ controllerStartInterval }, '').controllerStartInterval;
    expect([pauseOf('4s'), pauseOf('0s')]).toEqual([4000, 0]);
  });

  test('say what can be set, sorted, and the nearest name', () => {
    const suggestionsOf = (value: unknown) => {
      try {
        parseSimulationSettings(value, '');
      } catch (error) {
        return error instanceof GcError ? [error.message, ...error.suggestions] : undefined;
      }
      return undefined;
    };
    const [message, ...hints] = suggestionsOf({ kubelet: true }) ?? [];
    expect([message, hints[0]]).toEqual(['kubelet is not a setting', 'Did you mean kubelets?']);
    const names = (hints[1] ?? '').replace(/^Settings are: (.*)\.$/, '$1').split(', ');
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(
      expect.arrayContaining(['controllers', 'kubelets', 'terminatedPodGCThreshold']),
    );
    expect(suggestionsOf([])).toEqual(['the document is not a mapping', hints[1]]);
  });

  test.each([
    [['*'], 'settings is not a mapping'],
    ['*', 'settings is not a mapping'],
    [{ controllers: '*' }, 'settings.controllers is not a list of names'],
    [{ controllers: [1] }, 'settings.controllers is not a list of names'],
    [{ controllers: ['podgcc'] }, 'settings.controllers[0]: "podgcc" is not a controller'],
    [{ controllers: ['*', 1] }, 'settings.controllers is not a list of names'],
    [
      { controllerStartInterval: 4 },
      'settings.controllerStartInterval is not a duration such as 4s',
    ],
    [
      { controllerStartInterval: '-1s' },
      'settings.controllerStartInterval is not a duration such as 4s',
    ],
    [
      { controllerStartInterval: 'soon' },
      'settings.controllerStartInterval is not a duration such as 4s',
    ],
    [{ nodeMonitorPeriod: [1] }, 'settings.nodeMonitorPeriod is [1], which is not a duration'],
    [
      { nodeMonitorPeriod: ['1s'] },
      'settings.nodeMonitorPeriod is ["1s"], which is not a duration',
    ],
    [{ nodeMonitorPeriod: null }, 'settings.nodeMonitorPeriod is null, which is not a duration'],
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
