import type { PodStates } from './container-gc.ts';
import type { NodePod } from './node-facts.ts';

/** What is known of a pod from outside: the pod workers' own state cannot be read (VIS-2). */
export type KnownPodState = 'exists' | 'terminated' | 'content-removed' | 'unknown';

/** How the kubelet most likely sees a pod; without a list of pods nobody can tell. */
export function podStateOf(
  uid: string,
  pods: ReadonlyMap<string, NodePod> | undefined,
  /** Has it a running container or a ready sandbox? Then it has not terminated. */
  isAlive: boolean,
): KnownPodState {
  if (pods === undefined) return isAlive ? 'exists' : 'unknown';
  const pod = pods.get(uid);
  // Containers without a pod are treated as those of a deleted one (K13).
  if (pod === undefined) return 'content-removed';
  const ended = pod.phase === 'Succeeded' || pod.phase === 'Failed';
  if (pod.phase === 'Failed' && pod.reason === 'Evicted') return 'content-removed';
  if (ended && pod.deleting) return 'content-removed';
  // It is being deleted; nobody outside knows whether its containers have stopped.
  if (pod.deleting) return isAlive ? 'exists' : 'unknown';
  return ended ? 'terminated' : 'exists';
}

/** The same as the kubelet asks it; `unknowns` decides what unknown pods are taken for. */
export function podStates(
  stateOf: (uid: string) => KnownPodState,
  unknowns: 'exist' | 'are-removed',
): PodStates {
  const isRemoved = (state: KnownPodState) =>
    state === 'content-removed' || (state === 'unknown' && unknowns === 'are-removed');
  return {
    contentRemoved: (uid) => isRemoved(stateOf(uid)),
    runtimeRemoved: (uid) => stateOf(uid) === 'terminated' || isRemoved(stateOf(uid)),
  };
}
