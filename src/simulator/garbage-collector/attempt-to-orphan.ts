import { ORPHAN } from '../../kube/object-record.ts';
import type { Task } from '../engine/clock.ts';
import {
  noteWrite,
  type Outcome,
  outcomeOfRefusal,
  type Worker,
  withoutOwners,
} from './attempt-to-delete.ts';
import { patchReferences, removeFinalizer } from './live-requests.ts';
import type { OwnershipNode } from './ownership-node.ts';

/**
 * Takes the owner out of all its dependents, at the same time, and then lets it go. Mirrors
 * attemptToOrphanWorker and orphanDependents, garbagecollector.go (GC-37).
 */
export function* attemptToOrphan(worker: Worker, owner: OwnershipNode): Task<Outcome> {
  const dependents = [...(owner.dependents ?? [])];
  const outcomes = new Set<Outcome>();
  let unfinished = dependents.length;
  for (const dependent of dependents) {
    worker.world.clock.start(orphan(worker, owner, dependent), (outcome) => {
      unfinished--;
      outcomes.add(outcome);
    });
  }
  while (unfinished > 0) yield 1;
  if (outcomes.has('retry')) return 'retry';
  if (outcomes.has('requeue')) return 'requeue';
  const removed = yield* removeFinalizer(worker, owner.identity, ORPHAN);
  if (removed === 'failed') return 'requeue';
  if (removed === 'conflict') return 'retry';
  if (typeof removed === 'object') {
    const because = 'all its dependents have been orphaned';
    noteWrite(worker, 'patch', removed.before, removed.written, because, 'GC-37');
  }
  return 'forget';
}

function* orphan(worker: Worker, owner: OwnershipNode, dependent: OwnershipNode): Task<Outcome> {
  const record = dependent.seen;
  if (!record) return 'forget';
  const uids = new Set([owner.identity.uid]);
  const written = yield* patchReferences(worker, dependent, record, withoutOwners(uids));
  if (written.reply.code === 404) return 'forget';
  if (written.result === 'refused') return outcomeOfRefusal(written);
  const { kind, name } = owner.identity;
  const because = `its owner ${kind} ${name} is deleted and orphans its dependents`;
  noteWrite(worker, 'patch', record, written, because, 'GC-37');
  return 'forget';
}
