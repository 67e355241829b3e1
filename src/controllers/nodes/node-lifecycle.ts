import type { Taint } from '../../kube/facts/node.ts';
import type { Toleration } from '../../kube/facts/pod.ts';
import { type Condition, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { minute, timestampOf } from '../../kube/time.ts';
import { conditionOf, isReady, readyConditionOf } from '../../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import type { ClusterView, IndexKind } from '../cluster-view.ts';
import type {
  ControllerMemory,
  Decision,
  PassController,
  SyncedController,
  SyncInput,
} from '../controller.ts';
import { deletion, disruptionTarget, handlingTime, patching, timeIn } from '../decision.ts';
import { leaseOfNode } from './node-lease.ts';

/**
 * Monitors the health of Nodes, taints unhealthy ones, and evicts their pods (NODE-2 to NODE-10).
 */
export const nodeLifecycle: PassController = {
  id: 'node-lifecycle',
  controllers: ['node-lifecycle-controller', 'taint-eviction-controller'],
  reads: ['nodes', 'pods', 'leases.coordination.k8s.io'],
  pass(view, settings, now, memory) {
    return [...nodeHealth(view, settings, now, memory), ...evictions(view, now, memory)];
  },
};

/** Pods by the Node that they are bound to. */
export const podsByNode: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => [knownNodeOf(pod) ?? []].flat(),
};

/** Evicts pods from tainted Nodes; in a play a timer begins when the controller sees the taint (NODE-7, NODE-8). */
export const taintEviction: SyncedController = {
  id: 'node-lifecycle',
  controllers: ['taint-eviction-controller'],
  reads: ['pods', 'nodes'],
  syncers: [
    {
      runsAs: 'taint-eviction-controller',
      syncs: 'pods',
      sync: evictPod,
      needsSync: (pod, { view, memory }) =>
        !isBeingDeleted(pod) &&
        (memory?.evictions.has(pod.uid) || evicts(view.at('nodes', '', knownNodeOf(pod) ?? ''))),
      keys: { pods: podsByNode.keysOf, nodes: ({ name }) => [name] },
      triggers: ({ before, after }) => after !== undefined && (evicts(before) || evicts(after)),
    },
  ],
};

const id = 'node-lifecycle';
const excluded = 'node.kubernetes.io/exclude-disruption';
const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
/** Taints by which a Node loses its pods. */
const evictingKeys: readonly string[] = [notReady, unreachable];

/** Nodes that have gone silent, and the taints that their state asks for (NODE-4 to NODE-6). */
export function nodeHealth(
  view: ClusterView,
  settings: ControllerSettings,
  now: number,
  memory: ControllerMemory | undefined,
): Decision[] {
  const nodes = view.all('nodes').filter(({ facts }) => facts !== undefined);
  // If no Node is Ready, no pod is evicted.
  const isAnyReady = nodes.some((node) => isReady(node) && isCounted(node));
  const zones = isAnyReady ? [...Map.groupBy(nodes, zoneOf)] : [];
  const tainted = new Set(
    zones.flatMap(([zone, own]) => (taintPause(own, settings) === undefined ? [] : [zone])),
  );
  return nodes.flatMap((node) => {
    const silent = heartbeatTimeout(view, node, settings, now, memory);
    // Until the Node is found silent, its last reported status counts.
    return [...(silent ? [silent] : []), ...(tainted.has(zoneOf(node)) ? taintOf(node, now) : [])];
  });
}

/** With so many Nodes not ready, a zone is healthy whatever the flags are. */
const mostOfHealthyZone = 2;

/** Do flags decide whether Nodes of this zone get their taints? */
export function dependsOnFlags(zone: readonly ObjectRecord[]): boolean {
  return zone.filter((node) => isCounted(node) && !isReady(node)).length > mostOfHealthyZone;
}

/**
 * Milliseconds between two Nodes of a zone that get their taint; undefined where none gets one. Mirrors ComputeZoneState,
 * setLimiterInZone and ReducedQPSFunc, pkg/controller/nodelifecycle/node_lifecycle_controller.go (NODE-5).
 */
