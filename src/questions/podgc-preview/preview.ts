import {
  byEvictionAndCreation,
  isTerminated,
  missingNodes,
  type PodGcInput,
  type PodGcStep,
  terminatedExcess,
} from '../../controllers/pod-gc/pass.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { isOutOfService, isReady } from '../../kube/well-known-kinds.ts';

interface StepSummary {
  readonly step: PodGcStep;
  readonly pods: number;
  readonly because: string;
}

/** The four steps in upstream's order, with what each has to do (PG-2). */
export function stepsOf(
  input: PodGcInput,
  threshold: number,
  chosen: readonly { readonly step: PodGcStep }[],
  /** Number of pods of which only metadata was read. */
  unread = 0,
): StepSummary[] {
  const count = (step: PodGcStep) => chosen.filter((one) => one.step === step).length;
  const { terminated } = terminatedExcess(input.pods, threshold);
  const nodes = [...missingNodes(input)];
  // What was not read may exist.
  const missing = nodes.filter((name) => !input.nodeExists(name)).length;
  const unreadNodes = nodes.length - missing;
  const becauseOf: Readonly<Record<PodGcStep, string>> = {
    terminated:
      threshold > 0
        ? `${terminated} ${countedPods(terminated)} ended, ${threshold} may stay`
        : `a threshold of ${threshold} switches this step off; ${terminated} ${countedPods(terminated)} ended`,
    'out-of-service': 'deleted pods on Nodes that are not ready and tainted out-of-service',
    orphaned: `${missing} ${missing === 1 ? 'Node that pods name does' : 'Nodes that pods name do'} not exist${unreadNodes > 0 ? `; whether ${unreadNodes} more ${unreadNodes === 1 ? 'exists' : 'exist'} was not read` : ''}`,
    unscheduled: 'deleted pods that are bound to no Node',
  };
  const unknown =
    unread > 0 ? `; unknown for ${counted(unread, 'pod')} whose spec was not read` : '';
  const order: readonly PodGcStep[] = ['terminated', 'out-of-service', 'orphaned', 'unscheduled'];
  return order.map((step) => ({ step, pods: count(step), because: becauseOf[step] + unknown }));
}

function countedPods(count: number): string {
  return count === 1 ? 'pod has' : 'pods have';
}

/** A pod that looks like a case for pod GC, and why pod GC leaves it alone. */
interface WaitingPod {
  readonly pod: ObjectRecord;
  readonly because: string;
  readonly rule: string;
}

/**
 * Pods that a pass leaves although one might expect it to delete them (PG-9, PG-10, PG-19); `now`
 * in epoch milliseconds.
 */
export function waitingPods(
  input: PodGcInput,
  chosen: ReadonlySet<string>,
  now: number,
): WaitingPod[] {
  return input.pods.flatMap((pod) => {
    if (chosen.has(pod.uid)) return [];
    const node = input.cachedNode(knownNodeOf(pod) ?? '');
    const why = node && whyWaiting(pod, node, now);
    return why ? [{ pod, rule: why[0], because: why[1] }] : [];
  });
}

function whyWaiting(
  pod: ObjectRecord,
  node: ObjectRecord,
  now: number,
): readonly [rule: string, because: string] | undefined {
  const named = `Node ${node.name}`;
  const outOfService = isOutOfService(node);
  if (!isBeingDeleted(pod)) {
    if (!outOfService || isReady(node)) return undefined;
    return ['PG-9', `${named} is out of service, but the pod is not deleted yet`];
  }
  const taint = 'the taint node.kubernetes.io/out-of-service';
  if (!isReady(node))
    return ['PG-10', `${named} is not ready, but still listed and without ${taint}`];
  // The end of its grace period.
  if (now < Date.parse(pod.deletionTimestamp ?? '')) return undefined;
  if (outOfService) return ['PG-10', `${named} has ${taint}, but is Ready`];
  return ['PG-19', `due, but ${named} is Ready, so its kubelet must delete it`];
}

export type GroupBy = 'namespace' | 'owner';

interface BeyondThreshold {
  readonly pod: ObjectRecord;
  readonly group: string;
  readonly because: string;
}

/**
 * A threshold that upstream does not have: of the terminated pods of each namespace, or of each owner, the
 * last `keep` in upstream's order stay. Pods that are being deleted already are not counted.
 */
export function beyondOwnThreshold(
  pods: readonly ObjectRecord[],
  keep: number,
  per: GroupBy,
): BeyondThreshold[] {
  const ended = pods.filter((pod) => isTerminated(pod) && pod.deletionTimestamp === undefined);
  const groups = Map.groupBy(ended, (pod) => (per === 'namespace' ? pod.namespace : ownerOf(pod)));
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([group, members]) =>
      members
        .sort(byEvictionAndCreation)
        .slice(0, Math.max(0, members.length - keep))
        .map((pod) => ({
          pod,
          group,
          because: `${counted(members.length, 'pod')} of ${group} ${members.length === 1 ? 'has' : 'have'} ended and ${keep} may stay; evicted Pods are deleted first, then the oldest`,
        })),
    );
}

/** The controller's name; a pod without one is its own group with the others of its namespace. */
function ownerOf({ namespace, ownerReferences }: ObjectRecord): string {
  const owner = ownerReferences.find(({ controller }) => controller === true) ?? ownerReferences[0];
  return owner ? `${namespace}/${owner.kind}/${owner.name}` : `${namespace}/no owner`;
}
