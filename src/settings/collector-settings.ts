import { defaultSimulationSettings, type SimulationSettings } from './simulation-settings.ts';

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
