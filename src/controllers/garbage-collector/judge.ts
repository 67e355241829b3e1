import {
  FOREGROUND,
  isBeingDeleted,
  isDeletingDependents,
  type ObjectRecord,
  ORPHAN,
} from '../../kube/object-record.ts';
import { isEventType, isMonitored } from '../../kube/resource-type.ts';
import {
  type ClassifiedReference,
  classifyReference,
} from '../../snapshot/graph/classify-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { collectorOff } from '../settings/enabled-controllers.ts';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/**
 * What the garbage collector does when it processes one object: `delete` it; remove the references that are not solid
 * (`patch`); keep it; do nothing because it has no owner, because a reference freezes it, because it is already being
 * deleted, or because its kind is not watched or no garbage collector runs; or the answer is unknown.
 */
export type Action =
  | 'delete'
  | 'patch'
  | 'keep'
  | 'unowned'
  | 'frozen'
  | 'terminating'
  | 'ignored'
  | 'unknown';

export interface Judgement {
  readonly action: Action;
  /** The DELETE's propagation policy. */
  readonly policy: PropagationPolicy | undefined;
  readonly references: readonly ClassifiedReference[];
  readonly rule: string;
  readonly because: string;
}

/**
 * Mirrors attemptToDeleteItem, pkg/controller/garbagecollector/garbagecollector.go (GC-22):
 * the decision on the live object and the owners it names. Doubt comes before everything but an
 * unresolvable reference, which freezes the object whatever the others turn out to be.
 */
export function judge(graph: Graph, record: ObjectRecord): Judgement {
  return judgeBy(graph, record, classifiedReferences(graph, record));
}

/** The same, where its references are classified already. Where it is off, what would be garbage stays (GC-78). */
export function judgeBy(
  graph: Graph,
  record: ObjectRecord,
  references: readonly ClassifiedReference[],
): Judgement {
  const decide = (
    action: Action,
    rule: string,
    because: string,
    policy?: PropagationPolicy,
  ): Judgement => {
    const stays = whereOff[action];
    const off = collectorOff(stays && graph.snapshot.controllers);
    if (!stays || !off) return { action, policy, references, rule, because };
    const but = `${because}; but ${off}`;
    return { action: stays, policy: undefined, references, rule: 'GC-78', because: but };
  };

  if (references.length === 0) return decide('unowned', 'GC-22.8', 'it has no owner');
  if (!isMonitored(record.type)) {
    const rule = isEventType(record.type) ? 'GC-8' : 'GC-9';
    return decide(
      'ignored',
      rule,
      `the garbage collector does not watch ${record.type.kind} objects`,
    );
  }
  if (isBeingDeleted(record)) {
    return decide(
      'terminating',
      isDeletingDependents(record) ? 'GC-23' : 'GC-22.1',
      'it is already being deleted; its references are not looked at again',
    );
  }
  const frozen = references.find((reference) => reference.class === 'unresolvable');
  if (frozen) {
    const rule = frozen.rule === 'GC-45' ? 'GC-45' : 'GC-30';
    return decide(
      'frozen',
      rule,
      `${frozen.because}; while that reference stays, it is never deleted or changed`,
    );
  }
  const unread = references.find((reference) => reference.class === 'unknown');
  const solid = references.filter((reference) => reference.class === 'solid');
  if (unread) {
    const survives = solid[0] ? `; it lives on in any case, as ${solid[0].because}` : '';
    return decide('unknown', unread.rule, unread.because + survives);
  }
  if (solid.length === references.length) {
    return decide('keep', 'GC-22.10', solid.map((reference) => reference.because).join('; '));
  }
  const kept = solid[0];
  if (kept) {
    const removed = removedUids(references);
    const left = references.filter(({ reference }) => !removed.has(reference.uid));
    if (left.filter(({ reference }) => reference.controller === true).length > 1) {
      const because = `${kept.because}; the other references stay as well: the API server refuses to change an object that has two controllers`;
      return decide('keep', 'GC-67', because);
    }
    const because = `${kept.because}, so only the other references are removed`;
    const all =
      '; but that is done by uid, which takes this one along and leaves it without an owner';
    return decide('patch', 'GC-22.11', left.length > 0 ? because : because + all);
  }
  return deletion(graph, record, references, decide);
}

const whereOff: Readonly<Partial<Record<Action, Action>>> = { delete: 'ignored', patch: 'keep' };

/**
 * Is the object garbage only after its Event? `judge` deletes it while the Event is being deleted in the foreground. But
 * the garbage collector does not watch Events: it polls this one, and processes its dependents after it was deleted (GC-21).
 */
export function waitsForEvent({ action, references }: Judgement): boolean {
  const isWaiting = ({ class: verdict, found }: ClassifiedReference) =>
    verdict === 'waiting' && found !== undefined && isEventType(found.type);
  return action === 'delete' && references.every(isWaiting);
}

export function classifiedReferences(
  graph: Graph,
  record: ObjectRecord,
): readonly ClassifiedReference[] {
  return record.ownerReferences.map((reference) => classifyReference(graph, record, reference));
}

/** References are removed by uid, which takes along an honoured one that shares it (GC-31). */
function removedUids(references: readonly ClassifiedReference[]): ReadonlySet<string> {
  return new Set(
    references.filter(({ class: cls }) => cls !== 'solid').map(({ reference }) => reference.uid),
  );
}

/** GC-22.12 and GC-22.13: no owner is solid. */
function deletion(
  graph: Graph,
  record: ObjectRecord,
  references: readonly ClassifiedReference[],
  decide: (action: Action, rule: string, because: string, policy?: PropagationPolicy) => Judgement,
): Judgement {
  const because = references.map((reference) => reference.because).join('; ');
  const waiting = references.some((reference) => reference.class === 'waiting');
  const dependents = graph.dependentsOf(record.uid).filter(({ type }) => isMonitored(type));
  if (waiting && dependents.length > 0) {
    const cycle = dependents.some(isDeletingDependents)
      ? '; one of its dependents is itself being deleted in the foreground, so its own references stop blocking first'
      : '';
    return decide('delete', 'GC-22.12', because + cycle, 'Foreground');
  }
  const policy = record.finalizers.includes(ORPHAN)
    ? 'Orphan'
    : record.finalizers.includes(FOREGROUND)
      ? 'Foreground'
      : 'Background';
  return decide('delete', 'GC-22.13', because, policy);
}
