import type { ClusterView } from '../../controllers/cluster-view.ts';
import type { Decision } from '../../controllers/controller.ts';
import {
  apiServerLease,
  candidates,
  isCandidate,
  isIdentityLease,
  lapsed,
  livingIn,
} from '../../controllers/nodes/apiserver-lease.ts';
import { cloudNode } from '../../controllers/nodes/cloud-node.ts';
import {
  evictions,
  liftedTaints,
  nodeHealth,
  stayUnder,
  taintPause,
  zoneOf,
} from '../../controllers/nodes/node-lifecycle.ts';
import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import type { Taint } from '../../kube/facts/node.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { hour } from '../../kube/time.ts';
import { isNode, isReady, readyConditionOf } from '../../kube/well-known-kinds.ts';
import type { IndexKind } from './indexes.ts';
import { type KeyedController, keyed, withLists } from './keyed-controller.ts';
import type { Due, Moment, PeriodicController } from './periodic-controller.ts';

const id = 'node-lifecycle';

/** Monitors the health of Nodes and taints unhealthy ones (NODE-4 to NODE-6). */
export const nodeWatch: PeriodicController = {
  id,
  controller: 'node-lifecycle-controller',
  reads: ['nodes'],
  passes: undefined,
  concerns: (node) => readyConditionOf(node)?.status !== undefined,
  // One that is ready, and goes on to say so, makes others a case only when that is new.
  startsWith: (node, { kubelets }) => !kubelets || !isReady(node),
  misses: () => true,
  makes: ({ before, after }) => {
    const isSame = before && after && readinessOf(before) === readinessOf(after);
    return isSame ? [] : ['nodes'];
  },
  madeBy: () => ['nodes'],
  begin: () => {
    let started: number | undefined;
    const slots = new Map<string, number>();
    return (view, settings, moment) => {
      started ??= moment.now;
      const silent = settings.kubelets ? [] : silences(view, settings, moment, started);
      // One that ran before has lifted them already.
      const lifted =
        moment.isFirst && moment.ranBefore
          ? []
          : liftedTaints(view, settings, moment.now).map((one) =>
              dueFrom(one.notBefore, one.notAfter ?? one.notBefore, one),
            );
      return [...silent, ...lifted, ...taintings(view, settings, moment, slots)];
    };
  },
};

/**
 * Without kubelets no Node posts its status any more. The health of a Node that never posted one is
 * unknown.
 */
function silences(
  view: ClusterView,
  settings: ControllerSettings,
  { now, ranBefore }: Moment,
  started: number,
): readonly Due[] {
  return view.all('nodes').flatMap((node) => {
    const heard = lastHeard(view, node);
    if (heard === undefined || readyConditionOf(node)?.status === 'Unknown') return [];
    // A controller that starts gives every Node its full grace period again.
    const end = (ranBefore ? heard : started) + settings.nodeMonitorGracePeriod;
    const from = Math.max(now, end);
    const isOverdue = end < started;
    const to =
      from + settings.nodeMonitorPeriod + (isOverdue ? settings.nodeMonitorGracePeriod : 0);
    return nodeHealth(withLists(view, { nodes: [node] }), settings, from, undefined)
      .filter(({ rule }) => rule === 'NODE-4')
      .map((decision) => dueFrom(from, to, decision));
  });
}

/** One Node of a zone after another; none where more than half of a small zone is not ready. */
function taintings(
  view: ClusterView,
  settings: ControllerSettings,
  { now }: Moment,
  slots: Map<string, number>,
): readonly Due[] {
  const zones = [...Map.groupBy(view.all('nodes'), zoneOf)];
  const pauses = new Map(zones.map(([zone, own]) => [zone, taintPause(own, settings)] as const));
  const found = nodeHealth(view, patient(settings), now, undefined).filter(
    ({ rule }) => rule === 'NODE-5',
  );
  return found.flatMap((decision): Due[] => {
    const { object } = decision;
    const wait = pauses.get(zoneOf(object));
    if (wait === undefined) return [];
    const taken = slots.get(object.uid);
    const last = slots.get(zoneOf(object));
    const at = taken ?? (last === undefined ? now : Math.max(now, last + wait));
    slots.set(object.uid, at).set(zoneOf(object), Math.max(at, last ?? at));
    return [dueFrom(at, at + settings.nodeMonitorPeriod, { ...decision, confidence: 'certain' })];
  });
}

/** Nodes are judged together. */
function dueFrom(from: number, to: number, decision: Decision): Due {
  return { decision, at: from, from, to, inGroup: true };
}

