import { FOREGROUND, type ObjectRecord, ORPHAN } from '../kube/object-record.ts';
import { knownNodeOf } from '../kube/pod-use.ts';
import { isNamespace, isPod } from '../kube/well-known-kinds.ts';
import type { Blocker, PlannedRequest } from '../plan/plan.ts';
import type { Happening } from './execution.ts';
import type { TrackedObject } from './tracked-object.ts';
import type { TrackedObjects } from './tracked-objects.ts';

type Left = Extract<Happening, { type: 'left' }>;

/** Was planned to go, or to be on its way, and has not been seen to be gone. */
export function isLeft({ planned: { fate }, present }: TrackedObject): boolean {
  return (
    present !== false && (fate === 'deleted' || fate === 'recreated' || fate === 'terminating')
  );
}

export interface LeftContext {
  readonly tracked: TrackedObjects;
  /** What was read of an object just now; undefined: what was followed is all there is. */
  readonly records: ReadonlyMap<string, ObjectRecord>;
  /** Requests that were not accepted. */
  readonly unaccepted: ReadonlyMap<string, PlannedRequest>;
}

/** Says of each object why it is still there. */
export function leftEvents(objects: readonly TrackedObject[], context: LeftContext): Left[] {
  const blocking = blockingDependents(context.tracked);
  return objects.map((object) => {
    const { apiVersion, kind, namespace, name, uid } = object.planned;
    const dependents = object.finalizers.includes(FOREGROUND) ? (blocking.get(uid) ?? []) : [];
    const blockedBy = blockersOf(object, context.records.get(uid), dependents);
    return {
      type: 'left',
      object: { apiVersion, kind, namespace, name, uid },
      because: becauseOf(object, context, blockedBy),
      blockedBy,
    };
  });
}

function blockersOf(
  { finalizers, terminating }: TrackedObject,
  record: ObjectRecord | undefined,
  dependents: readonly Blocker[],
): Blocker[] {
  if (!terminating) return [];
  const blockers: Blocker[] = finalizers
    .filter((name) => name !== FOREGROUND || dependents.length === 0)
    .map((name) => ({ kind: 'finalizer', name }));
  blockers.push(...dependents);
  // With a grace period of 0 nobody waits for the kubelet.
  const isAwaited = record && isPod(record) && record.deletionGracePeriodSeconds !== 0;
  const nodeName = isAwaited ? knownNodeOf(record) : undefined;
  if (nodeName) blockers.push({ kind: 'kubelet', name: nodeName });
  if (record && isNamespace(record)) {
    for (const { type, status, message } of record.facts?.conditions ?? []) {
      if (status === 'True') blockers.push({ kind: 'content', name: message || type });
    }
  }
  return blockers;
}

function becauseOf(
  object: TrackedObject,
  { unaccepted }: LeftContext,
  blockedBy: readonly Blocker[],
): string {
  if (object.blind !== undefined) return `nobody can tell whether it is gone: ${object.blind}`;
  if (object.present === undefined) return 'nobody has seen whether it is gone';
  if (!object.terminating) {
    return unaccepted.has(object.planned.uid)
      ? 'no request to delete it was accepted'
      : 'it is not marked for deletion';
  }
  if (blockedBy.length === 0) return 'it is terminating';
  return blockedBy.map(spell).join('; ');
}

function spell({ kind, name }: Blocker): string {
  switch (kind) {
    case 'finalizer':
      if (name === FOREGROUND) return 'the garbage collector still deletes its dependents';
      if (name === ORPHAN) return 'the garbage collector still releases its dependents';
      return `nobody has removed its finalizer ${name}`;
    case 'dependent':
      return `it waits for its dependent ${name}`;
    case 'kubelet':
      return `the kubelet of node ${name} has not confirmed that it has stopped`;
    case 'content':
      return name;
  }
}

/** What is there and has a blocking reference, by the owner's uid. */
function blockingDependents(tracked: TrackedObjects): Map<string, Blocker[]> {
  const byOwner = new Map<string, Blocker[]>();
  for (const { planned, present, owners } of tracked.all) {
    if (present !== true) continue;
    for (const owner of owners) {
      if (!owner.blocks) continue;
      const { apiVersion, kind, namespace, name, uid } = planned;
      const object = { apiVersion, kind, namespace, name, uid };
      const blocker: Blocker = { kind: 'dependent', name: `${kind} ${name}`, object };
      const list = byOwner.get(owner.uid);
      if (list) list.push(blocker);
      else byOwner.set(owner.uid, [blocker]);
    }
  }
  return byOwner;
}
