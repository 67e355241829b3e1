import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { leases } from '../kube/resources.ts';
import { nodeLeases } from '../kube/well-known-kinds.ts';
import type { Graph } from '../snapshot/graph/graph.ts';
import { goneJobOf, leftBehindBy } from './jobs/left-behind.ts';

/** An object whose owner was deleted, and which has no reference that shows it. */
export interface LeftWithoutReference {
  readonly owners: 'job-gone' | 'deployment-gone' | 'node-gone';
  readonly because: string;
  readonly rule?: string;
}

export function leftWithoutReference(
  graph: Graph,
  record: ObjectRecord,
): LeftWithoutReference | undefined {
  const job = goneJobOf(graph, record);
  if (job !== undefined) return { owners: 'job-gone', because: leftBehindBy(job), rule: 'GC-55' };
  if (isLeftByDeployment(record)) return { owners: 'deployment-gone', because: leftByDeployment };
  if (!isLeaseOfNode(record)) return undefined;
  const node = graph.snapshot.types.versions('nodes')[0];
  const isRead = node !== undefined && graph.coverage.covers(node, '', record.name);
  if (!isRead || graph.at(node, '', record.name)) return undefined;
  return { owners: 'node-gone', because: nodeIsGone(record), rule: 'LEASE-3' };
}

/** Only a Deployment gives it to the ReplicaSets that it makes. */
export const hashLabel = 'pod-template-hash';

export const leftByDeployment = `it has the label ${hashLabel} of a Deployment, and no controller: its Deployment was deleted with --cascade=orphan`;

/** A Deployment of the same selector would have adopted it immediately; one with any owner is the garbage collector's. */
export function isLeftByDeployment(set: ObjectRecord): boolean {
  return (
    groupResourceOf(set.type) === 'replicasets.apps' &&
    set.uid !== '' &&
    set.labels?.[hashLabel] !== undefined &&
    set.ownerReferences.length === 0 &&
    !isBeingDeleted(set)
  );
}

/** Why the Lease of a deleted Node has no owner (LEASE-3), in the words of every command. */
export function nodeIsGone({ name }: ObjectRecord): string {
  return `Node ${name} does not exist`;
}

/** The Lease of a kubelet; of a Node that exists, it has that as its owner. */
export function isLeaseOfNode(lease: ObjectRecord): boolean {
  return (
    lease.namespace === nodeLeases &&
    groupResourceOf(lease.type) === leases &&
    lease.uid !== '' &&
    lease.ownerReferences.length === 0 &&
    !isBeingDeleted(lease)
  );
}
