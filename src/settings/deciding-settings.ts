import type { Component } from './setting-definition.ts';

/** Settings of controllers that are durations: milliseconds here, as in `50s` in files. */
export const controllerDurations = [
  'legacyServiceAccountTokenCleanUpPeriod',
  'nodeMonitorPeriod',
  'nodeMonitorGracePeriod',
  'nodeStartupGracePeriod',
  'pvClaimBinderSyncPeriod',
] as const;

/** Settings that are numbers. */
export const controllerNumbers = [
  'terminatedPodGCThreshold',
  'largeClusterSizeThreshold',
  'nodeEvictionRate',
  'secondaryNodeEvictionRate',
  'unhealthyZoneThreshold',
] as const;

/** Feature gates of kube-controller-manager by which controllers decide. */
export const decidingGates = ['DRAWorkloadResourceClaims', 'StatefulSetRecreateStrategy'] as const;

/** By component: settings and gates by which anything here is decided; all others are only shown. */
const deciding: Readonly<Record<Component, ReadonlySet<string> | 'all settings'>> = {
  'kube-controller-manager': new Set([
    ...controllerDurations,
    ...controllerNumbers,
    ...decidingGates,
    ...['controllers', 'controllerStartInterval', 'disableForceDetachOnTimeout'],
    ...['enableGarbageCollector', 'useServiceAccountCredentials'],
  ]),
  'kube-apiserver': new Set(['enableGarbageCollector']),
  kubelet: 'all settings',
};

/** Is anything decided by this setting or gate? */
export function isDeciding(component: Component, name: string, isGate: boolean): boolean {
  const names = deciding[component];
  return names === 'all settings' ? !isGate : names.has(name);
}
