import type { Taint } from '../../kube/facts/node.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { timestampOf } from '../../kube/time.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Controller, Decision } from '../controller.ts';
import type { ControllerMemory } from '../controller-memory.ts';
import { patching, timeIn } from '../decision.ts';
import type { ControllerSettings } from '../settings/controller-settings.ts';
import { evictions, stayUnder } from './taint-eviction.ts';

/**
 * Monitors the health of Nodes, taints unhealthy ones, and evicts their pods (NODE-2 to NODE-10).
 */
export const nodeLifecycle: Controller = {
  id: 'node-lifecycle',
  controllers: ['node-lifecycle-controller', 'taint-eviction-controller'],
  reads: ['nodes', 'pods', 'leases.coordination.k8s.io'],
  decide(view, settings, now, memory) {
    const health = nodeHealth(view, settings, now, memory);
    return [...health, ...advanceEvictions(evictions(view, now, memory), health)];
  },
};

const id = 'node-lifecycle';
const excluded = 'node.kubernetes.io/exclude-disruption';
const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';

/** Nodes that have gone silent, and the taints that their state asks for (NODE-4 to NODE-6). */
export function nodeHealth(
  view: ClusterView,
  settings: ControllerSettings,
  now: number,
  memory: ControllerMemory | undefined,
): Decision[] {
  const nodes = view.all('nodes').filter(({ facts }) => facts !== undefined);
  // If no Node is Ready, no pod is evicted.
  const isAnyReady = nodes.some(
    (node) => readyOf(node)?.status === 'True' && node.labels?.[excluded] === undefined,
  );
  return nodes.flatMap((node) => {
    const silent = silenceOf(view, node, settings, now, memory);
    // Until the Node is found silent, its last reported status counts.
    return [...(silent ? [silent] : []), ...(isAnyReady ? taintOf(node, now) : [])];
  });
}

/** The taint that a Node gets by one of these decisions, at once or when it has been found silent. */
function comingTaint({ object, rule }: Decision): Taint {
  const isSilent = rule === 'NODE-4' || readyOf(object)?.status !== 'False';
  return { key: isSilent ? unreachable : notReady, effect: 'NoExecute' };
}

function readyOf({ facts }: ObjectRecord) {
  return facts?.conditions?.find(({ type }) => type === 'Ready');
}

function silenceOf(
  view: ClusterView,
  node: ObjectRecord,
  settings: ControllerSettings,
  now: number,
  memory: ControllerMemory | undefined,
): Decision | undefined {
  const ready = readyOf(node);
  if (ready?.status === 'Unknown') return undefined;
  const lease = view.at('leases.coordination.k8s.io', 'kube-node-lease', node.name);
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
    because: `nothing was heard of it since ${timestampOf(heard)}, longer than ${grace / 1000} seconds`,
    rule: 'NODE-4',
  });
}

function taintOf(node: ObjectRecord, now: number): Decision[] {
  const status = readyOf(node)?.status;
  if (status === undefined || status === 'True') return [];
  const key = status === 'False' ? notReady : unreachable;
  const taints = node.facts?.taints ?? [];
  if (taints.some((taint) => taint.key === key && taint.effect === 'NoExecute')) return [];
  const taint = { key, effect: 'NoExecute', timeAdded: timestampOf(now) };
  const others = taints.filter(
    (one) => one.effect !== 'NoExecute' || ![notReady, unreachable].includes(one.key),
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
 * Evictions of which the Node is about to get one more taint: they may come sooner, where the pod tolerates
 * that one for less. `health` are the Nodes that get a taint, or are found silent and get it then.
 */
function advanceEvictions(
  evictions: readonly Decision[],
  health: readonly Decision[],
): readonly Decision[] {
  const comingTo = Map.groupBy(health, ({ object }) => object.name);
  return evictions.map((eviction) =>
    (comingTo.get(knownNodeOf(eviction.object) ?? '') ?? []).reduce(advanced, eviction),
  );
}

function advanced(eviction: Decision, coming: Decision): Decision {
  const taint = comingTaint(coming);
  const stay = stayUnder([taint], eviction.object.facts?.tolerations ?? []);
  const sooner = coming.notBefore + stay;
  if (sooner >= eviction.notBefore) return eviction;
  const because = `${eviction.because}; or sooner, once the Node gets the taint ${taint.key}`;
  return { ...eviction, notBefore: sooner, confidence: 'likely', because };
}
