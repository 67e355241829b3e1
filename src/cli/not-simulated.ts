import type { ObjectRecord } from '../kube/object-record.ts';
import { noTaints } from '../kube/taint.ts';
import { isNode, isPod } from '../kube/well-known-kinds.ts';
import type { EnabledControllers } from '../settings/controllers.ts';

/** What would go on in a cluster after a simulation, by controllers that run and are not simulated. */
export function notSimulated(
  before: readonly ObjectRecord[],
  after: readonly ObjectRecord[],
  isEnabled: EnabledControllers,
): string[] {
  const nodes = before.filter(isNode);
  const left = new Map(after.filter(isNode).map((node) => [node.name, node]));
  const gone = new Set(nodes.map(({ name }) => name).filter((name) => !left.has(name)));
  const remarks: string[] = [];
  if (
    isEnabled('pod-garbage-collector-controller') &&
    gone.size > 0 &&
    after.some((record) => isPod(record) && record.facts?.nodeName === undefined)
  ) {
    remarks.push(
      `It was not read which pods are bound to ${[...gone].join(', ')}: pod-garbage-collector deletes them, and no step shows it.`,
    );
  }
  if (isEnabled('taint-eviction-controller')) {
    const known = new Map(nodes.map((node) => [node.name, node]));
    const evicting = [...left.values()].filter((node) => evictsMore(known.get(node.name), node));
    if (evicting.length > 0) {
      remarks.push(
        `Pods on ${evicting.map(({ name }) => name).join(', ')} that do not tolerate NoExecute are evicted by taint-eviction-controller, which is not simulated yet.`,
      );
    }
  }
  return remarks;
}

function evictsMore(before: ObjectRecord | undefined, after: ObjectRecord): boolean {
  if (before === after) return false;
  const had = before?.facts?.taints ?? noTaints;
  return (after.facts?.taints ?? noTaints).some(
    ({ key, value, effect }) =>
      effect === 'NoExecute' &&
      !had.some((taint) => taint.key === key && taint.value === value && taint.effect === effect),
  );
}
