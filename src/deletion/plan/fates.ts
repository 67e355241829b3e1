import type { Decision } from '../../controllers/controller.ts';
import { kindsInWords } from '../../kube/counts-by-kind.ts';
import {
  CRD_CLEANUP,
  FOREGROUND,
  isBeingDeleted,
  type ObjectRecord,
  ORPHAN,
  PVC_PROTECTION,
} from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { holdsClaim } from '../../kube/pod-use.ts';
import { humanDurationUp } from '../../kube/time.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import { isNotFound, reclaimerOf } from '../../programs/driver-programs.ts';
import { knownFinalizer } from '../../programs/known-finalizers.ts';
import {
  lifeInWords,
  type ProgramLife,
  type ProgramsSeen,
  programLives,
} from '../../programs/program-life.ts';
import type { Step } from '../../simulator/engine/timeline.ts';
import { namespaceEnds } from '../../simulator/namespaces/simulated-namespaces.ts';
import type { Simulation } from '../../simulator/simulation.ts';
import type { Stuck } from '../../simulator/stuck-objects.ts';
import type { Fate, PlannedObject } from './plan.ts';
import { serverRefuses, type UnreadContent } from './plan-totals.ts';
import { whyContentGoes } from './play/plain-content.ts';
import type { PlayedDeletion } from './play/play-deletion.ts';
import { openEnds, takenAlong } from './play/plays.ts';
import type { TouchedObject } from './play/touched-objects.ts';

/** What becomes of an object, and who decides it. */
export type Verdict = Pick<PlannedObject, 'fate' | 'likely' | 'because' | 'rule' | 'blockedBy'>;

type Judged = Pick<PlayedDeletion, 'plays' | 'requests' | 'refused'>;

/** Reads fates from one of the plays with the deletion, and from the play without it. */
export function fatesIn(
  which: 'held' | 'released',
  played: Judged,
  unreadContent: UnreadContent,
): (object: TouchedObject) => Verdict {
  const { plays, requests, refused } = played;
  const play = plays[which];
  const stepsOf = stepsIn(play);
  const untouchedStepsOf = stepsIn(plays.untouched);
  const openFateOf = openFates(play);
  const blockersOf = blockersIn(play);
  const isTakenAlong = takenAlong(requests, play);
  const usersOf = claimUsers(play, plays.untouched, stepsOf);

  return (object) => {
    const { key, record, isTarget, container } = object;
    if (container) return verdict('deleted', whyContentGoes(record), 'GC-72');
    const end = object.ends[which];
    const steps = stepsOf(key);
    const isContent = !isTarget && isTakenAlong(record);
    const open = isContent ? undefined : openFateOf(key);
    if (open) return open;
    if (!end) {
      const unread = unreadContent(record);
      if (unread.length > 0) return perhapsBlocked(record, steps.find(begins), unread);
      const removed = removedFate(object, steps, isContent);
      return { ...removed, because: [removed.because, ...usersOf(record)].join('; ') };
    }
    if (isBeingDeleted(end)) {
      const { because: waits, blockedBy } = blockersOf(end);
      const began = steps.find(begins);
      const why = began ? `${began.because}; ${waits}` : `it is being deleted already; ${waits}`;
      return { ...verdict('terminating', why, began?.rule ?? 'GC-62'), blockedBy };
    }
    return (
      refusedFate(object, steps, refused) ??
      changedFate(object, end, steps) ??
      sparedFate(object, end, untouchedStepsOf(key))
    );
  };
}

type Steps = readonly Step[];

const noSteps: Steps = [];

/** The steps of a play that are about an object, by its key. */
function stepsIn({ steps }: Simulation): (key: string) => Steps {
  const byKey = Map.groupBy(steps, ({ object }) => objectKey(object));
  return (key) => byKey.get(key) ?? noSteps;
}

function begins({ result }: Step): boolean {
  return result === 'removed' || result === 'terminating';
}

function verdict(fate: Fate, because: string, rule: string): Verdict {
  return { fate, because, rule, blockedBy: [] };
}

/**
 * The fate of an object whose end a play leaves open. A controller may delete it if a program runs that only the owner of
 * the cluster knows.
 */
