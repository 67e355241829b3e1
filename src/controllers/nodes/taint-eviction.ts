import type { Taint } from '../../kube/facts/node.ts';
import type { Toleration } from '../../kube/facts/pod.ts';
import { type Condition, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision } from '../controller.ts';
import type { ControllerMemory } from '../controller-memory.ts';
import { deletion, disruptionTarget, patching } from '../decision.ts';

const id = 'node-lifecycle';
/** From an event to the end of its handling. */
const handling = 5000;

/**
 * Pods that do not tolerate a taint of their Node, or only for a limited time (NODE-7 to NODE-9).
 */
export function evictions(
  view: ClusterView,
  now: number,
  memory: ControllerMemory | undefined,
): Decision[] {
  const podsByNode = Map.groupBy(view.all('pods'), knownNodeOf);
  return view.all('nodes').flatMap((node) => {
    const taints = (node.facts?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
    if (taints.length === 0) return [];
    return (podsByNode.get(node.name) ?? []).flatMap((pod) =>
      eviction(pod, node, taints, now, memory),
    );
  });
}

function eviction(
  pod: ObjectRecord,
  node: ObjectRecord,
  taints: readonly Taint[],
  now: number,
  memory: ControllerMemory | undefined,
): Decision[] {
  const stay = stayUnder(taints, pod.facts?.tolerations ?? []);
  if (stay === Number.POSITIVE_INFINITY) return [];
  const words = taints.map(({ key }) => key).join(', ');
  const how = stay === 0 ? 'does not tolerate it' : `tolerates it for ${stay / 1000} seconds`;
  const message = 'Taint manager: deleting due to NoExecute taint';
  const condition = disruptionTarget(pod, { reason: 'DeletionByTaintManager', message }, now);
  const patch = { subresource: 'status' as const, body: { status: { conditions: [condition] } } };
  const time = timeUp(pod, taints, stay, now, memory);
  const because = `Node ${node.name} has the taint ${words}, and the pod ${how}`;
  if (!isBeingDeleted(pod)) {
    return [{ ...deletion(id, pod, { ...time, because, rule: 'NODE-7' }), patch }];
  }
  // A pod's own grace period, again, changes nothing; the condition is written all the same.
  if (pod.facts?.conditions?.some(isSame(condition))) return [];
  const why = `${because}; it is being deleted already, so it only gets the condition`;
  return [patching(id, pod, { ...time, patch, because: why, rule: 'NODE-9' })];
}

/** Are type, status and reason the same? */
function isSame({ type, status, reason }: Condition) {
  return (one: Condition) => one.type === type && one.status === status && one.reason === reason;
}

/** The timer starts with the taint or with the controller, whichever was later (NODE-8). */
function timeUp(
  pod: ObjectRecord,
  taints: readonly Taint[],
  stay: number,
  now: number,
  memory: ControllerMemory | undefined,
) {
  const known = memory?.evictions?.get(pod.uid);
  if (known !== undefined)
    return { notBefore: Math.max(now, known), notAfter: Math.max(now, known) };
  const added = taints.map(({ timeAdded }) =>
    timeAdded === undefined ? 0 : Date.parse(timeAdded),
  );
  const tainted = Math.max(...added);
  const started = memory?.startedAt;
  const earliest = Math.max(tainted, started ?? 0);
  const isTold = started !== undefined && added.every((time) => time > 0);
  const latest = isTold ? Math.min(now, earliest) : now;
  return {
    notBefore: Math.max(now, earliest + stay),
    notAfter: Math.max(now, latest + stay) + handling,
  };
}

/**
 * How long a pod may stay on a Node with these NoExecute taints, in milliseconds: 0 is not at all,
 * infinity is without limit. For each taint the first matching toleration counts, and over all
 * taints the shortest (NODE-7).
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
