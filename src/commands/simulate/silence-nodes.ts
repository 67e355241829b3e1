import type { ObjectRecord } from '../../kube/object-record.ts';
import { timestampOf } from '../../kube/time.ts';
import { isNode, readyConditionOf } from '../../kube/well-known-kinds.ts';

/**
 * The same objects after the kubelets of these Nodes stopped reporting for the grace period, when the node lifecycle
 * controller has set their condition Ready to Unknown (NODE-4). A Node without the condition has never reported.
 */
export function silenceNodes(
  records: readonly ObjectRecord[],
  names: ReadonlySet<string>,
  now: number,
): ObjectRecord[] {
  const unknown = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: timestampOf(now),
  };
  return records.map((record) => {
    const ready = isNode(record) && names.has(record.name) ? readyConditionOf(record) : undefined;
    if (!ready || ready.status === 'Unknown') return record;
    const others = record.facts?.conditions?.filter((one) => one !== ready) ?? [];
    return { ...record, facts: { ...record.facts, conditions: [...others, unknown] } };
  });
}
