import type { ContainerGcPolicy } from './container-gc.ts';
import { type ContainerOutlook, containerOutlook } from './container-outlook.ts';
import type { NodeContainer, NodeFacts, NodeSandbox } from './node-facts.ts';
import { podStateOf } from './pod-states.ts';

export interface NodeContainerPass {
  readonly policy: ContainerGcPolicy;
  /** Eviction's variant: what terminated pods left goes too (CTR-13). */
  readonly deleteAll: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What a container pass does on a node, as far as anybody can tell from outside. */
export function nodeContainerOutlook(
  facts: NodeFacts,
  pass: NodeContainerPass,
): ContainerOutlook<NodeContainer, NodeSandbox> {
  const { containers = [], sandboxes = [] } = facts;
  const pods = facts.pods && new Map(facts.pods.map((pod) => [pod.uid, pod]));
  const alive = new Set([
    ...containers.filter(({ state }) => state === 'running').map(({ podUid }) => podUid),
    ...sandboxes.filter(({ ready }) => ready).map(({ podUid }) => podUid),
  ]);
  return containerOutlook({
    ...pass,
    containers,
    sandboxes,
    logs: { directories: facts.podLogs ?? [], deadLinks: facts.deadLogLinks ?? [] },
    stateOf: (uid) => podStateOf(uid, pods, alive.has(uid)),
  });
}
