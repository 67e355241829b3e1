import { type Condition, isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { age } from '../kube/time.ts';
import { conditionOf } from '../kube/well-known-kinds.ts';
import type { ObjectEvent } from './object-event.ts';

/** What an object, or an Event about it, says of it. It shows what a program met; what was read itself outranks it. */
export interface ObjectReport {
  /** Who says so: `the namespace controller`, `Database orders`. */
  readonly by: string;
  /** `NamespaceDeletionContentFailure`, `Ready False (BackupFailed)` */
  readonly what: string;
  /** RFC 3339; empty where it is unknown. */
  readonly time: string;
  readonly message: string;
  readonly isFailure: boolean;
  /** What its controller is at work on since the deletion began. */
  readonly isProgress?: true;
}

type Reports = (record: ObjectRecord) => ObjectReport[];

/** A driver's failure in the status of an object. */
function ofDriver({ facts }: ObjectRecord, what: string): ObjectReport[] {
  return facts?.driverError
    ? [{ by: 'the driver', time: '', isFailure: true, what, ...facts.driverError }]
    : [];
}

/** That it is in a phase which is a failure. */
function inPhase({ facts }: ObjectRecord, phase: string): ObjectReport {
  const { message = '', lastPhaseTransitionTime: time = '' } = facts ?? {};
  return { by: 'its status', what: `phase ${phase}`, time, message, isFailure: true };
}

/** Kinds whose status says it in its own way. */
const reportsOfKind: ReadonlyMap<string, Reports> = new Map<string, Reports>([
  [
    'namespaces',
    // Of these True says that something is left or went wrong (GC-75).
    (namespace) =>
      conditionsThat(namespace, ({ status }) => status === 'True').map((one) => ({
        ...reportOfCondition(one, 'the namespace controller'),
        what: one.type,
        isFailure: one.type.endsWith('Failure'),
      })),
  ],
  [
    'customresourcedefinitions.apiextensions.k8s.io',
    (definition) =>
      conditionsThat(definition, isInstancesFailure).map((one) => ({
        ...reportOfCondition(one, 'the API server'),
        what: one.reason ?? '',
      })),
  ],
  ['volumeattachments.storage.k8s.io', (one) => ofDriver(one, 'a failed detachment')],
  ['volumesnapshots.snapshot.storage.k8s.io', (one) => ofDriver(one, 'an error')],
  ['volumesnapshotcontents.snapshot.storage.k8s.io', (one) => ofDriver(one, 'an error')],
  [
    'challenges.acme.cert-manager.io',
    ({ name, facts: { message = '', lastPhaseTransitionTime: time = '' } = {} }) =>
      message === ''
        ? []
        : [{ by: `Challenge ${name}`, what: 'its reason', time, message, isFailure: true }],
  ],
  [
    'persistentvolumes',
    // The storage of a volume could not be deleted (PV-6).
    (volume) => {
      const { phase, message } = volume.facts ?? {};
      return phase === 'Failed' && message !== undefined ? [inPhase(volume, phase)] : [];
    },
  ],
  [
    'persistentvolumeclaims',
    // Its volume does not exist, or is bound to another claim (syncBoundClaim, pv_controller.go).
    (claim) =>
      claim.facts?.phase === 'Lost' ? [inPhase(claim, 'Lost')] : informing(claim, 'Unused'),
  ],
  // Who ends it, and why. Its other conditions are those of its containers.
  ['pods', (pod) => informing(pod, 'DisruptionTarget')],
]);

/** What an object reports of itself in its status: that something failed, or what it is at work on. */
export function reportsOf(record: ObjectRecord): ObjectReport[] {
  const own = reportsOfKind.get(groupResourceOf(record.type));
  if (own) return own(record);
  const by = `${record.type.kind} ${record.name}`;
  return conditionsThat(record, (one) => isFailure(one) || isProgress(record, one)).map((one) => ({
    ...reportOfCondition(one, by),
    ...(isFailure(one) ? { isFailure: true } : { isFailure: false, isProgress: true }),
  }));
}

/** Those that say that something failed. */
export function failuresOf(record: ObjectRecord): ObjectReport[] {
  return reportsOf(record).filter(({ isFailure }) => isFailure);
}

export function reportOfEvent({
  reportedBy,
  reason,
  time,
  message,
  isWarning,
}: ObjectEvent): ObjectReport {
  return { by: reportedBy || 'an Event', what: reason, time, message, isFailure: isWarning };
}

/** "the namespace controller reported X 4d ago, at …: why". */
export function reportInWords({ by, what, time, message }: ObjectReport, now: number): string {
  const when = time === '' ? 'at an unknown time' : `${age(time, now)} ago, at ${time}`;
  const lines = message.split('\n').map((line) => line.trim());
  return `${by} reported ${what} ${when}${message === '' ? '' : `: ${lines.join(' ')}`}`;
}

function conditionsThat({ facts }: ObjectRecord, isReported: (one: Condition) => boolean) {
  return facts?.conditions?.filter(isReported) ?? [];
}

function reportOfCondition(condition: Condition, by: string): ObjectReport {
  const { type, status, reason, message = '', lastTransitionTime: time = '' } = condition;
  const why = reason === undefined ? '' : `(${reason})`;
  const what = [type, status, why].filter(Boolean).join(' ');
  return { by, what, time, message, isFailure: true };
}

/** A condition that reports no failure, while it is True. */
function informing(record: ObjectRecord, type: string): ObjectReport[] {
  const condition = conditionOf(record, type);
  if (condition?.status !== 'True') return [];
  return [{ ...reportOfCondition(condition, 'its status'), isFailure: false }];
}

/**
 * The API server could not list or delete the instances of a CustomResourceDefinition, or not see that none is left
 * (deleteInstances, crd_finalizer.go of apiextensions-apiserver).
 */
function isInstancesFailure({ type, status, reason = '' }: Condition): boolean {
  return (
    type === 'Terminating' &&
    status === 'True' &&
    ['InstanceDeletionFailed', 'InstanceDeletionCheck'].includes(reason)
  );
}

/** Conditions whose meaning conventions fix: those of the API, of kstatus, of Crossplane and of Cluster API. */
const good = new Set(['Ready', 'Available', 'Healthy', 'Synced', 'Reconciled']);
const bad = /(?:^Stalled|Degraded|Failed|Failure|Error|Blocked)$/;
/** Reasons that controllers give while they delete. */
const deleting = /^(?:Delet|Terminat|Drain|Uninstall|Finaliz|Destroy)/;

/** Conditions of Argo CD have no status: one is there while it is true. */
function isFailure({ type, status, reason = '' }: Condition): boolean {
  if (deleting.test(reason) && !bad.test(reason)) return false;
  return (
    (status === 'False' && good.has(type)) ||
    (status !== 'False' && status !== 'Unknown' && bad.test(type))
  );
}

/** What its controller is at work on since the deletion began: `Drained False (Draining)`, `Deleting True (DrainingNode)`. */
function isProgress(
  record: ObjectRecord,
  { type, status, lastTransitionTime = '' }: Condition,
): boolean {
  return (
    status === (type === 'Deleting' ? 'True' : 'False') &&
    isBeingDeleted(record) &&
    Date.parse(lastTransitionTime) >= Date.parse(record.deletionTimestamp ?? '')
  );
}
