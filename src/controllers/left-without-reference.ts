import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { isPod, leases, nodeLeases } from '../kube/well-known-kinds.ts';
import type { Graph } from '../snapshot/graph/graph.ts';

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

/** The Job that made a pod, by the labels that the Job controller gives it; undefined of any other object. */
export function madeByJob(record: ObjectRecord): { uid: string; name: string } | undefined {
  const { labels } = record;
  if (!isPod(record) || !labels) return undefined;
  const uid = labels['batch.kubernetes.io/controller-uid'] ?? labels['controller-uid'];
  const name = labels['batch.kubernetes.io/job-name'] ?? labels['job-name'];
  return uid === undefined || name === undefined ? undefined : { uid, name };
}

/** Why a Pod of a deleted Job has no owner (GC-55), in the words of every command. */
export function leftBehindBy(job: string): string {
  return `its Job ${job} was deleted and left it behind`;
}

/** The name of the Job that left this pod behind; undefined when it did not, or when Jobs were not read. */
export function goneJobOf(graph: Graph, record: ObjectRecord): string | undefined {
  const made = madeByJob(record);
  const job = graph.snapshot.types.versions('jobs.batch')[0];
  if (!made || !job || graph.withUid(made.uid)) return undefined;
  return graph.coverage.covers(job, record.namespace, made.name) ? made.name : undefined;
}
