import type { Decision, ScheduledDecision } from '../../../controllers/controller.ts';
import { adopterKinds } from '../../../controllers/workloads/adopters.ts';
import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { objectKey, referenceTo } from '../../../kube/object-reference.ts';
import { groupResourceOf } from '../../../kube/resource-type.ts';
import type { Undetermined } from '../../../simulator/engine/undetermined.ts';
import type { Simulation } from '../../../simulator/simulation.ts';
import type { DeletionIntent } from '../plan.ts';
import type { StrippedFinalizers } from './blocking-finalizers.ts';
import { openEnds, sameReason } from './plays.ts';

const none: readonly string[] = [];

/** Leaves open whether these objects are deleted, as far as that is not open yet. */
export function withDeletionsOpen(
  played: Simulation,
  deletions: readonly Decision<string>[],
): Simulation {
  const known = openEnds(played);
  const open = deletions.filter(({ object }) => !known.has(objectKey(object)));
  if (open.length === 0) return played;
  const dues = open.map((decision): ScheduledDecision<string> => {
    const { notBefore: at, notAfter: to } = decision;
    return { decision, at, from: at, to, inGroup: true };
  });
  const undetermined = open.map(({ object, because }) => ({
    object: referenceTo(object),
    because,
  }));
  return played.with({
    dues: [...played.dues, ...dues],
    undetermined: [...played.undetermined, ...undetermined],
  });
}

/** Leaves open what a controller deletes only after the end of a play, as a Job by its time to live. `end`: epoch milliseconds. */
export function lateDeletionsOpen(
  untouched: Simulation,
  end: number,
): (played: Simulation) => Simulation {
  const lateIn = ({ dues }: Simulation) =>
    dues.filter(({ decision, from }) => {
      const isCertain = decision.action === 'delete' && decision.confidence === 'certain';
      return isCertain && from > end;
    });
  const before = new Set(lateIn(untouched).map(({ decision }) => objectKey(decision.object)));
  return (played) => {
    const late = new Set(
      lateIn(played).filter(({ decision }) => !before.has(objectKey(decision.object))),
    );
    if (late.size === 0) return played;
    const known = openEnds(played);
    const open = [...late].flatMap(({ decision: { object, because } }) =>
      known.has(objectKey(object)) ? [] : [{ object: referenceTo(object), because }],
    );
    const dues = played.dues.map(
      (due): ScheduledDecision<string> =>
        late.has(due) ? { ...due, decision: { ...due.decision, confidence: 'unknown' } } : due,
    );
    return played.with({ dues, undetermined: [...played.undetermined, ...open] });
  };
}

/**
 * Where it is open whether a controller deletes something, it is as open what follows from that: all of it is
 * deleted in one more play, without its finalizers, and what ends otherwise there is undetermined, too. `without`: what
 * was as open before.
 */
export function withWhatMayFollow(
  played: Simulation,
  without: Simulation,
  playWith: (possiblyDeleted: readonly ObjectRecord[], stripped: StrippedFinalizers) => Simulation,
): Simulation {
  const before = openEnds(without);
  const possiblyDeleted = new Map<string, Undetermined>();
  const records = new Map<string, ObjectRecord>();
  const stripped = new Map<string, readonly string[]>(
    played.objects.filter(isBeingDeleted).map((end) => [objectKey(end), none]),
  );
  let last = played;
  for (let isMore = true; isMore; ) {
    isMore = false;
    const open = openEnds(last);
    for (const { decision } of last.dues) {
      const key = objectKey(decision.object);
      const because = open.get(key);
      if (decision.confidence !== 'unknown' || decision.action !== 'delete') continue;
      if (because === undefined || sameReason(because, before.get(key))) continue;
      if (records.has(key)) continue;
      possiblyDeleted.set(key, { object: referenceTo(decision.object), because });
      records.set(key, decision.object);
      if (isBeingDeleted(decision.object)) stripped.set(key, decision.object.finalizers);
      isMore = true;
    }
    for (const end of last.objects) {
      const key = objectKey(end);
      if (!isBeingDeleted(end) || stripped.has(key)) continue;
      records.set(key, records.get(key) ?? end);
      stripped.set(key, end.finalizers);
      isMore = true;
    }
    if (isMore) last = playWith([...records.values()], stripped);
  }
  if (last === played) return played;
  // What may follow in its turn, as a volume does its claim where a provisioner runs, lives on in the play.
  const open = openEnds(last);
  const lives = new Set(
    last.objects.flatMap((end) => {
      const key = objectKey(end);
      return isBeingDeleted(end) || open.has(key) ? [] : [key];
    }),
  );
  const known = openEnds(played);
  const [first] = possiblyDeleted.values();
  const followers = played.objects.flatMap((end): Undetermined[] => {
    const key = objectKey(end);
    if (known.has(key) || lives.has(key) || isBeingDeleted(end)) return [];
    const because = `deleted if ${first?.object.kind} ${first?.object.name} is${possiblyDeleted.size > 1 ? ' or another unknown object is' : ''}`;
    return [possiblyDeleted.get(key) ?? { object: referenceTo(end), because }];
  });
  return played.with({ undetermined: [...played.undetermined, ...followers] });
}

/**
 * Requests are sent one after the other, so that a target adopts what another one orphaned, until its own request comes
 * (ADOPT-1).
 */
export function mayAdopt({ policy, targets }: DeletionIntent): boolean {
  return (
    policy === 'Orphan' &&
    targets
      .slice(1)
      .some(({ type }) => adopterKinds.some(({ resource }) => resource === groupResourceOf(type)))
  );
}

/** Leaves open what ends otherwise where controllers act between the requests. */
export function withOtherEnds(played: Simulation, paused: Simulation): Simulation {
  const open = openEnds(played);
  const openThere = openEnds(paused);
  const left = new Set(
    paused.objects.flatMap((end) => (isBeingDeleted(end) ? [] : objectKey(end))),
  );
  const others = played.objects.flatMap((end): Undetermined[] => {
    const key = objectKey(end);
    if (open.has(key) || isBeingDeleted(end)) return [];
    const because =
      openThere.get(key) ??
      (left.has(key)
        ? undefined
        : 'another target can adopt and delete it before its own request is sent');
    return because === undefined ? [] : [{ object: referenceTo(end), because }];
  });
  if (others.length === 0) return played;
  return played.with({ undetermined: [...played.undetermined, ...others] });
}