export function taintPause(
  zone: readonly ObjectRecord[],
  settings: ControllerSettings,
): number | undefined {
  const counted = zone.filter(isCounted);
  const down = counted.filter((node) => !isReady(node)).length;
  const { unhealthyZoneThreshold, largeClusterSizeThreshold } = settings;
  const share = Math.fround(Math.fround(down) / Math.fround(counted.length));
  const isPartial =
    down > mostOfHealthyZone &&
    down < counted.length &&
    share >= Math.fround(unhealthyZoneThreshold);
  const reduced =
    counted.length > largeClusterSizeThreshold ? settings.secondaryNodeEvictionRate : 0;
  const rate = isPartial ? reduced : settings.nodeEvictionRate;
  return rate > 0 ? 1000 / rate : undefined;
}

/** Does it count for the state of its zone? */
function isCounted({ labels, facts }: ObjectRecord): boolean {
  return facts !== undefined && labels?.[excluded] === undefined;
}

export function zoneOf({ labels }: ObjectRecord): string {
  const region = labels?.['topology.kubernetes.io/region'] ?? '';
  return `${region}:${labels?.['topology.kubernetes.io/zone'] ?? ''}`;
}

function heartbeatTimeout(
  view: ClusterView,
  node: ObjectRecord,
  settings: ControllerSettings,
  now: number,
  memory: ControllerMemory | undefined,
): Decision | undefined {
  const ready = readyConditionOf(node);
  if (ready?.status === 'Unknown') return undefined;
  const lease = leaseOfNode(view, node);
  const heard = Math.max(
    timeIn(ready?.lastHeartbeatTime),
    timeIn(lease?.facts?.renewTime),
    ready ? 0 : timeIn(node.creationTimestamp),
  );
  const grace = ready ? settings.nodeMonitorGracePeriod : settings.nodeStartupGracePeriod;
  if (heard + grace > now) return undefined;
  // A new leader gives every Node its full grace period again.
  const from = Math.max(heard, memory?.startedAt ?? 0);
  const condition = {
    type: 'Ready',
    status: 'Unknown',
    reason: ready ? 'NodeStatusUnknown' : 'NodeStatusNeverUpdated',
    lastTransitionTime: timestampOf(now),
  };
  return patching(id, node, {
    notBefore: Math.max(now, from + grace),
    notAfter: Math.max(now, now + grace) + settings.nodeMonitorPeriod,
    patch: { subresource: 'status', body: { status: { conditions: [condition] } } },
    because: `its kubelet has not reported since ${timestampOf(heard)}, for longer than ${grace / 1000} seconds`,
    rule: 'NODE-4',
  });
}

/** The taint that a Node gets by its condition Ready, and has not yet. */
function upcomingTaint(node: ObjectRecord): Taint | undefined {
  const status = readyConditionOf(node)?.status;
  if (status === undefined || status === 'True') return undefined;
  const key = status === 'False' ? notReady : unreachable;
  const taints = node.facts?.taints ?? [];
  const isThere = taints.some((taint) => taint.key === key && taint.effect === 'NoExecute');
  return isThere ? undefined : { key, effect: 'NoExecute' };
}

/** Is a pod evicted once its Node gets the taint that its condition asks for? */
export function isEvictedOnceTainted(pod: ObjectRecord, node: ObjectRecord): boolean {
  const taint = upcomingTaint(node);
  const tolerations = pod.facts?.tolerations ?? [];
  return taint !== undefined && Number.isFinite(minTolerationTime([taint], tolerations));
}

function taintOf(node: ObjectRecord, now: number): Decision[] {
  const upcoming = upcomingTaint(node);
  if (!upcoming) return [];
  const status = readyConditionOf(node)?.status;
  const { key } = upcoming;
  const taint = { ...upcoming, timeAdded: timestampOf(now) };
  const others = (node.facts?.taints ?? []).filter(
    (one) => one.effect !== 'NoExecute' || !evictingKeys.includes(one.key),
  );
  return [
    patching(id, node, {
      notBefore: now,
      // In a zone with many Nodes not ready, only a few are tainted at a time.
      notAfter: undefined,
      confidence: 'likely',
      patch: { body: { spec: { taints: [...others, taint] } } },
      because: `its condition Ready is ${status}, so it gets the taint ${key}, which evicts pods`,
      rule: 'NODE-5',
    }),
  ];
}

