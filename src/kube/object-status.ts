import type { ObjectFacts } from './facts/object-facts.ts';
import type { ObjectRecord } from './object-record.ts';
import { podStatusOf } from './pod-status.ts';
import { groupResourceOf } from './resource-type.ts';
import { finishedCondition, isOutOfService, isReady, replicasOf } from './well-known-kinds.ts';

/**
 * STATUS as kubectl prints it, as far as it was read: `Running`, `Bound`, `Terminating`; empty for kinds
 * that have none. Mirrors pkg/printers/internalversion.
 */
export function statusOf(record: ObjectRecord): string {
  const { facts, deletionTimestamp } = record;
  const resource = groupResourceOf(record.type);
  if (facts && resource === 'pods') return podStatusOf(record).status;
  const finished = resource === 'jobs.batch' ? finishedCondition(record)?.type : undefined;
  if (finished !== undefined) return finished;
  if (deletionTimestamp !== undefined && resource !== 'nodes') return 'Terminating';
  if (!facts) return '';
  switch (resource) {
    case 'nodes':
      return statusOfNode(record);
    case 'jobs.batch':
      return (
        ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) =>
          facts.conditions?.some((one) => one.type === type && one.status === 'True'),
        ) ?? 'Running'
      );
    case 'cronjobs.batch':
      return facts.suspend ? 'Suspended' : '';
    default:
      return facts.phase ?? '';
  }
}

/** The taint out-of-service is named beside, as it decides what pod garbage collection does. */
function statusOfNode(record: ObjectRecord): string {
  const { conditions = [], unschedulable } = record.facts ?? {};
  const isKnown = conditions.some(({ type }) => type === 'Ready');
  return [
    isKnown ? (isReady(record) ? 'Ready' : 'NotReady') : 'Unknown',
    ...(unschedulable ? ['SchedulingDisabled'] : []),
    ...(isOutOfService(record) ? ['OutOfService'] : []),
  ].join(',');
}

/** READY as kubectl prints it, with what is wanted: `2/3`; empty where it is not known. */
export function readyOf(record: ObjectRecord): string {
  const { facts } = record;
  if (!facts) return '';
  const wanted = replicasOf(record);
  switch (groupResourceOf(record.type)) {
    case 'pods':
      return podStatusOf(record).ready;
    // What the API server leaves out is 0.
    case 'deployments.apps':
    case 'replicasets.apps':
    case 'replicationcontrollers':
    case 'statefulsets.apps':
      return `${facts.readyReplicas ?? 0}/${wanted}`;
    case 'daemonsets.apps':
      return `${facts.numberReady ?? 0}/${facts.desiredNumberScheduled ?? 0}`;
    case 'jobs.batch':
      return `${facts.succeeded ?? 0}/${completionsOf(facts)}`;
    default:
      return '';
  }
}

function completionsOf({ completions, parallelism = 1 }: ObjectFacts): string {
  if (completions !== undefined) return String(completions);
  return parallelism > 1 ? `1 of ${parallelism}` : '1';
}