function openFates(play: Simulation): (key: string) => Verdict | undefined {
  const open = openEnds(play);
  const unread = new Set(play.unknown.map(({ object }) => objectKey(object)));
  const possible: ReadonlyMap<string, Decision<string>> = new Map(
    play.dues.flatMap(({ decision }) =>
      decision.action === 'delete' && decision.confidence !== 'certain'
        ? [[objectKey(decision.object), decision] as const]
        : [],
    ),
  );
  return (key) => {
    const because = open.get(key);
    if (because === undefined) return undefined;
    const due = possible.get(key);
    if (due?.confidence === 'likely') {
      return { ...verdict('deleted', due.because, due.rule), likely: true };
    }
    return verdict('unknown', because, unread.has(key) ? 'GC-29' : (due?.rule ?? 'SIM-4'));
  };
}

/** `isContent`: it is deleted with its namespace in any case. */
function removedFate(
  { ends, isTarget, record }: TouchedObject,
  steps: Steps,
  isContent: boolean,
): Verdict {
  const began = steps.find(begins);
  const last = steps.findLast(({ result }) => result === 'removed' || result === 'changed');
  if (began) {
    // The order of events decides whether the garbage collector or another controller is first.
    const begin = isContent ? namespaceEnds(record.namespace) : began.because;
    const isSaid = !last || last === began || last.because === begin;
    const because = isSaid ? begin : `${begin}; ${last.because}`;
    return verdict('deleted', because, isContent ? 'GC-72' : began.rule);
  }
  if (last) return verdict('deleted', `it is being deleted already; ${last.because}`, last.rule);
  if (isTarget && !ends.untouched && !isBeingDeleted(record)) {
    const because =
      'the input contains another object of its name or its uid, and only one can exist';
    return verdict('unknown', because, 'GC-5');
  }
  return verdict('deleted', 'its deletion ends immediately', 'GC-61');
}

/** A namespace or a definition is removed when it is empty; a part of its content was not read. */
function perhapsBlocked(
  record: ObjectRecord,
  began: Step | undefined,
  unread: readonly string[],
): Verdict {
  const begin = began?.because ?? 'it is being deleted already';
  const because = `${begin}; whether it goes is unknown: ${kindsInWords(unread)} could not be read, and it goes when none is left`;
  return verdict('unknown', because, isNamespace(record) ? 'GC-71' : 'GC-66');
}

/** The fate of an object that the API server refuses to delete. */
function refusedFate(
  { record, isTarget }: TouchedObject,
  steps: Steps,
  refused: Judged['refused'],
): Verdict | undefined {
  const words = refused.get(record.uid);
  if (words !== undefined) return verdict('kept', `${serverRefuses}: ${words}`, 'GC-43');
  const step = isTarget
    ? steps.find(({ result, actor }) => result === 'refused' && actor === 'user')
    : undefined;
  return step && verdict('kept', `${serverRefuses}: ${step.because}`, step.rule);
}

/** Does an object lose all of its owner references, and stay? */
function stayingFate({ record, isTarget }: TouchedObject, end: ObjectRecord): Fate {
  const isOrphan = end.ownerReferences.length === 0 && record.ownerReferences.length > 0;
  return isOrphan && !isTarget ? 'orphaned' : 'kept';
}

/** The fate of an object that stays and is changed. */
function changedFate(object: TouchedObject, end: ObjectRecord, steps: Steps): Verdict | undefined {
  const changed = steps.findLast(({ result }) => result === 'changed');
  if (!changed) return undefined;
  const adopted = steps.findLast((step) => step.rule === 'ADOPT-1' && step !== changed);
  const before = new Set(object.record.ownerReferences.map(({ uid }) => uid));
  const owners = end.ownerReferences.flatMap(({ kind, name, uid }) =>
    before.has(uid) ? [`${kind} ${name}`] : [],
  );
  const because = [
    ...(owners.length > 0 ? [`also owned by ${owners.join(', ')}`] : []),
    ...(adopted ? [adopted.because] : []),
    changed.because,
  ].join('; ');
  return verdict(stayingFate(object, end), because, changed.rule);
}

