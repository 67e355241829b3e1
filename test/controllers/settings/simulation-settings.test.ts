import { describe, expect, test } from 'vitest';
import {
  defaultSimulationSettings,
  simulationSettings,
} from '../../../src/controllers/settings/controller-settings.ts';
import { Misfit } from '../../../src/kube/document-part.ts';

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

  test.each([
    [['*'], 'settings is a list, not a mapping'],
    ['*', 'settings is "*", not a mapping'],
    [{ controllers: '*' }, 'settings.controllers is "*", not a list'],
    [{ controllers: [1] }, 'settings.controllers[0] is 1, not a string'],
    [
      { controllerStartInterval: 4 },
      'settings.controllerStartInterval is 4, not a duration such as 30s, 10m or 1h30m',
    ],
    [
      { nodeMonitorPeriod: ['1s'] },
      'settings.nodeMonitorPeriod is a list, not a duration such as 30s, 10m or 1h30m',
    ],
    [{ kubelets: 'no' }, 'settings.kubelets is "no", not true or false'],
    [
      { terminatedPodGCThreshold: 1.5 },
      'settings.terminatedPodGCThreshold is 1.5, not a whole number of 32 bits',
    ],
  ])('refuse %j', (given, message) => {
    expect(misfitOf(given)?.toldIn('settings')).toBe(message);
  });
});

function misfitOf(given: unknown): Misfit | undefined {
  try {
    simulationSettings(given);
  } catch (error) {
    if (error instanceof Misfit) return error;
    throw error;
  }
  return undefined;
}
