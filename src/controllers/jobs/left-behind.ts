import type { ObjectRecord } from '../../kube/object-record.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';

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
