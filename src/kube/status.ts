import type { ObjectRecord } from './object-record.ts';
import { groupResourceOf } from './resource-type.ts';
import { finishedCondition, isOutOfService, isReady } from './well-known-kinds.ts';

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
