import type { ContainerGcPolicy, NodeContainer, NodeSandbox } from '../node-facts.ts';

/** A container as the runtime lists it. */
export type RuntimeContainer = Pick<
  NodeContainer,
  'id' | 'name' | 'podUid' | 'sandboxId' | 'state' | 'createdAt'
>;

export const defaultContainerGcPolicy: ContainerGcPolicy = {
  minAge: 0,
  maxPerPodContainer: 1,
  maxContainers: -1,
};

/** How often the kubelet looks for containers to remove, in milliseconds (CTR-1). */
export const containerGcPeriod = 60_000;

/** What the kubelet knows of pods (CTR-8). */
export interface PodStates {
  /** Evicted, or deleted and terminated. */
  contentRemoved(uid: string): boolean;
  /** None of its containers runs, whether or not the Pod still exists. */
  runtimeRemoved(uid: string): boolean;
}

export interface ContainerPassInput {
  readonly containers: readonly RuntimeContainer[];
  readonly pods: PodStates;
  readonly policy: ContainerGcPolicy;
  /**
   * Have the API server and the other pod sources delivered pods? Until then no pod counts as
   * deleted.
   */
  readonly sourcesReady: boolean;
  /** Eviction's variant: also what terminated pods left (CTR-13). */
  readonly deleteAll: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Stops a container of unknown state before it is removed; false: that failed, and it stays. */
  readonly stop?: (container: RuntimeContainer) => boolean;
}

export interface RemovedContainer {
  readonly container: RuntimeContainer;
  readonly rule: 'CTR-4' | 'CTR-5' | 'CTR-6';
  /** False where several were created at the same moment, and only some of them go. */
  readonly certain: boolean;
}

type Unit = readonly RuntimeContainer[];

/** The containers that one pass removes, in the order of removal (CTR-2 to CTR-7). */
export function collectContainers(input: ContainerPassInput): RemovedContainer[] {
  const { pods, policy, sourcesReady, deleteAll, stop = () => true } = input;
  const removed: RemovedContainer[] = [];
  const take = (unit: Unit, keep: number, rule: RemovedContainer['rule']): Unit => {
    if (unit.length <= keep) return unit;
    const sorted = unit.toSorted(newestFirst);
    const edge = sorted[keep - 1]?.createdAt;
    for (const container of sorted.slice(keep).reverse()) {
      const certain = keep === 0 || container.createdAt !== edge;
      if (container.state !== 'unknown' || stop(container)) {
        removed.push({ container, rule, certain });
      }
    }
    return sorted.slice(0, keep);
  };

  const units = evictableUnits(input);
  if (sourcesReady) {
    for (const [key, unit] of units) {
      const uid = unit[0]?.podUid ?? '';
      if (pods.contentRemoved(uid) || (deleteAll && pods.runtimeRemoved(uid))) {
        take(unit, 0, 'CTR-4');
        units.delete(key);
      }
    }
  }
  const limitEach = (limit: number, rule: RemovedContainer['rule']) => {
    for (const [key, unit] of units) units.set(key, take(unit, limit, rule));
  };
  const { maxPerPodContainer, maxContainers } = policy;
  if (maxPerPodContainer >= 0) limitEach(maxPerPodContainer, 'CTR-5');
  const count = () => [...units.values()].reduce((sum, unit) => sum + unit.length, 0);
  if (maxContainers >= 0 && count() > maxContainers) {
    // Units that are empty by now still count in the divisor.
    limitEach(Math.max(1, Math.floor(maxContainers / units.size)), 'CTR-6');
    if (count() > maxContainers) take([...units.values()].flat(), maxContainers, 'CTR-6');
  }
  return removed;
}

/** Not running and old enough, by pod uid and container name (CTR-2, CTR-3); in a stable order. */
function evictableUnits({ containers, policy, now }: ContainerPassInput): Map<string, Unit> {
  const evictable = containers.filter(
    ({ state, createdAt }) => state !== 'running' && createdAt <= now - policy.minAge,
  );
  return new Map([...Map.groupBy(evictable, unitKey)].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Containers with the same key are limited together (CTR-3).
 * @internal
 */
export function unitKey({ podUid, name }: RuntimeContainer): string {
  return `${podUid}/${name}`;
}

function newestFirst(a: RuntimeContainer, b: RuntimeContainer): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.id < b.id ? -1 : 1;
}

/** A pod sandbox as the runtime lists it. */
export type RuntimeSandbox = Omit<NodeSandbox, 'pod'>;

interface SandboxPassInput {
  readonly sandboxes: readonly RuntimeSandbox[];
  /** What is left after the container step of the same pass. */
  readonly containers: readonly Pick<RuntimeContainer, 'sandboxId'>[];
  readonly pods: PodStates;
  readonly deleteAll: boolean;
}

/**
 * The sandboxes that one pass stops and removes (CTR-9): inactive ones of deleted Pods, and of
 * other Pods all but the newest. No limit, no age, and sources need not be ready.
 */
export function collectSandboxes(input: SandboxPassInput): RuntimeSandbox[] {
  const { sandboxes, containers, pods, deleteAll } = input;
  const occupied = new Set(containers.map(({ sandboxId }) => sandboxId));
  return [...Map.groupBy(sandboxes, ({ podUid }) => podUid)].flatMap(([uid, siblings]) => {
    const all = pods.contentRemoved(uid) || (deleteAll && pods.runtimeRemoved(uid));
    return siblings
      .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
      .slice(all ? 0 : 1)
      .reverse()
      .filter(({ id, ready }) => !ready && !occupied.has(id));
  });
}
