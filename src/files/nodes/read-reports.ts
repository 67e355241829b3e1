import { conditionOf, type Json, textOrEmpty } from '../../kube/json-value.ts';
import { objectEventOf } from '../../kube/object-event.ts';
import type { NodeReport } from '../../kubelet/node-facts.ts';

/** Reasons of the Events that a kubelet writes about the disk of its images (IMG-10, IMG-13). */
const diskReasons = new Set(['FreeDiskSpaceFailed', 'ImageGCFailed', 'InvalidDiskCapacity']);

/** That a Node is short of disk, as its kubelet has said. */
export function reportsOfNode(node: Json): NodeReport[] {
  const condition = conditionOf(node, 'DiskPressure');
  // While the kubelet is silent, the node lifecycle controller writes Unknown.
  if (condition?.status !== 'True') return [];
  return [
    {
      kind: 'Condition',
      name: 'DiskPressure',
      time: textOrEmpty(condition.lastTransitionTime),
      message: textOrEmpty(condition.message),
      reportedBy: 'kubelet',
    },
  ];
}

/** An Event about the disk of a node, of either API group; undefined: it is about something else. */
export function reportOfEvent(
  event: Json,
): { readonly node: string; readonly report: NodeReport } | undefined {
  const { about, reason: name, time, message, reportedBy } = objectEventOf(event);
  if (about.kind !== 'Node' || !diskReasons.has(name)) return undefined;
  return { node: about.name, report: { kind: 'Event', name, time, message, reportedBy } };
}
