import type { ObjectRecord } from '../../kube/object-record.ts';
import type { Taint } from '../../kube/taint.ts';
import { timeOf } from '../../kube/timestamp.ts';
import type { CollectorSettings } from '../../settings/collector-settings.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision } from '../collector.ts';
import type { CollectorMemory } from '../collector-memory.ts';
import { patching, timeIn } from '../decide.ts';

const id = 'node-lifecycle';
const excluded = 'node.kubernetes.io/exclude-disruption';
const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';

/** Nodes that have gone silent, and the taints that their state asks for (NODE-4 to NODE-6). */
export function nodeHealth(
  view: ClusterView,
  settings: CollectorSettings,
  now: number,
  memory: CollectorMemory | undefined,
): Decision[] {
  const nodes = view.all('nodes').filter(({ facts }) => facts !== undefined);
  // With nobody Ready, nobody is evicted.
  const isAnyReady = nodes.some(
    (node) => readyOf(node)?.status === 'True' && node.labels?.[excluded] === undefined,
  );
  return nodes.flatMap((node) => {
    const silent = silenceOf(view, node, settings, now, memory);
    // Until it is found silent, what it said last counts.
    return [...(silent ? [silent] : []), ...(isAnyReady ? taintOf(node, now) : [])];
  });
}

/** The taint that a Node gets by one of these decisions, at once or when it has been found silent. */
export function comingTaint({ object, rule }: Decision): Taint {
  const isSilent = rule === 'NODE-4' || readyOf(object)?.status !== 'False';
  return { key: isSilent ? unreachable : notReady, effect: 'NoExecute' };
}

function readyOf({ facts }: ObjectRecord) {
  return facts?.conditions?.find(({ type }) => type === 'Ready');
}

function silenceOf(
  view: ClusterView,
  node: ObjectRecord,
  settings: CollectorSettings,
  now: number,
  memory: CollectorMemory | undefined,
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
  // A new leader gives every node its time anew.
  const from = Math.max(heard, memory?.startedAt ?? 0);
  const condition = {
    type: 'Ready',
    status: 'Unknown',
    reason: ready ? 'NodeStatusUnknown' : 'NodeStatusNeverUpdated',
    lastTransitionTime: timeOf(now),
  };
  return patching(id, node, {
    notBefore: Math.max(now, from + grace),
    notAfter: Math.max(now, now + grace) + settings.nodeMonitorPeriod,
    patch: { subresource: 'status', body: { status: { conditions: [condition] } } },
    because: `nothing was heard of it since ${timeOf(heard)}, longer than ${grace / 1000} seconds`,
    rule: 'NODE-4',
  });
}

function taintOf(node: ObjectRecord, now: number): Decision[] {
  const status = readyOf(node)?.status;
  if (status === undefined || status === 'True') return [];
  const key = status === 'False' ? notReady : unreachable;
  const taints = node.facts?.taints ?? [];
  if (taints.some((taint) => taint.key === key && taint.effect === 'NoExecute')) return [];
  const taint = { key, effect: 'NoExecute', timeAdded: timeOf(now) };
  const others = taints.filter(
    (one) => one.effect !== 'NoExecute' || ![notReady, unreachable].includes(one.key),
  );
  return [
    patching(id, node, {
      notBefore: now,
      // Few nodes at a time in a zone where many are not ready.
      notAfter: undefined,
      confidence: 'likely',
      patch: { body: { spec: { taints: [...others, taint] } } },
      because: `its condition Ready is ${status}, so it gets the taint ${key}, which evicts pods`,
      rule: 'NODE-5',
    }),
  ];
}
