import type { Condition, ObjectRecord } from './object-record.ts';
import { groupResourceOf } from './resource-type.ts';

export function isPod({ type }: ObjectRecord): boolean {
  return type.group === '' && type.kind === 'Pod';
}

export function isNamespace({ type }: ObjectRecord): boolean {
  return type.group === '' && type.kind === 'Namespace';
}

export function isNode({ type }: ObjectRecord): boolean {
  return type.group === '' && type.kind === 'Node';
}

export function isCustomResourceDefinition({ type }: ObjectRecord): boolean {
  return type.group === 'apiextensions.k8s.io' && type.kind === 'CustomResourceDefinition';
}

/**
 * A namespace's spec.finalizers. Where they were not read, and on one that is not being deleted,
 * the finalizer that every namespace is created with is assumed (GC-70).
 */
export function specFinalizersOf({ facts, deletionTimestamp }: ObjectRecord): readonly string[] {
  const read = facts?.specFinalizers;
  if (read === undefined || (read.length === 0 && deletionTimestamp === undefined)) return created;
  return read;
}

const created: readonly string[] = Object.freeze(['kubernetes']);

/** spec.terminationGracePeriodSeconds, which the API server defaults to 30. */
export function gracePeriodOf({ facts }: ObjectRecord): number {
  return facts?.terminationGracePeriodSeconds ?? 30;
}

/** The first condition Complete or Failed that is True says that a Job has finished (TTL-2, CJ-3). */
export function finishedCondition({ facts }: ObjectRecord): Condition | undefined {
  return facts?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

const outOfServiceTaint = 'node.kubernetes.io/out-of-service';

/** The first condition of type Ready counts; without one a node is not ready (PG-10). */
export function isReady({ facts }: ObjectRecord): boolean {
  return facts?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

export function isOutOfService({ facts }: ObjectRecord): boolean {
  return facts?.taints?.some(({ key }) => key === outOfServiceTaint) ?? false;
}

/**
 * STATUS as kubectl prints it, as far as it was read: `Running`, `Bound`, `Terminating`; empty for kinds
 * that have none.
 */
export function statusOf(record: ObjectRecord): string {
  if (record.deletionTimestamp !== undefined) return 'Terminating';
  const { facts } = record;
  if (!facts) return '';
  switch (groupResourceOf(record.type)) {
    case 'nodes':
      return isOutOfService(record) ? 'OutOfService' : isReady(record) ? 'Ready' : 'NotReady';
    case 'jobs.batch':
      if (facts.suspend) return 'Suspended';
      return finishedCondition(record)?.type ?? 'Running';
    case 'cronjobs.batch':
      return facts.suspend ? 'Suspended' : '';
    case 'pods':
      return facts.reason ?? facts.phase ?? '';
    default:
      return facts.phase ?? '';
  }
}

/**
 * READY as kubectl prints it: `2/3`; `no` of a pod that is not ready, where its containers were not read;
 * empty where it is not known.
 */
export function readyOf(record: ObjectRecord): string {
  const { facts } = record;
  if (!facts) return '';
  const wanted = facts.replicas ?? 1;
  switch (groupResourceOf(record.type)) {
    case 'pods': {
      const { containers = [], containerStatuses, phase } = facts;
      const all = containers.length;
      if (phase === 'Succeeded' || phase === 'Failed') return '';
      if (isReady(record)) return `${all}/${all}`;
      // The kubelet that has not begun has reported none.
      if (!containerStatuses) return phase === 'Pending' ? `0/${all}` : 'no';
      return `${containerStatuses.filter(({ ready }) => ready).length}/${all}`;
    }
    case 'deployments.apps':
      return `${facts.availableReplicas ?? 0}/${wanted}`;
    case 'statefulsets.apps':
      return `${facts.readyReplicas ?? 0}/${wanted}`;
    case 'daemonsets.apps':
      return `${facts.numberReady ?? 0}`;
    case 'jobs.batch':
      return `${facts.succeeded ?? 0}/${facts.completions ?? 1}`;
    default:
      return '';
  }
}
