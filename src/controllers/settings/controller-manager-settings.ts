import { formatGoDuration, parseGoDuration } from '../../kube/go-syntax.ts';
import { enabledControllers } from './enabled-controllers.ts';
import { type SettingDefinition, type SettingValue, settingsOfRows } from './setting-definition.ts';

/** Flag, name, type, default, controllers, rule; what it means. */
const table = `
  controllers controllers strings * all KCM-1
    which controllers run
  controller-start-interval controllerStartInterval duration 0s all KCM-3
    wait before each controller starts
  leader-elect leaderElect bool true all KCM-7
    only the leader of several replicas collects
  leader-elect-lease-duration leaderElectLeaseDuration duration 15s all KCM-7
    how long a dead leader holds up collection
  leader-elect-renew-deadline leaderElectRenewDeadline duration 10s all KCM-7
    when a leader gives up that cannot renew its Lease
  leader-elect-retry-period leaderElectRetryPeriod duration 2s all KCM-7
    how often replicas try to lead
  kube-api-qps kubeAPIQPS float32 20 all GC-78
    requests a second of each controller; the garbage collector has twice as many
  kube-api-burst kubeAPIBurst int32 30 all GC-78
    requests at once of each controller
  enable-garbage-collector enableGarbageCollector bool true garbage-collector GC-78
    collect objects whose owners are gone
  concurrent-gc-syncs concurrentGCSyncs int32 20 garbage-collector GC-78
    workers that delete, and as many that orphan
  terminated-pod-gc-threshold terminatedPodGCThreshold int32 12500 pod-garbage-collector PG-3
    terminated pods that are kept; 0 or less keeps all
  pvclaimbinder-sync-period pvClaimBinderSyncPeriod duration 15s persistentvolume-reclaim PV-1
    how often volumes and claims are looked at
  enable-hostpath-provisioner enableHostPathProvisioner bool false persistentvolume-reclaim PV-6
    provision and reclaim hostPath volumes
  disable-force-detach-on-timeout disableForceDetachOnTimeout bool false attachdetach ATT-2
    volumes stay attached to Nodes that are not ready or gone
  node-monitor-period nodeMonitorPeriod duration 5s node-lifecycle,cloud-node NODE-4
    how often nodes are looked at
  node-monitor-grace-period nodeMonitorGracePeriod duration 50s node-lifecycle NODE-4
    silence after which a node is unhealthy
  node-startup-grace-period nodeStartupGracePeriod duration 1m0s node-lifecycle NODE-4
    the same for a node that has not reported yet
  node-eviction-rate nodeEvictionRate float32 0.1 node-lifecycle NODE-5
    nodes a second that get the taint that evicts
  secondary-node-eviction-rate secondaryNodeEvictionRate float32 0.01 node-lifecycle NODE-5
    the same in an unhealthy zone
  unhealthy-zone-threshold unhealthyZoneThreshold float32 0.55 node-lifecycle NODE-5
    share of nodes not ready that makes a zone unhealthy
  large-cluster-size-threshold largeClusterSizeThreshold int32 50 node-lifecycle NODE-5
    nodes up to which an unhealthy zone is not tainted at all
  namespace-sync-period namespaceSyncPeriod duration 5m0s namespace GC-72
    how often all namespaces are looked at
  legacy-service-account-token-clean-up-period legacyServiceAccountTokenCleanUpPeriod duration 8760h0m0s legacy-serviceaccount-token-cleaner SAT-1
    time without use before a token is marked, and again before it goes
`;

type More = Partial<Pick<SettingDefinition, 'earlier' | 'since' | 'unit' | 'fault'>>;

const more: Readonly<Record<string, More>> = {
  controllers: { fault: unknownControllers },
  'kube-api-qps': { unit: 'requests/s' },
  'node-monitor-grace-period': { earlier: { before: 32, default: '40s' } },
  'node-eviction-rate': { unit: 'nodes/s' },
  'secondary-node-eviction-rate': { unit: 'nodes/s' },
  'large-cluster-size-threshold': { unit: 'nodes' },
  'legacy-service-account-token-clean-up-period': {
    fault: (value) => {
      const period = parseGoDuration(String(value)) ?? 1;
      return period <= 0 ? `invalid CleanUpPeriod: ${formatGoDuration(period)}` : undefined;
    },
  },
  'disable-force-detach-on-timeout': { since: 30 },
};

/** The flags of kube-controller-manager that decide what its controllers clean up. */
export const controllerManagerSettings: readonly SettingDefinition[] = settingsOfRows(
  'kube-controller-manager',
  table,
  more,
);

function unknownControllers(value: SettingValue): string | undefined {
  const names = Array.isArray(value) ? (value as readonly string[]) : [];
  const faults = names
    .filter((name) => !isKnown(name))
    .map(
      (name) => `${JSON.stringify(name.replace(/^-/, ''))} is not in the list of known controllers`,
    );
  return faults.join(', ') || undefined;
}

function isKnown(name: string): boolean {
  try {
    enabledControllers([name]);
    return true;
  } catch {
    return false;
  }
}
