import { second } from '../kube/time.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { parseGoDuration } from '../syntax/go-syntax.ts';
import { controllerDurations, controllerNumbers, decidingGates } from './deciding-settings.ts';
import type { EffectiveSetting } from './effective-settings.ts';
import { garbageCollectorName } from './enabled-controllers.ts';
import type { SettingSource } from './read-setting.ts';
import type { Component, SettingValue } from './setting-definition.ts';

type ControllerDurations = Readonly<Record<(typeof controllerDurations)[number], number>>;

type ControllerNumbers = Readonly<Record<(typeof controllerNumbers)[number], number>>;

/** Those that were read. */
type DecidingGates = Readonly<Partial<Record<(typeof decidingGates)[number], boolean>>>;

/** What runs in a simulated cluster; the content of a `--settings` file. */
export interface SimulationSettings
  extends Partial<ControllerDurations>,
    Partial<Omit<ControllerNumbers, 'terminatedPodGCThreshold'>> {
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

const hour = 3600 * second;

/** What the controllers are configured to do; durations in milliseconds. */
export interface ControllerSettings
  extends Omit<SimulationSettings, keyof ControllerDurations | keyof ControllerNumbers>,
    ControllerDurations,
    ControllerNumbers,
    DecidingGates {
  /** kube-apiserver's --enable-garbage-collector: without it, a DELETE neither orphans nor waits for dependents (GC-57). */
  readonly apiServerCollectsGarbage?: boolean;
  /** kube-controller-manager's --use-service-account-credentials: without it, all controllers send requests as one user. */
  readonly useServiceAccountCredentials?: boolean;
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
  largeClusterSizeThreshold: 50,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  cloudControllerManager: true,
};

/** The settings that were read, and no others. */
export type SeenSettings = Partial<ControllerSettings>;

/**
 * The controllers' settings as read from kube-controller-manager, with defaults for those that were
 * not read.
 */
export function controllerSettingsOf(read: readonly EffectiveSetting[]): {
  readonly settings: ControllerSettings;
  readonly thresholdFrom: SettingSource;
  /** Where it was read which controllers run. */
  readonly controllersFrom: SettingSource;
} {
  const sourceOf = (name: string) => settingNamed(read, name)?.source ?? 'unknown';
  return {
    settings: { ...defaultControllerSettings, ...seenSettingsIn(read) },
    thresholdFrom: sourceOf('terminatedPodGCThreshold'),
    controllersFrom: sourceOf('controllers'),
  };
}

export function seenSettingsIn(read: readonly EffectiveSetting[]): SeenSettings {
  const isOff = settingNamed(read, 'enableGarbageCollector', 'kube-apiserver')?.value === false;
  return {
    ...decidingSettings((name) => settingNamed(read, name)?.value),
    ...(isOff && { apiServerCollectsGarbage: false }),
  };
}

function settingNamed(
  read: readonly EffectiveSetting[],
  name: string,
  of: Component = 'kube-controller-manager',
) {
  return read.find(({ name: own, component }) => own === name && component === of);
}

/** The snapshot with what was read of `--controllers`. */
export function withControllers(snapshot: Snapshot, { controllers }: ControllerSettings): Snapshot {
  const isKnown = [defaultControllerSettings.controllers, snapshot.controllers].includes(
    controllers,
  );
  return isKnown ? snapshot : { ...snapshot, controllers };
}

type Deciding = { -readonly [Key in keyof ControllerSettings]?: ControllerSettings[Key] };

/** What controllers go by, of the settings that have a value. */
export function decidingSettings(read: (name: string) => SettingValue | undefined): Deciding {
  const settings: Deciding = {};
  for (const name of controllerDurations) {
    const duration = durationOf(read(name));
    if (duration !== undefined) settings[name] = duration;
  }
  const controllers = read('controllers');
  if (Array.isArray(controllers)) settings.controllers = controllers;
  if (read('enableGarbageCollector') === false) {
    // The first entry for a controller counts.
    const others = settings.controllers ?? defaultControllerSettings.controllers;
    settings.controllers = [`-${garbageCollectorName}`, ...others];
  }
  for (const name of controllerNumbers) {
    const number = read(name);
    if (typeof number === 'number') settings[name] = number;
  }
  if (read('disableForceDetachOnTimeout') === true) settings.disableForceDetachOnTimeout = true;
  if (read('useServiceAccountCredentials') === false) settings.useServiceAccountCredentials = false;
  for (const name of decidingGates) {
    const on = read(name);
    if (typeof on === 'boolean') settings[name] = on;
  }
  return settings;
}

function durationOf(value: SettingValue | undefined): number | undefined {
  return typeof value === 'string' ? parseGoDuration(value) : undefined;
}

/** A pause before each controller cannot be negative. */
export function startInterval(
  value: SettingValue | undefined,
): Pick<SimulationSettings, 'controllerStartInterval'> {
  const pause = durationOf(value) ?? 0;
  return pause > 0 ? { controllerStartInterval: pause } : {};
}