/** The fate of an object that stays as it is: `steps` are those of the play without the deletion. */
function sparedFate(object: TouchedObject, end: ObjectRecord, steps: Steps): Verdict {
  const { released, untouched } = object.ends;
  if (!released && untouched) {
    const before =
      object.record.ownerReferences.length > 0 ? 'its owner' : 'what it is deleted with';
    return verdict('kept', `pending: ${before} is blocked`, 'GC-22.10');
  }
  const fate = stayingFate(object, end);
  const spared = steps.findLast(({ result }) => result !== 'refused');
  if (!untouched && spared) {
    const because = `it stays; without this deletion it would be deleted: ${spared.because}`;
    return verdict(fate, because, spared.rule);
  }
  return verdict(fate, spared?.because ?? 'nothing happens to it', spared?.rule ?? 'GC-22.10');
}

const mostUsers = 3;

/** Answers which Pods on Nodes use a claim, and when they are removed: until then the PVC protection controller keeps it. */
function claimUsers(
  play: Simulation,
  untouched: Simulation,
  stepsOf: (key: string) => Steps,
): (claim: ObjectRecord) => string[] {
  const asked = play.steps.find(({ actor }) => actor === 'user') ?? play.steps[0];
  return (claim) => {
    if (!claim.finalizers.includes(PVC_PROTECTION)) return [];
    const users = untouched.objects.filter((pod) => holdsClaim(pod, claim)).slice(0, mostUsers);
    return users.map((pod) => usedUntil(pod, stepsOf(objectKey(pod)), asked));
  };
}

/** `Pod db-0 uses it, and is removed within 30 s`: its grace period, if a kubelet has to stop it. `asked`: the first request. */
function usedUntil(pod: ObjectRecord, steps: Steps, asked: Step | undefined): string {
  const end = steps.findLast(({ result }) => result === 'removed');
  const seconds = (Date.parse(end?.at ?? '') - Date.parse(asked?.at ?? '')) / 1000;
  const when = seconds > 0 ? `within ${humanDurationUp(Math.ceil(seconds))}` : 'immediately';
  return `Pod ${pod.name} uses it${end ? `, and is removed ${when}` : ''}`;
}

/**
 * The verdict on a released volume, by its provisioner: only where that may run, the volume is likely deleted. One that was not
 * found may run outside of the cluster.
 */
export function reclaimedBy(
  seen: ProgramsSeen,
): (volume: ObjectRecord, verdict: Verdict) => Verdict {
  const lifeOf = programLives(seen);
  const lives = new Map<string, ProgramLife>();
  return (volume, verdict) => {
    const provisioner = verdict.likely && reclaimerOf(volume);
    if (!provisioner) return verdict;
    const { title } = provisioner;
    const life = lives.get(title) ?? lifeOf(provisioner)('');
    lives.set(title, life);
    if (life.state !== 'down' && !isNotFound(life)) return verdict;
    const { likely: _, ...rest } = verdict;
    return { ...rest, fate: 'unknown', because: `${lifeInWords(title, life)}; ${rest.because}` };
  };
}

/** Answers for each object that a simulation leaves terminating: its blockers, and the reason in words. */
function blockersIn({
  stuck,
}: Simulation): (end: ObjectRecord) => Pick<Stuck, 'because' | 'blockedBy'> {
  const byKey = new Map(stuck.map((entry) => [objectKey(entry.object), entry]));
  return (end) => {
    const entry = byKey.get(objectKey(end));
    const because = entry?.because ?? 'its deletion takes longer than was looked ahead';
    return {
      because: [because, ...end.finalizers.flatMap((one) => hintOf(one, end))].join('; '),
      blockedBy: entry?.blockedBy ?? [],
    };
  };
}

/**
 * Of a finalizer that nothing simulates, who would remove it, and when: `the PVC protection controller removes
 * kubernetes.io/pvc-protection when no pod uses the claim`.
 */
function hintOf(finalizer: string, { type }: ObjectRecord): string[] {
  const isSimulated = [FOREGROUND, ORPHAN, CRD_CLEANUP].includes(finalizer);
  const known = isSimulated ? undefined : knownFinalizer(finalizer, type);
  return known ? [`the ${known.setBy.title} removes ${finalizer} when ${known.removedWhen}`] : [];
}
