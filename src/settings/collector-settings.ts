import { parseGoDuration } from '../kubelet/go-duration.ts';
import type { EffectiveSetting } from './effective/effective-settings.ts';
import type { SettingSource } from './effective/read-setting.ts';
import {
  collectorDurations,
  defaultSimulationSettings,
  type SimulationSettings,
} from './simulation-settings.ts';

const second = 1000;
const hour = 3600 * second;

/** What the collectors are configured to do; durations in milliseconds. */
export interface CollectorSettings extends SimulationSettings {
  /** --legacy-service-account-token-clean-up-period (SAT-1). */
  readonly legacyServiceAccountTokenCleanUpPeriod: number;
  /** --node-monitor-period (NODE-4). */
  readonly nodeMonitorPeriod: number;
  /** --node-monitor-grace-period (NODE-4). */
  readonly nodeMonitorGracePeriod: number;
  /** --node-startup-grace-period (NODE-4). */
  readonly nodeStartupGracePeriod: number;
  /** --pvclaimbinder-sync-period: how often volumes are looked at. */
  readonly pvClaimBinderSyncPeriod: number;
  /** Does an external cloud controller manager run (NODE-1)? It is not told anywhere. */
  readonly cloudControllerManager: boolean;
}

export const defaultCollectorSettings: CollectorSettings = {
  ...defaultSimulationSettings,
  legacyServiceAccountTokenCleanUpPeriod: 8760 * hour,
  nodeMonitorPeriod: 5 * second,
  nodeMonitorGracePeriod: 50 * second,
  nodeStartupGracePeriod: 60 * second,
  pvClaimBinderSyncPeriod: 15 * second,
  cloudControllerManager: true,
};

/** The collectors' settings among what was read of kube-controller-manager; the defaults for what was not. */
export function collectorSettingsOf(read: readonly EffectiveSetting[]): {
  readonly settings: CollectorSettings;
  /** Where the threshold was read. */
  readonly thresholdFrom: SettingSource;
} {
  const valueIn = (name: string) => read.find((setting) => setting.name === name)?.value;
  const settings: { -readonly [Key in keyof CollectorSettings]: CollectorSettings[Key] } = {
    ...defaultCollectorSettings,
  };
  for (const name of collectorDurations) {
    const value = valueIn(name);
    const duration = typeof value === 'string' ? parseGoDuration(value) : undefined;
    if (duration !== undefined) settings[name] = duration;
  }
  const controllers = valueIn('controllers');
  if (isNames(controllers)) settings.controllers = controllers;
  const threshold = valueIn('terminatedPodGCThreshold');
  if (typeof threshold === 'number') settings.terminatedPodGCThreshold = threshold;
  const found = read.find(({ name }) => name === 'terminatedPodGCThreshold');
  return { settings, thresholdFrom: found?.source ?? 'unknown' };
}

function isNames(value: EffectiveSetting['value']): value is readonly string[] {
  return Array.isArray(value);
}
