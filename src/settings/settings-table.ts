import { formatGoDuration, parseGoDuration } from '../syntax/go-syntax.ts';
import { isController } from './enabled-controllers.ts';
import type {
  Component,
  FlagKind,
  SettingDefinition,
  SettingType,
  SettingValue,
} from './setting-definition.ts';

/**
 * By component: flag, name, type, default, controllers, rule, and of some the unit, `since` which minor version of Kubernetes 1
 * it is there, or what it was `before`; then what it means. `-` stands for no flag, and for nothing as default.
 */
const settingTable = `
kube-controller-manager
  controllers controllers strings * all KCM-1
    which controllers run
  controller-start-interval controllerStartInterval duration 0s all KCM-3
    wait before each controller starts
  leader-elect leaderElect bool true all KCM-7
    only the leader of several replicas collects
  leader-elect-lease-duration leaderElectLeaseDuration duration 15s all KCM-7
    leader lease duration
  leader-elect-renew-deadline leaderElectRenewDeadline duration 10s all KCM-7
    time after which a leader that cannot renew its Lease stops
  leader-elect-retry-period leaderElectRetryPeriod duration 2s all KCM-7
    how often replicas try to lead
  kube-api-qps kubeAPIQPS float32 20 all GC-78 unit=requests/s
    requests a second of each controller; the garbage collector has twice as many
  kube-api-burst kubeAPIBurst int32 30 all GC-78
    burst of requests of each controller
  enable-garbage-collector enableGarbageCollector bool true garbage-collector GC-78
    collect objects whose owners do not exist
  use-service-account-credentials useServiceAccountCredentials bool false garbage-collector,namespace GC-78
    each controller sends requests as a ServiceAccount of its own
  concurrent-gc-syncs concurrentGCSyncs int32 20 garbage-collector GC-78
    workers that delete, and as many that orphan
  terminated-pod-gc-threshold terminatedPodGCThreshold int32 12500 pod-garbage-collector PG-3
    terminated pods that are kept; 0 or less keeps all
  pvclaimbinder-sync-period pvClaimBinderSyncPeriod duration 15s persistentvolume-reclaim PV-1
    how often volumes and claims are synced
  enable-hostpath-provisioner enableHostPathProvisioner bool false persistentvolume-reclaim PV-6
    provision and reclaim hostPath volumes
  disable-force-detach-on-timeout disableForceDetachOnTimeout bool false attachdetach ATT-2 since=30
    volumes stay attached to Nodes that are NotReady or deleted
  node-monitor-period nodeMonitorPeriod duration 5s node-lifecycle,cloud-node NODE-4
    how often nodes are checked
  node-monitor-grace-period nodeMonitorGracePeriod duration 50s node-lifecycle NODE-4 before=32:40s
    time without a heartbeat before a node is NotReady
  node-startup-grace-period nodeStartupGracePeriod duration 1m0s node-lifecycle NODE-4
    the same for a node that has not reported yet
  node-eviction-rate nodeEvictionRate float32 0.1 node-lifecycle NODE-5 unit=nodes/s
    nodes a second that get the taint that evicts
  secondary-node-eviction-rate secondaryNodeEvictionRate float32 0.01 node-lifecycle NODE-5 unit=nodes/s
    the same in an unhealthy zone
  unhealthy-zone-threshold unhealthyZoneThreshold float32 0.55 node-lifecycle NODE-5
    share of nodes not ready that makes a zone unhealthy
  large-cluster-size-threshold largeClusterSizeThreshold int32 50 node-lifecycle NODE-5 unit=nodes
    nodes up to which an unhealthy zone is not tainted at all
  namespace-sync-period namespaceSyncPeriod duration 5m0s namespace GC-72
    how often all namespaces are synced
  legacy-service-account-token-clean-up-period legacyServiceAccountTokenCleanUpPeriod duration 8760h0m0s legacy-serviceaccount-token-cleaner SAT-1
    time without use before a token is marked, and again before it is deleted
kube-apiserver
  enable-garbage-collector enableGarbageCollector bool true garbage-collector GC-78
    honour foreground deletion and orphaning; has to agree with kube-controller-manager
  default-not-ready-toleration-seconds defaultNotReadyTolerationSeconds int 300 node-lifecycle NODE-10 unit=s
    how long pods stay on a node that is not ready
  default-unreachable-toleration-seconds defaultUnreachableTolerationSeconds int 300 node-lifecycle NODE-10 unit=s
    how long pods stay on a node that is silent
  enable-admission-plugins enableAdmissionPlugins strings - node-lifecycle,garbage-collector NODE-10
    admission plugins besides the default ones
  disable-admission-plugins disableAdmissionPlugins strings - node-lifecycle NODE-10
    default admission plugins that are off; without DefaultTolerationSeconds pods are evicted immediately
  delete-collection-workers deleteCollectionWorkers int 1 namespace GC-72
    objects that one DELETE of a collection removes at a time
  event-ttl eventTTL duration 1h0m0s events EVT-1
    etcd drops Events after that long
kubelet
  image-gc-high-threshold imageGCHighThresholdPercent int32 85 image-gc CFG-1 unit=%
    usage that starts an image pass
  image-gc-low-threshold imageGCLowThresholdPercent int32 80 image-gc CFG-1 unit=%
    usage that an image pass goes down to
  minimum-image-ttl-duration imageMinimumGCAge duration 2m image-gc CFG-1
    younger unused images are kept when the disk is full
  - imageMaximumGCAge duration 0s image-gc CFG-1 since=29
    images unused for longer go, however full the disk is; 0s turns this off
  node-status-max-images nodeStatusMaxImages int32 50 image-gc CFG-1
    images that the Node's status lists
  eviction-hard evictionHard map memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%,imagefs.available<15%,imagefs.inodesFree<5% image-gc,container-gc EV-1
    below these the eviction manager acts immediately
  eviction-soft evictionSoft map - image-gc,container-gc EV-1
    below these it acts after evictionSoftGracePeriod
  minimum-container-ttl-duration minimumContainerTtlDuration duration 0s container-gc CFG-4
    dead containers that were created later are kept
  maximum-dead-containers-per-container maximumDeadContainersPerContainer int32 1 container-gc CFG-4
    dead containers kept for each container of a pod; negative: all
  maximum-dead-containers maximumDeadContainers int32 -1 container-gc CFG-4
    dead containers kept on the node; negative: all
`;