/**
 * If no Node is ready, the controller assumes that it is cut off itself: no pod is to be evicted
 * (NODE-6).
 */
export function liftedTaints(
  view: ClusterView,
  { nodeMonitorPeriod }: ControllerSettings,
  now: number,
): Decision[] {
  const counted = view.all('nodes').filter(isCounted);
  if (counted.length === 0 || counted.some(isReady)) return [];
  return view.all('nodes').flatMap((node) => {
    const taints = node.facts?.taints ?? [];
    const left = taints.filter(
      ({ key, effect }) => effect !== 'NoExecute' || !evictingKeys.includes(key),
    );
    if (left.length === taints.length) return [];
    return [
      patching(id, node, {
        notBefore: now,
        notAfter: now + nodeMonitorPeriod,
        patch: { body: { spec: { taints: left } } },
        because: 'no Node is ready any more, so that none is to be evicted from',
        rule: 'NODE-6',
      }),
    ];
  });
}

function evictPod(pod: ObjectRecord, { view, now, trigger, memory }: SyncInput): Decision[] {
  const node = view.at('nodes', '', knownNodeOf(pod) ?? '');
  const taints = evictingTaints(node);
  if (!memory) return node ? eviction(pod, node, taints, now, undefined) : [];
  const { evictions: timers, startedAt } = memory;
  const tolerationTime = minTolerationTime(taints, pod.facts?.tolerations ?? []);
  if (!node || tolerationTime === Number.POSITIVE_INFINITY) {
    timers.delete(pod.uid);
    return [];
  }
  if (trigger === 'settled' && !timers.has(pod.uid)) {
    const known = startedAt === undefined ? {} : { startedAt };
    const found = eviction(pod, node, taints, now, known);
    for (const { notBefore, confidence } of found) {
      if (confidence === 'certain') timers.set(pod.uid, notBefore);
    }
    return found;
  }
  if (tolerationTime === 0 || !timers.has(pod.uid)) timers.set(pod.uid, now + tolerationTime);
  return eviction(pod, node, taints, now, { evictions: timers });
}

function evicts(node: ObjectRecord | undefined): boolean {
  return node?.facts?.taints?.some(isEvicting) === true;
}

function evictingTaints(node: ObjectRecord | undefined): readonly Taint[] {
  return (node?.facts?.taints ?? []).filter(isEvicting);
}

function isEvicting({ effect }: Taint): boolean {
  return effect === 'NoExecute';
}

/**
 * Pods that do not tolerate a taint of their Node, or only for a limited time (NODE-7 to NODE-9).
 */
function evictions(
  view: ClusterView,
  now: number,
  memory: ControllerMemory | undefined,
): Decision[] {
  const pods = view.index(podsByNode);
  return view.all('nodes').flatMap((node) => {
    const taints = evictingTaints(node);
    if (taints.length === 0) return [];
    return pods.get(node.name).flatMap((pod) => eviction(pod, node, taints, now, memory));
  });
}

function eviction(
  pod: ObjectRecord,
  node: ObjectRecord,
  taints: readonly Taint[],
  now: number,
  memory: ControllerMemory | undefined,
): Decision[] {
  const tolerationTime = minTolerationTime(taints, pod.facts?.tolerations ?? []);
  if (tolerationTime === Number.POSITIVE_INFINITY) return [];
  const words = taints.map(({ key }) => key).join(', ');
  const how =
    tolerationTime === 0
      ? 'does not tolerate it'
      : `tolerates it for ${tolerationTime / 1000} seconds`;
  const message = 'Taint manager: deleting due to NoExecute taint';
  const condition = disruptionTarget(pod, { reason: tried, message }, now);
  const patch = { subresource: 'status' as const, body: { status: { conditions: [condition] } } };
  const time = evictionTime(pod, taints, tolerationTime, now, memory);
  const because = `Node ${node.name} has the taint ${words}, and the pod ${how}`;
  if (!isBeingDeleted(pod)) {
    const failed = failedEviction(pod, taints, tolerationTime, now, memory);
    if (failed === undefined) {
      return [{ ...deletion(id, pod, { ...time, because, rule: 'NODE-7' }), patch }];
    }
    const why = `${because}; it should have been evicted by ${timestampOf(failed)}: the taint-eviction-controller tries five times, and again only when the pod or the Node changes or it restarts`;
    const reason = { because: why, rule: 'NODE-7', confidence: 'unknown' } as const;
    return [{ ...deletion(id, pod, { ...reason, notBefore: now, notAfter: undefined }), patch }];
  }
  // A pod's own grace period, again, changes nothing; the condition is written all the same.
  if (pod.facts?.conditions?.some(isSame(condition))) return [];
  const why = `${because}; it is being deleted already, so it only gets the condition`;
  return [patching(id, pod, { ...time, patch, because: why, rule: 'NODE-9' })];
}

