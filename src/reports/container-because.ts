import type { ContainerGcPolicy } from '../kubelet/container-gc.ts';
import type { ContainerReason } from '../kubelet/container-outlook.ts';
import { formatGoDuration } from '../kubelet/go-duration.ts';

/** Why a container goes or stays. */
export function containerBecause(reason: ContainerReason, policy: ContainerGcPolicy): string {
  const { minAge, maxPerPodContainer: each, maxContainers: all } = policy;
  switch (reason) {
    case 'running':
      return 'it runs';
    case 'too-young':
      return `it was created less than ${formatGoDuration(minAge)} ago`;
    case 'deleted-pod':
      return 'its pod is gone';
    case 'terminated-pod':
      return 'all containers of its pod have ended';
    case 'maybe-deleted-pod':
      return 'it goes if its pod is gone, which nobody could read';
    case 'limit-per-container':
      return `of its name in its pod ${newer(each)}`;
    case 'limit-in-total':
      return `the node keeps ${all} dead ${all === 1 ? 'container' : 'containers'} in total`;
    case 'same-age':
      return 'some of those that were created at the same moment go, and nobody decides which';
    case 'within-limits':
      return each < 0 && all < 0 ? 'there is no limit' : 'within the limits';
  }
}

function newer(each: number): string {
  if (each === 0) return 'no dead one is kept';
  return each === 1
    ? 'only the newest dead one is kept'
    : `only the newest ${each} dead ones are kept`;
}