/** Of settings of kube-controller-manager, by name: upstream's message where it does not start with a value. */
const faults: Readonly<Record<string, SettingDefinition['fault']>> = {
  controllers: (value) => {
    const entries = Array.isArray(value) ? (value as readonly string[]) : [];
    const unknown = entries
      .filter((entry) => entry !== '*')
      .map((entry) => entry.replace(/^-/, ''))
      .filter((name) => !isController(name))
      .map((name) => `${JSON.stringify(name)} is not in the list of known controllers`);
    return unknown.join(', ') || undefined;
  },
  legacyServiceAccountTokenCleanUpPeriod: (value) => {
    const period = parseGoDuration(String(value)) ?? 1;
    return period <= 0 ? `invalid CleanUpPeriod: ${formatGoDuration(period)}` : undefined;
  },
};

type SettingsTable = Readonly<Record<Component, readonly SettingDefinition[]>>;

let read: SettingsTable | undefined;

/** Every setting that decides what is collected, by component. Few commands need it. */
export function settingsTable(): SettingsTable {
  read ??= Object.fromEntries(
    settingTable
      .trim()
      .split(/\n(?=\S)/)
      .map(settingsIn),
  ) as Record<Component, SettingDefinition[]>;
  return read;
}

function settingsIn(section: string): [string, SettingDefinition[]] {
  const [component = '', ...lines] = section.split('\n');
  const rows = lines.flatMap((line, at) => (at % 2 === 0 ? [[line, lines[at + 1] ?? '']] : []));
  return [
    component,
    rows.map(([words = '', means = '']) => definitionOf(component as Component, words, means)),
  ];
}

function definitionOf(component: Component, words: string, means: string): SettingDefinition {
  const [flag = '', name = '', type = '', text = '', collectors = '', rule = '', more = ''] = words
    .trim()
    .split(' ');
  const isField = component === 'kubelet' && rule !== 'CFG-4';
  const instead = isField ? name : 'evictionHard or evictionSoft';
  const [key, value = ''] = more.split('=');
  const [before, earlier = ''] = value.split(':');
  return {
    component,
    name,
    flag: flag === '-' ? undefined : flag,
    field: isField ? name : undefined,
    type: type as SettingType,
    default: defaultOf(type as SettingType, text),
    ...(key === 'unit' && { unit: value }),
    ...(key === 'since' && { since: Number(value) }),
    ...(key === 'before' && { earlier: { before: Number(before), default: earlier } }),
    fault: component === 'kube-controller-manager' ? faults[name] : undefined,
    collectors: collectors.split(','),
    rule,
    means: means.trim(),
    successor:
      component === 'kubelet' && flag !== '-'
        ? `${instead} in the KubeletConfiguration file`
        : undefined,
  };
}

function defaultOf(type: SettingType, text: string): SettingValue {
  const entries = text === '-' ? [] : text.split(',');
  switch (type) {
    case 'bool':
      return text === 'true';
    case 'int':
    case 'int32':
    case 'float32':
      return Number(text);
    case 'strings':
      return entries;
    case 'map':
      return Object.fromEntries(entries.map((entry) => entry.split('<') as [string, string]));
    default:
      return text;
  }
}

/** How the flags of a component are written. */
export function flagKindOf(component: Component): (flag: string) => FlagKind {
  const known = new Map(settingsTable()[component].map((one) => [one.flag, one.type]));
  return (flag) => {
    const type = known.get(flag);
    if (type === 'bool') return 'switch';
    return type === undefined && flag !== 'feature-gates' ? undefined : 'value';
  };
}
