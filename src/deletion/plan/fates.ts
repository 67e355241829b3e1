import type { Decision } from '../../controllers/controller.ts';
import { knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import { kindCounts, kindsInWords } from '../../kube/counts-by-kind.ts';
import { FOREGROUND, isBeingDeleted, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { holdsClaim, nodeNameOf, notRead } from '../../kube/pod-use.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  isPod,
  specFinalizersOf,
} from '../../kube/well-known-kinds.ts';
import { CRD_CLEANUP } from '../../simulator/api-server/delete-object.ts';
import { silentNodesAmong } from '../../simulator/controllers/kubelet.ts';
import type { Step } from '../../simulator/engine/timeline.ts';
import { namespaceEnds } from '../../simulator/namespaces/simulated-namespaces.ts';
import type { Simulation } from '../../simulator/simulate.ts';
import type { UnreadContent } from './going.ts';
import { whyContentGoes } from './plain-content.ts';
import type { Blocker, Fate, PlannedObject } from './plan.ts';
import type { PlayedDeletion } from './play-deletion.ts';
import { openEnds, type TouchedObject, takenAlong } from './touched-objects.ts';

export const serverRefuses = 'the API server refuses this';

/** What becomes of an object, and who decides it. */
export type Verdict = Pick<PlannedObject, 'fate' | 'likely' | 'because' | 'rule' | 'blockedBy'>;

/** Reads fates from what was played with the deletion and without it. */
export function fatesOf(
  played: Pick<PlayedDeletion, 'with' | 'without' | 'requests' | 'refused'>,
  unreadContent: UnreadContent,
): (object: TouchedObject) => Verdict {
  const steps = Map.groupBy(played.with.steps, ({ object }) => objectKey(object));
  const stepsWithout = Map.groupBy(played.without.steps, ({ object }) => objectKey(object));
  const open = openEnds(played.with);
  const unread = new Set(played.with.unknown.map(({ object }) => objectKey(object)));
  const held = heldObjects(played.with);
  const doubts = doubtfulDeletions(played.with);
  const isTakenAlong = takenAlong(played.requests, played.with);
  const asked = played.with.steps.find(({ actor }) => actor === 'user') ?? played.with.steps[0];

  return (object) => {
    const { key, record, end, last, otherwise, isTarget, home } = object;
    if (home) return verdict('deleted', whyContentGoes(record), 'GC-72');
    const mine = steps.get(key) ?? noSteps;
    const goesAlong = !isTarget && isTakenAlong(record);
    const because = goesAlong ? undefined : open.get(key);
    if (because !== undefined) {
      const due = doubts.get(key);
      if (due?.confidence === 'likely')
        return { ...verdict('deleted', due.because, due.rule), likely: true };
      return verdict('unknown', because, unread.has(key) ? 'GC-29' : (due?.rule ?? 'SIM-4'));
    }
    if (!end) {
      const unseen = unreadContent(object.record);
      if (unseen.length > 0) return perhapsHeld(object.record, mine.find(begins), unseen);
      const verdict = goes(object, mine, goesAlong);
      const users = claimUsers(object.record, played.without.objects);
      const uses = users.map((pod) => usedUntil(pod, steps, asked));
      return uses.length === 0
        ? verdict
        : { ...verdict, because: [verdict.because, ...uses].join('; ') };
    }
    if (isBeingDeleted(end)) {
      const { because: waits, blockedBy } = held(end);
      const began = mine.find(begins);
      const why = began ? `${began.because}; ${waits}` : `it is being deleted already; ${waits}`;
      return { ...verdict('terminating', why, began?.rule ?? 'GC-62'), blockedBy };
    }
    const isRefused = ({ result, actor }: Step) => result === 'refused' && actor === 'user';
    const words = played.refused.get(record.uid);
    if (words !== undefined) return verdict('kept', `${serverRefuses}: ${words}`, 'GC-43');
    const refused = isTarget ? mine.find(isRefused) : undefined;
    if (refused) return verdict('kept', `${serverRefuses}: ${refused.because}`, refused.rule);
    const changed = mine.findLast(({ result }) => result === 'changed');
    const adopted = mine.findLast((step) => step.rule === 'ADOPT-1' && step !== changed);
    const isOrphan = end.ownerReferences.length === 0 && record.ownerReferences.length > 0;
    const fate: Fate = isOrphan && !isTarget ? 'orphaned' : 'kept';
    if (changed) {
      const before = new Set(record.ownerReferences.map(({ uid }) => uid));
      const owners = end.ownerReferences.flatMap(({ kind, name, uid }) =>
        before.has(uid) ? [`${kind} ${name}`] : [],
      );
      const also = owners.length > 0 ? `also owned by ${owners.join(', ')}; ` : '';
      const first = adopted ? `${adopted.because}; ` : '';
      return verdict(fate, also + first + changed.because, changed.rule);
    }
    if (!last && otherwise) {
      const why = 'pending: its owner is blocked by a finalizer';
      return verdict('kept', why, 'GC-22.10');
    }
    const spared = stepsWithout.get(key)?.findLast(({ result }) => result !== 'refused');
    if (!otherwise && spared) {
      return verdict(
        fate,
        `it stays; without this deletion it would be deleted: ${spared.because}`,
        spared.rule,
      );
    }
    return verdict(fate, spared?.because ?? 'nothing happens to it', spared?.rule ?? 'GC-22.10');
  };
}

/**
 * What a controller deletes if a program runs that only the cluster's owner knows of, or perhaps; by the object's
 * key.
 */
function doubtfulDeletions({ dues }: Simulation): ReadonlyMap<string, Decision> {
  return new Map(
    dues.flatMap(({ decision }) =>
      decision.action === 'delete' && decision.confidence !== 'certain'
        ? [[objectKey(decision.object), decision] as const]
        : [],
    ),
  );
}

function goes(
  { otherwise, isTarget, record }: TouchedObject,
  steps: readonly Step[],
  goesAlong: boolean,
): Verdict {
  const began = steps.find(begins);
  const last = steps.findLast(({ result }) => result === 'removed' || result === 'changed');
  if (began) {
    // Whether the garbage collector or another controller is first is a matter of the order.
    const begin = goesAlong ? namespaceEnds(record.namespace) : began.because;
    const isTold = !last || last === began || last.because === begin;
    const because = isTold ? begin : `${begin}; ${last.because}`;
    return verdict('deleted', because, goesAlong ? 'GC-72' : began.rule);
  }
  if (last) return verdict('deleted', `it is being deleted already; ${last.because}`, last.rule);
  if (isTarget && !otherwise && !isBeingDeleted(record)) {
    const because =
      'the input contains another object of its name or its uid, and only one can exist';
    return verdict('unknown', because, 'GC-5');
  }
  return verdict('deleted', 'its deletion ends immediately', 'GC-61');
}

/** A namespace or a definition is removed when it is empty; a part of its content was not read. */
function perhapsHeld(
  record: ObjectRecord,
  began: Step | undefined,
  unseen: readonly string[],
): Verdict {
  const begin = began?.because ?? 'it is being deleted already';
  const because = `${begin}; whether it goes is unknown: ${kindsInWords(unseen)} could not be read, and it goes when none is left`;
  return verdict('unknown', because, isNamespace(record) ? 'GC-71' : 'GC-66');
}

const mostUsers = 3;

/** Pods on nodes that mount a claim: as long as one does, the PVC protection controller keeps the claim. */
function claimUsers(claim: ObjectRecord, objects: readonly ObjectRecord[]): ObjectRecord[] {
  if (!claim.finalizers.includes('kubernetes.io/pvc-protection')) return [];
  return objects.filter((pod) => holdsClaim(pod, claim)).slice(0, mostUsers);
}

/**
 * `Pod db-0 uses it, and is gone within 30 s`: its grace period, if a kubelet has to stop it. `asked`: the first
 * request.
 */
function usedUntil(
  pod: ObjectRecord,
  steps: ReadonlyMap<string, readonly Step[]>,
  asked: Step | undefined,
): string {
  const mine = steps.get(objectKey(pod)) ?? noSteps;
  const end = mine.findLast(({ result }) => result === 'removed');
  const seconds = (Date.parse(end?.at ?? '') - Date.parse(asked?.at ?? '')) / 1000;
  const when = seconds > 0 ? `within ${Math.ceil(seconds)} s` : 'immediately';
  return `Pod ${pod.name} uses it${end ? `, and is gone ${when}` : ''}`;
}

function begins({ result }: Step): boolean {
  return result === 'removed' || result === 'terminating';
}

function verdict(fate: Fate, because: string, rule: string): Verdict {
  return { fate, because, rule, blockedBy: [] };
}

const noSteps: readonly Step[] = [];

/** The blocker of an object whose deletion does not end, and the reason in words. */
interface Held {
  readonly because: string;
  readonly blockedBy: readonly Blocker[];
}

/** Answers for each object that a simulation leaves terminating. */
function heldObjects(simulation: Simulation): (end: ObjectRecord) => Held {
  const stuck = new Map(simulation.stuck.map((entry) => [objectKey(entry.object), entry]));
  const contentOf = contentCounts(simulation.objects);
  const silentNodeOf = silentNodesAmong(simulation.objects);
  return (end) => {
    const entry = stuck.get(objectKey(end));
    const blockedBy: Blocker[] = [];
    for (const finalizer of end.finalizers) {
      if (finalizer === FOREGROUND && entry && entry.on.length > 0) {
        for (const object of entry.on)
          blockedBy.push({ kind: 'dependent', name: `${object.kind} ${object.name}`, object });
      } else if (finalizer !== CRD_CLEANUP) blockedBy.push({ kind: 'finalizer', name: finalizer });
    }
    const content = isNamespace(end)
      ? namespaceBlockers(end, contentOf(end))
      : isCustomResourceDefinition(end)
        ? contentBlockers(contentOf(end))
        : [];
    for (const blocker of content) blockedBy.push(blocker);
    const node = nodeNameOf(end);
    const isAwaited = isPod(end) && (end.finalizers.length === 0 || silentNodeOf(end));
    if (isAwaited && node !== notRead) blockedBy.push({ kind: 'kubelet', name: node });
    const because = entry?.because ?? 'its deletion takes longer than was looked ahead';
    return {
      because: [because, ...end.finalizers.flatMap((one) => hintOf(one, end))].join('; '),
      blockedBy,
    };
  };
}

/** Of a finalizer that nothing simulates: who would remove it, and when. */
function hintOf(finalizer: string, { type }: ObjectRecord): string[] {
  const isSimulated = [FOREGROUND, ORPHAN, CRD_CLEANUP].includes(finalizer);
  return isSimulated || !knownFinalizer(finalizer, type) ? [] : [removalOf(finalizer, type)];
}

/** `the PVC protection controller removes kubernetes.io/pvc-protection when no pod uses the claim`. */
function removalOf(finalizer: string, type?: ResourceType): string {
  const known = knownFinalizer(finalizer, type);
  if (!known) return `it is unknown who removes ${finalizer}`;
  return `the ${known.setBy.title} removes ${finalizer} when ${known.removedWhen}`;
}

function namespaceBlockers(namespace: ObjectRecord, counts: Counts): Blocker[] {
  const content = contentBlockers(counts);
  if (content.length > 0) return content;
  return specFinalizersOf(namespace).map((name) => ({ kind: 'finalizer', name }));
}

type Counts = ReadonlyMap<string, number>;

function contentBlockers(counts: Counts): Blocker[] {
  return [...counts].sort().map(([resource, count]) => ({
    kind: 'content',
    name: `${count} ${resource}`,
  }));
}

/** How many objects of each kind a namespace or a definition still has; counted when first asked. */
function contentCounts(objects: readonly ObjectRecord[]): (home: ObjectRecord) => Counts {
  let namespaces: Map<string, ObjectRecord[]> | undefined;
  let kinds: Map<string, ObjectRecord[]> | undefined;
  const kindOf = ({ type }: ObjectRecord) => groupResourceOf(type);
  return (home) => {
    namespaces ??= Map.groupBy(objects, ({ namespace }) => namespace);
    kinds ??= Map.groupBy(objects, kindOf);
    const content = (isNamespace(home) ? namespaces : kinds).get(home.name) ?? [];
    return new Map(kindCounts(content.map(kindOf)));
  };
}
