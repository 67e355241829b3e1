import { knownNodeOf } from '../../kube/pod-use.ts';
import type { PlayedDeletion } from './play-passes.ts';
import { isEvicted } from './terminated-pods.ts';

export function ruleOf({ step, pass }: Pick<PlayedDeletion, 'step' | 'pass'>): string {
  switch (step) {
    case 'terminated':
      return pass === 0 ? 'PG-5' : 'PG-8';
    case 'out-of-service':
      return 'PG-10';
    case 'orphaned':
      return 'PG-16';
    case 'unscheduled':
      return 'PG-17';
  }
}

/** Why a pod is chosen, in words that end without a stop. */
export function becauseOf({ pod, step, pass }: PlayedDeletion, threshold: number): string {
  const node = knownNodeOf(pod) ?? '';
  const phase = pod.facts?.phase ?? '';
  const held =
    pod.finalizers.length > 0 ? `; it stays until ${pod.finalizers.join(', ')} is taken off` : '';
  switch (step) {
    case 'terminated': {
      const state = isEvicted(pod) ? 'Evicted' : phase === '' ? 'without a phase' : phase;
      const first = isEvicted(pod)
        ? 'evicted pods go first, then the oldest'
        : 'the oldest go first';
      const wave = pass > 0 ? ', once pods that the pass before left Failed count as well' : '';
      return `it is ${state}, and more than ${threshold} pods have ended${wave}; ${first}${held}`;
    }
    case 'out-of-service':
      return `it is being deleted on Node ${node}, which is not ready and has the taint node.kubernetes.io/out-of-service${held}`;
    case 'orphaned':
      return `it is bound to Node ${node}, which does not exist${held}`;
    case 'unscheduled':
      return `it is being deleted and bound to no Node${held}`;
  }
}
