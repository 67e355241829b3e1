import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultSimulationSettings } from '../../src/settings/controller-settings.ts';
import { simulationSettings } from '../../src/settings/given-settings.ts';
import { InvalidDocument } from '../../src/syntax/document-part.ts';
import { rowsOf } from '../support/rows.ts';

describe('settings of a simulation', () => {
  test('have defaults', () => {
    expect(defaultSimulationSettings).toEqual({
      controllers: ['*'],
      kubelets: true,
      terminatedPodGCThreshold: 12_500,
    });
    expect(simulationSettings({})).toEqual(defaultSimulationSettings);
    // An empty file.
    expect(simulationSettings(null)).toEqual(defaultSimulationSettings);
    expect(simulationSettings(undefined)).toEqual(defaultSimulationSettings);
  });

  test('say what differs', () => {
    const given = { controllers: [], kubelets: false, terminatedPodGCThreshold: 0 };
    expect(simulationSettings(given)).toEqual(given);
  });

  test('take what every settings file may hold', () => {
    const given = {
      nodeMonitorGracePeriod: '2m',
      leaderElect: false,
      leaderElectLeaseDuration: '20s',
      kubelets: false,
    };
    expect(simulationSettings(given)).toStrictEqual({
      ...defaultSimulationSettings,
      kubelets: false,
      nodeMonitorGracePeriod: 120_000,
    });
  });

  test('take a pause before each controller, and none', () => {
    const pauseOf = (controllerStartInterval: string) =>
      simulationSettings({ controllerStartInterval }).controllerStartInterval;
    expect([pauseOf('4s'), pauseOf('0s')]).toEqual([4000, undefined]);
  });

  test('name what can be set, and the nearest name', () => {
    const error = misfitOf({ kubelet: true });
    expect([error?.place, ...(error?.hints ?? [])]).toEqual(['.kubelet', 'Did you mean kubelets?']);
    const names = (error?.message ?? '').replace(/^is not known here; known are /, '').split(', ');
    expect(names).toEqual(
      expect.arrayContaining(['controllers', 'kubelets', 'terminatedPodGCThreshold']),
    );
  });

  const refused = rowsOf(`
    [*]                                        | settings is a list, not a mapping
    '*'                                        | settings is "*", not a mapping
    controllers: '*'                           | settings.controllers is "*", not a list
    controllers: [1]                           | settings.controllers[0] is 1, not a string
    controllers: [podgcc]
        | settings.controllers would keep kube-controller-manager from starting: "podgcc" is not in the list of known controllers
    controllerStartInterval: 4
        | settings.controllerStartInterval cannot be read: invalid argument "4" for "--controller-start-interval" flag: time: missing unit in duration "4"
    nodeMonitorPeriod: [1s]                    | settings.nodeMonitorPeriod is a list, not a number, a text, true or false
    kubelets: no way                           | settings.kubelets is "no way", not true or false
    terminatedPodGCThreshold: 1.5
        | settings.terminatedPodGCThreshold cannot be read: invalid argument "1.5" for "--terminated-pod-gc-threshold" flag: strconv.ParseInt: parsing "1.5": invalid syntax
    terminatedPodGCThreshold: 2147483648
        | settings.terminatedPodGCThreshold cannot be read: invalid argument "2147483648" for "--terminated-pod-gc-threshold" flag: strconv.ParseInt: parsing "2147483648": value out of range
    legacyServiceAccountTokenCleanUpPeriod: 0s
        | settings.legacyServiceAccountTokenCleanUpPeriod would keep kube-controller-manager from starting: invalid CleanUpPeriod: 0s
  `);
  test.each(refused)('refuse %s', (given = '', message) => {
    expect(misfitOf(parse(given.replace('[*]', "['*']")))?.messageAt('settings')).toBe(message);
  });
});

function misfitOf(given: unknown): InvalidDocument | undefined {
  try {
    simulationSettings(given);
  } catch (error) {
    if (error instanceof InvalidDocument) return error;
    throw error;
  }
  return undefined;
}
