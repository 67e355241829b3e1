import type { Toleration } from '../../kube/facts/pod-facts.ts';
import type { Taint } from '../../kube/taint.ts';

/**
 * How long a pod may stay on a Node with these NoExecute taints, in milliseconds: 0 is not at all, infinity
 * for ever. Of each taint the first toleration that matches counts, of all the shortest (NODE-7).
 */
export function stayUnder(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  let stay = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const toleration = tolerations.find((one) => tolerates(one, taint));
    if (!toleration) return 0;
    const { tolerationSeconds } = toleration;
    if (tolerationSeconds !== undefined) stay = Math.min(stay, tolerationSeconds * 1000);
  }
  return Math.max(0, stay);
}

/** Mirrors ToleratesTaint, k8s.io/component-helpers: empty key or effect match all. */
function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return operator === 'Equal' && value === (taint.value ?? '');
}
