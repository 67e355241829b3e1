import { deletion } from '../../../controllers/decision.ts';
import {
  dependsOnFlags,
  isEvictedOnceTainted,
  nodeLifecycle,
  zoneOf,
} from '../../../controllers/nodes/node-lifecycle.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import { knownNodeOf } from '../../../kube/pod-use.ts';
import { isNode, isPod } from '../../../kube/well-known-kinds.ts';
import type { SeenSettings } from '../../../settings/controller-settings.ts';
import type { Simulation } from '../../../simulator/simulation.ts';
import { withDeletionsOpen } from './left-open.ts';

const decidingFlags = [
  'largeClusterSizeThreshold',
  'nodeEvictionRate',
  'secondaryNodeEvictionRate',
  'unhealthyZoneThreshold',
] as const;

interface EvictionsInput {
  readonly records: readonly ObjectRecord[];
  readonly settings: SeenSettings;
  readonly untouched: Simulation;
  readonly now: number;
}

/**
 * With fewer Nodes in it, a zone may count as healthy, so that the others that are not ready lose their Pods. Flags decide that
 * (NODE-5): where they could not be read, leaves open whether these Pods are evicted.
 */
export function evictionsOpen({
  records,
  settings,
  untouched,
  now,
}: EvictionsInput): (played: Simulation) => Simulation {
  const areRead = decidingFlags.every((flag) => settings[flag] !== undefined);
  const zones = areRead ? [] : [...Map.groupBy(records.filter(isNode), zoneOf).values()];
  const unhealthy = zones.filter(dependsOnFlags);
  if (unhealthy.length === 0) return (played) => played;
  const leftUntouched = uidsOf(untouched);
  return (played) => {
    const left = uidsOf(played);
    const losing = unhealthy.filter((zone) => zone.some(({ uid }) => !left.has(uid)));
    const nodes = new Map(losing.flat().map((node) => [node.name, node]));
    const evicted = records.filter((pod) => {
      const node = isPod(pod) ? nodes.get(knownNodeOf(pod) ?? '') : undefined;
      // With the defaults it may be evicted in any case, or only after the deletion: then that is certain.
      const isOpen = left.has(pod.uid) || !leftUntouched.has(pod.uid);
      return isOpen && node && left.has(node.uid) && isEvictedOnceTainted(pod, node);
    });
    const because =
      'its Node is not ready, and whether it is evicted after the deletion depends on flags that could not be read';
    const decisions = evicted.map((pod) =>
      deletion(nodeLifecycle.id, pod, {
        because,
        rule: 'NODE-5',
        confidence: 'unknown',
        notBefore: now,
        notAfter: undefined,
      }),
    );
    return withDeletionsOpen(played, decisions);
  };
}

function uidsOf({ objects }: Simulation): ReadonlySet<string> {
  return new Set(objects.map(({ uid }) => uid));
}
