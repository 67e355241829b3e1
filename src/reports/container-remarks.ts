import type { NodeFacts } from '../kubelet/node-facts.ts';

/** What a reader has to know about how much was seen of a node's containers. */
export function containerRemarks(facts: NodeFacts): string[] {
  const { containers, containersSource, sandboxes, pods } = facts;
  if (containers === undefined) return ['its containers could not be read'];
  const remarks: string[] = [];
  if (containersSource !== 'runtime') {
    remarks.push(
      'pods show one dead container of each name at most; others, and those of deleted pods, were not seen',
    );
  }
  if (sandboxes === undefined) remarks.push('its sandboxes were not seen');
  if (pods === undefined) {
    remarks.push('which pods are gone could not be read: what depends on it may go or stay');
  }
  if (facts.containerSettingsSource === 'defaults') {
    remarks.push("the kubelet's flags could not be read: the defaults of Kubernetes are assumed");
  }
  return remarks;
}
