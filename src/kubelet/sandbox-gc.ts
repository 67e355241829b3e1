import type { PodStates, RuntimeContainer } from './container-gc.ts';

/** A pod sandbox as the runtime lists it. */
export interface RuntimeSandbox {
  readonly id: string;
  readonly podUid: string;
  readonly ready: boolean;
  /** Epoch milliseconds, with a fraction. */
  readonly createdAt: number;
}

export interface SandboxPassInput {
  readonly sandboxes: readonly RuntimeSandbox[];
  /** What is left after the container step of the same pass. */
  readonly containers: readonly Pick<RuntimeContainer, 'sandboxId'>[];
  readonly pods: PodStates;
  readonly deleteAll: boolean;
}

/**
 * The sandboxes that one pass stops and removes (CTR-9): inactive ones of pods that are gone, and of
 * other pods all but the newest. No limit, no age, and sources need not be ready.
 */
export function collectSandboxes(input: SandboxPassInput): RuntimeSandbox[] {
  const { sandboxes, containers, pods, deleteAll } = input;
  const occupied = new Set(containers.map(({ sandboxId }) => sandboxId));
  const byPod = new Map<string, RuntimeSandbox[]>();
  for (const sandbox of sandboxes) {
    const siblings = byPod.get(sandbox.podUid);
    if (siblings) siblings.push(sandbox);
    else byPod.set(sandbox.podUid, [sandbox]);
  }
  return [...byPod].flatMap(([uid, siblings]) => {
    const all = pods.contentRemoved(uid) || (deleteAll && pods.runtimeRemoved(uid));
    return siblings
      .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
      .slice(all ? 0 : 1)
      .reverse()
      .filter(({ id, ready }) => !ready && !occupied.has(id));
  });
}