/** Settings under which no Node counts as silent; `silences` decides about that. */
function patient(settings: ControllerSettings): ControllerSettings {
  const never = Number.POSITIVE_INFINITY;
  return { ...settings, nodeMonitorGracePeriod: never, nodeStartupGracePeriod: never };
}

function readinessOf(node: ObjectRecord): string | undefined {
  return readyConditionOf(node)?.status;
}

/** Epoch milliseconds. */
function lastHeard(view: ClusterView, node: ObjectRecord): number | undefined {
  const ready = readyConditionOf(node);
  const lease = view.at('leases.coordination.k8s.io', 'kube-node-lease', node.name);
  const times = [ready?.lastHeartbeatTime, lease?.facts?.renewTime].flatMap((time) =>
    time === undefined ? [] : Date.parse(time),
  );
  return ready && times.length > 0 ? Math.max(...times) : undefined;
}

export const podsByNode: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => [knownNodeOf(pod) ?? []].flat(),
};

/** Evicts pods from tainted Nodes; a timer begins when the controller sees the taint (NODE-7, NODE-8). */
export const taintEviction: KeyedController = {
  id: 'node-lifecycle',
  controller: 'taint-eviction-controller',
  kinds: ['pods'],
  reads: ['pods', 'nodes'],
  *present({ state, indexes }) {
    for (const node of state.ofResource('nodes')) {
      if (evicting(node).length > 0) yield* indexes.of(podsByNode).get(node.name);
    }
  },
  concerns: (pod, { state, evictions: timers }) =>
    !isBeingDeleted(pod) &&
    (timers.has(pod.uid) || evicting(state.at('nodes', '', knownNodeOf(pod) ?? '')).length > 0),
  affected: ({ before, after }, { indexes }) =>
    after && isNode(after) && evicting(before).length + evicting(after).length > 0
      ? indexes.of(podsByNode).get(after.name)
      : [],
  decide: (pod, cluster, { now, isFirst, ranBefore }) => {
    const { view, state, evictions: timers, startedAt } = cluster;
    const node = state.at('nodes', '', knownNodeOf(pod) ?? '');
    const taints = evicting(node);
    const stay = stayUnder(taints, pod.facts?.tolerations ?? []);
    if (!node || stay === Number.POSITIVE_INFINITY) {
      timers.delete(pod.uid);
      return [];
    }
    const look = withLists(view, { pods: [pod], nodes: [node] });
    if (isFirst && ranBefore && !timers.has(pod.uid)) {
      const found = evictions(look, now, startedAt === undefined ? {} : { startedAt });
      for (const { notBefore } of found) timers.set(pod.uid, notBefore);
      return found;
    }
    if (stay === 0 || !timers.has(pod.uid)) timers.set(pod.uid, now + stay);
    return evictions(look, now, { evictions: timers });
  },
};

function evicting(node: ObjectRecord | undefined): readonly Taint[] {
  return (node?.facts?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

/**
 * API servers delete what is no longer renewed, by passes of which it is unknown when they began. `isOwn`: what
 * these passes are about.
 */
function collectedByApiServers(
  resource: string,
  period: number,
  isOwn: (record: ObjectRecord) => boolean,
): PeriodicController {
  return {
    id: apiServerLease.id,
    controller: 'kube-apiserver',
    isElsewhere: true,
    reads: [resource],
    passes: { period, afterStart: () => 0 },
    concerns: isOwn,
    // The latest renewal of all decides about all.
    groupOf: (record) => (isIdentityLease(record) || isCandidate(record) ? 'renewed' : undefined),
    begin: () => {
      let alive: ReadonlySet<string> | undefined;
      return (view, _settings, { now, since }) => {
        alive ??= livingIn(view);
        return lapsed(view, now, alive)
          .filter(({ object }) => isOwn(object))
          .map((decision): Due => {
            const at = decision.notBefore;
            const from = at > now ? at : since;
            return { decision, at, from, to: from + period, inGroup: false };
          });
      };
    },
  };
}

/** Leases of API servers that no longer run (LEASE-5). */
export const apiServerLeases = collectedByApiServers(
  'leases.coordination.k8s.io',
  hour,
  isIdentityLease,
);

/** LeaseCandidates of components that no longer run (LEASE-6). */
export const leaseCandidates = collectedByApiServers(candidates, hour / 2, isCandidate);

/** Only the cloud provider knows whether a Node's machine exists (NODE-1). */
export const cloudNodes = keyed(cloudNode, {
  isElsewhere: true,
  concerns: ({ facts }) => facts?.providerID !== undefined,
});