/** The controller writes a condition of this reason before it deletes a pod. */
const tried = 'DeletionByTaintManager';

/**
 * By when a pod that is still there was to be evicted, in epoch milliseconds: its condition says that the controller tried, or its time
 * was up a while ago. Mirrors deletePodHandler, pkg/controller/tainteviction/taint_eviction.go: it tries five times, 10 ms apart, and
 * after that only where taints or tolerations change. The disruption controller sets the condition of a failed try to False.
 */
function failedEviction(
  pod: ObjectRecord,
  taints: readonly Taint[],
  tolerationTime: number,
  now: number,
  memory: ControllerMemory | undefined,
): number | undefined {
  if (memory?.evictions?.has(pod.uid)) return undefined;
  const started = memory?.startedAt ?? 0;
  const condition = conditionOf(pod, 'DisruptionTarget');
  const isTried = condition && (condition.status === 'False' || condition.reason === tried);
  const at = isTried ? timeIn(condition.lastTransitionTime) : 0;
  if (at > started && at + minute < now) return at;
  const times = taints.map(({ timeAdded }) => timeIn(timeAdded));
  const due = Math.max(...times, started, timeIn(pod.creationTimestamp)) + tolerationTime;
  return times.every((time) => time > 0) && due + minute < now ? due : undefined;
}

/** Are type, status and reason the same? */
function isSame({ type, status, reason }: Condition) {
  return (one: Condition) => one.type === type && one.status === status && one.reason === reason;
}

/** The timer starts with the taint or with the controller, whichever was later (NODE-8). */
function evictionTime(
  pod: ObjectRecord,
  taints: readonly Taint[],
  tolerationTime: number,
  now: number,
  memory: ControllerMemory | undefined,
) {
  const known = memory?.evictions?.get(pod.uid);
  if (known !== undefined)
    return { notBefore: Math.max(now, known), notAfter: Math.max(now, known) };
  const added = taints.map(({ timeAdded }) => timeIn(timeAdded));
  const tainted = Math.max(...added);
  const started = memory?.startedAt;
  const earliest = Math.max(tainted, started ?? 0);
  const areTimesKnown = started !== undefined && added.every((time) => time > 0);
  const latest = areTimesKnown ? Math.min(now, earliest) : now;
  return {
    notBefore: Math.max(now, earliest + tolerationTime),
    notAfter: Math.max(now, latest + tolerationTime) + handlingTime,
  };
}

/**
 * How long a pod may stay on a Node with these NoExecute taints, in milliseconds: 0 is not at all,
 * infinity is without limit. For each taint the first matching toleration counts, and over all
 * taints the shortest (NODE-7).
 * @internal
 */
export function minTolerationTime(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): number {
  let tolerationTime = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const toleration = tolerations.find((one) => tolerates(one, taint));
    if (!toleration) return 0;
    const { tolerationSeconds } = toleration;
    if (tolerationSeconds !== undefined)
      tolerationTime = Math.min(tolerationTime, tolerationSeconds * 1000);
  }
  return Math.max(0, tolerationTime);
}

/** Mirrors ToleratesTaint, k8s.io/component-helpers: empty key or effect match all. */
export function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return operator === 'Equal' && value === (taint.value ?? '');
}
