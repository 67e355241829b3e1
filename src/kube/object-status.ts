import type { ObjectFacts } from './facts/object-facts.ts';
import type { ContainerStatus } from './facts/pod.ts';
import type { ObjectRecord } from './object-record.ts';
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

interface PodStatus {
  readonly ready: string;
  readonly status: string;
}

/**
 * As kubectl prints them (printPod of pkg/printers/internalversion), as far as they were read. READY is `no`
 * where the pod is not ready and the status of its containers was not read.
 */
function podStatusOf(record: ObjectRecord): PodStatus {
  const { facts = {}, deletionTimestamp } = record;
  const { containers, initContainers = [], containerStatuses = [], phase, reason } = facts;
  const all = (containers?.length ?? 0) + initContainers.filter(isSidecar).length;
  const start = initialization(facts);
  const isStarted = start.waitsFor === undefined || hasCondition(facts, 'Initialized');
  const ready = start.ready + (isStarted ? containerStatuses.filter(isReadyNow).length : 0);
  const gated = facts.conditions?.some(
    (one) => one.type === 'PodScheduled' && one.reason === 'SchedulingGated',
  );
  const before = start.waitsFor ?? (gated ? 'SchedulingGated' : (reason ?? phase ?? ''));
  const status = isStarted ? statusOfContainers(facts, before) : before;
  return {
    ready: readyText(record, ready, all),
    status: deletionTimestamp === undefined ? status : statusWhenDeleted(facts, status),
  };
}

function readyText(record: ObjectRecord, ready: number, all: number): string {
  const { containers, containerStatuses, phase } = record.facts ?? {};
  const runsNothing = phase === 'Pending' || phase === 'Succeeded' || phase === 'Failed';
  if (!containers) return isReady(record) || runsNothing ? '' : 'no';
  if (containerStatuses) return `${ready}/${all}`;
  if (isReady(record)) return `${all}/${all}`;
  // The kubelet that has not begun has reported none, and what has ended is not ready.
  return runsNothing ? `0/${all}` : 'no';
}

function statusWhenDeleted({ phase, reason }: ObjectFacts, status: string): string {
  if (reason === 'NodeLost') return 'Unknown';
  return phase === 'Succeeded' || phase === 'Failed' ? status : 'Terminating';
}

/** How far the init containers are: the sidecars that are ready, and what the pod still waits for. */
function initialization({ initContainers = [], initContainerStatuses = [] }: ObjectFacts): {
  readonly ready: number;
  readonly waitsFor?: string;
} {
  const sidecars = new Set(initContainers.filter(isSidecar).map(({ name }) => name));
  let ready = 0;
  for (const [at, one] of initContainerStatuses.entries()) {
    if (one.exitCode === 0) continue;
    if (sidecars.has(one.name) && one.started) {
      if (one.ready) ready++;
      continue;
    }
    const waits = one.waitingReason === 'PodInitializing' ? undefined : one.waitingReason;
    const held = one.exitCode === undefined ? waits : endOf(one);
    return { ready, waitsFor: `Init:${held ?? `${at}/${initContainers.length}`}` };
  }
  return { ready };
}

/** The status of the first container that does not run, if any. */
function statusOfContainers(facts: ObjectFacts, before: string): string {
  const { containerStatuses = [] } = facts;
  const reasons = containerStatuses.map((one) => one.waitingReason ?? endOf(one));
  const status = reasons.find((reason) => reason !== undefined) ?? before;
  if (status !== 'Completed') return status;
  const runs = containerStatuses.some(isReadyNow);
  if (runs && hasCondition(facts, 'Ready')) return 'Running';
  const failed = containerStatuses.find(({ exitCode = 0, waitingReason }) => {
    return exitCode !== 0 && waitingReason === undefined;
  });
  return (failed && endOf(failed)) ?? (runs ? 'NotReady' : status);
}

/** `Error`, `OOMKilled`, `Signal:9`; undefined of a container that has not ended. */
function endOf({ exitCode, signal, endReason }: ContainerStatus): string | undefined {
  if (exitCode === undefined) return undefined;
  return endReason ?? (signal === undefined ? `ExitCode:${exitCode}` : `Signal:${signal}`);
}

function isReadyNow({ ready, waitingReason, exitCode }: ContainerStatus): boolean {
  return ready === true && waitingReason === undefined && exitCode === undefined;
}

function isSidecar({ restartPolicy }: { readonly restartPolicy?: string }): boolean {
  return restartPolicy === 'Always';
}

function hasCondition({ conditions = [] }: ObjectFacts, type: string): boolean {
  return conditions.some((one) => one.type === type && one.status === 'True');
}
