import { evictions, stayUnder } from '../../controllers/nodes/taint-eviction.ts';
import type { Taint } from '../../kube/facts/node.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { isNode } from '../../kube/well-known-kinds.ts';
import { focusOn, type IndexKind, type KeyedController } from './keyed-controller.ts';

const podsByNode: IndexKind = {
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
    const look = focusOn(pod, view, { nodes: [node] });
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
