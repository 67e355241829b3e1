import type { Taint } from '../kube/taint.ts';

/** What one argument of `kubectl taint --overwrite` asks for; without an effect, every taint of the key goes. */
export type TaintChange =
  | { readonly add: Taint }
  | { readonly remove: { readonly key: string; readonly effect?: string } };

/** In kubectl's order: a new taint comes first, in place of the one of its key and effect. */
export function changeTaints(stored: readonly Taint[], change: TaintChange): readonly Taint[] {
  const { key, effect } = 'add' in change ? change.add : change.remove;
  const others = stored.filter(
    (taint) => taint.key !== key || (effect !== undefined && taint.effect !== effect),
  );
  return 'add' in change ? [change.add, ...others] : others;
}

/** What the admission plugin TaintNodesByCondition makes of a new Node's taints. */
export function taintsOfNewNode(given: readonly Taint[]): readonly Taint[] {
  const { key, effect } = notReady;
  const hasIt = given.some((taint) => taint.key === key && taint.effect === effect);
  return hasIt ? given : [...given, notReady];
}

const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
