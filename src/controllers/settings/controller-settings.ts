import { usageError } from '../../errors.ts';
import { parseGoDuration } from '../../kube/go-syntax.ts';
import { didYouMean } from '../../kube/names.ts';
import { controllerManagerSettings } from './controller-manager-settings.ts';
import type { EffectiveSetting } from './effective-settings.ts';
import { enabledControllers } from './enabled-controllers.ts';
import { checkedSetting } from './flag-value.ts';
import type { SettingSource } from './read-setting.ts';

/** Settings of controllers that are durations: milliseconds here, as in `50s` in files. */
const controllerDurations = [
  'legacyServiceAccountTokenCleanUpPeriod',
  'nodeMonitorPeriod',
  'nodeMonitorGracePeriod',
  'nodeStartupGracePeriod',
  'pvClaimBinderSyncPeriod',
] as const;

type ControllerDurations = Readonly<Record<(typeof controllerDurations)[number], number>>;

/** What runs in a simulated cluster; the content of a `--settings` file. */
export interface SimulationSettings extends Partial<ControllerDurations> {
  /** kube-controller-manager's --controllers; none: only the API server works. */
  readonly controllers: readonly string[];
  /** Does a kubelet confirm the deletion of bound pods? */
  readonly kubelets: boolean;
  /** kube-controller-manager's --terminated-pod-gc-threshold. */
  readonly terminatedPodGCThreshold: number;
  /** kube-controller-manager's --controller-start-interval in milliseconds: a pause before each controller. */
  readonly controllerStartInterval?: number;
  /** kube-controller-manager's --disable-force-detach-on-timeout. */
  readonly disableForceDetachOnTimeout?: boolean;
}

export const defaultSimulationSettings: SimulationSettings = {
  controllers: ['*'],
  kubelets: true,
  terminatedPodGCThreshold: 12_500,
};

/** Checks a settings document. Usage errors name the field under `place`. */
export function parseSimulationSettings(value: unknown, place: string): SimulationSettings {
  if (value === undefined || value === null) return defaultSimulationSettings;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw invalid(place, 'is not a mapping');
  }
  const settings: { -readonly [Key in keyof SimulationSettings]: SimulationSettings[Key] } = {
    ...defaultSimulationSettings,
  };
  for (const [field, given] of Object.entries(value)) {
    const at = place === '' ? field : `${place}.${field}`;
    switch (field) {
      case 'controllers':
        if (!Array.isArray(given) || !given.every((entry) => typeof entry === 'string')) {
          throw invalid(at, 'is not a list of names');
        }
        enabledControllers(given, at);
        settings.controllers = given;
        break;
      case 'kubelets':
        if (typeof given !== 'boolean') throw invalid(at, 'is neither true nor false');
        settings.kubelets = given;
        break;
      case 'controllerStartInterval': {
        const pause = typeof given === 'string' ? parseGoDuration(given) : undefined;
        if (pause === undefined || pause < 0) throw invalid(at, 'is not a duration such as 4s');
        settings.controllerStartInterval = pause;
        break;
      }
      default: {
        const definition = controllerManagerSettings.find(({ name }) => name === field);
        if (!definition) throw invalid(at, 'is not a setting', field);
        const isThreshold = field === 'terminatedPodGCThreshold';
        if (isThreshold && !Number.isInteger(given)) throw invalid(at, 'is not a whole number');
        const value = checkedSetting(definition, given, at);
        if (isThreshold) settings.terminatedPodGCThreshold = given as number;
        if (field === 'disableForceDetachOnTimeout') settings[field] = given === true;
        const duration = controllerDurations.find((name) => name === field);
        const time = typeof value === 'string' ? parseGoDuration(value) : undefined;
        if (duration && time !== undefined) settings[duration] = time;
      }
    }
  }
  return settings;
}

function invalid(place: string, why: string, unknown?: string): Error {
  const known = ['kubelets', ...controllerManagerSettings.map(({ name }) => name)].sort();
  const subject = place === '' ? 'the document' : place;
  return usageError(`${subject} ${why}`, [
    ...(unknown === undefined ? [] : didYouMean(unknown, known)),
    `Settings are: ${known.join(', ')}.`,
  ]);
}

const second = 1000;
const hour = 3600 * second;

/** What the controllers are configured to do; durations in milliseconds. */
export interface ControllerSettings
  extends Omit<SimulationSettings, keyof ControllerDurations>,
    ControllerDurations {
  /** Does an external cloud controller manager run (NODE-1)? No setting shows this. */
  readonly cloudControllerManager: boolean;
}

export const defaultControllerSettings: ControllerSettings = {
  ...defaultSimulationSettings,
  legacyServiceAccountTokenCleanUpPeriod: 8760 * hour,
  nodeMonitorPeriod: 5 * second,
  nodeMonitorGracePeriod: 50 * second,
  nodeStartupGracePeriod: 60 * second,
  pvClaimBinderSyncPeriod: 15 * second,
  cloudControllerManager: true,
};

/**
 * The controllers' settings as read from kube-controller-manager, with defaults for those that were
 * not read.
 */
export function controllerSettingsOf(read: readonly EffectiveSetting[]): {
  readonly settings: ControllerSettings;
  /** Where the threshold was read. */
  readonly thresholdFrom: SettingSource;
} {
  const valueIn = (name: string) => read.find((setting) => setting.name === name)?.value;
  const settings: { -readonly [Key in keyof ControllerSettings]: ControllerSettings[Key] } = {
    ...defaultControllerSettings,
  };
  for (const name of controllerDurations) {
    const value = valueIn(name);
    const duration = typeof value === 'string' ? parseGoDuration(value) : undefined;
    if (duration !== undefined) settings[name] = duration;
  }
  const controllers = valueIn('controllers');
  if (isNames(controllers)) settings.controllers = controllers;
  const threshold = valueIn('terminatedPodGCThreshold');
  if (typeof threshold === 'number') settings.terminatedPodGCThreshold = threshold;
  if (valueIn('disableForceDetachOnTimeout') === true) settings.disableForceDetachOnTimeout = true;
  const found = read.find(({ name }) => name === 'terminatedPodGCThreshold');
  return { settings, thresholdFrom: found?.source ?? 'unknown' };
}

function isNames(value: EffectiveSetting['value']): value is readonly string[] {
  return Array.isArray(value);
}
