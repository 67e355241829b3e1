import type { Collector } from '../collector.ts';
import { hasten } from './hasten.ts';
import { nodeHealth } from './node-health.ts';
import { evictions } from './taint-eviction.ts';

/** Watches whether nodes live, taints those that do not, and evicts their pods (NODE-2 to NODE-10). */
export const nodeLifecycle: Collector = {
  id: 'node-lifecycle',
  controllers: ['node-lifecycle-controller', 'taint-eviction-controller'],
  reads: ['nodes', 'pods', 'leases.coordination.k8s.io'],
  decide(view, settings, now, memory) {
    const health = nodeHealth(view, settings, now, memory);
    return [...health, ...hasten(evictions(view, now, memory), health)];
  },
};
