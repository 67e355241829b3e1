import {
  isBeingDeleted,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { isPodTerminal, persistentVolumeClaims, replicasOf } from '../../kube/well-known-kinds.ts';
import { type ByKind, type ClusterView, controlling, ownName } from '../cluster-view.ts';
import type { Decision, DelayedController, Kept, SyncFacts, SyncInput } from '../controller.ts';
import { nextSync, patching } from '../decision.ts';
import {
  claimNamesOf,
  claimOrdinalOf,
  claimsWith,
  condemnedPods,
  isBeyond,
  isHealthy,
  isReadyFor,
  memberPods,
  ordinalOf,
  ordinalsBetween,
  ordinalsOf,
  outdatedPods,
  recreates,
} from './statefulset-pods.ts';

const sets = 'statefulsets.apps';

/**
 * Never deletes a claim itself: it sets the owners that let the garbage collector delete it
 * (STS-1).
 */
export const statefulSetPvcRetention: DelayedController = {
  id: 'statefulset-pvc-retention',
  controllers: ['statefulset-controller'],
  reads: [sets, 'pods', persistentVolumeClaims],
  syncers: [
    {
      runsAs: 'statefulset-controller',
      syncs: sets,
      sync: syncSet,
      watches: [sets, 'pods'],
      needsSync,
      affectedBy: ({ before, after }, { view }) => [controlling(after ?? before, sets, view)],
      // By the name that all of their names have in common.
      links: {
        [sets]: (set) => [...ownName(set), ...claimPlacesOf(set)],
        pods: setOfOrdinal,
        [persistentVolumeClaims]: setOfOrdinal,
      },
    },
  ],
  delayed: (view, settings, now) =>
    view
      .all(sets)
      .filter((set) => isSynced(set, settings))
      .flatMap((set) => condemnedPods(set, memberPods(view, set), now)),
};

/** A claim that stays when its StatefulSet is scaled down: its controller deletes none with whenScaled Retain (STS-2). */
export function keptWhenScaled(
  claim: ObjectRecord,
  sets: readonly ObjectRecord[],
): Kept | undefined {
  const set = sets.find((one) => {
    const first = one.facts?.firstOrdinal ?? 0;
    const ordinal = claimOrdinalOf(one, claim);
    return ordinal >= 0 && (ordinal < first || ordinal >= first + replicasOf(one));
  });
  const policy = set?.facts?.persistentVolumeClaimRetentionPolicy?.whenScaled;
  if (!set || isBeingDeleted(set) || claim.ownerReferences.length > 0 || policy === 'Delete')
    return;
  const retain = `whenScaled Retain${policy === undefined ? ', the default' : ''}`;
  return {
    because: `StatefulSet ${set.name} keeps the claims of Pods beyond its replicas (${retain})`,
    next: `A Pod of that name would use it again. To have such claims deleted, set whenScaled of the persistentVolumeClaimRetentionPolicy to Delete; delete this one when its data is no longer needed.`,
    rule: 'STS-2',
  };
}

function needsSync(set: ObjectRecord, { view }: SyncFacts): boolean {
  const { facts } = set;
  if (recreates(set)) return true;
  if (facts && view.controlledBy('pods', set).some((pod) => isBeyond(set, pod))) return true;
  const { volumeClaimTemplates = [], persistentVolumeClaimRetentionPolicy: policy } = facts ?? {};
  if (volumeClaimTemplates.length === 0) return false;
  if (policy?.whenDeleted === 'Delete' || policy?.whenScaled === 'Delete') return true;
  // A retained claim without an owner is not changed.
  return hasOwnedClaim(set, view);
}

function hasOwnedClaim(set: ObjectRecord, view: ByKind): boolean {
  return claimNamesOf(set).some((name) => {
    for (let ordinal = set.facts?.firstOrdinal ?? 0; ; ordinal++) {
      const claim = view.at(persistentVolumeClaims, set.namespace, `${name}-${ordinal}`);
      if (!claim) return false;
      if (claim.ownerReferences.length > 0) return true;
    }
  });
}

function claimPlacesOf(set: ObjectRecord): readonly string[] {
  return claimNamesOf(set).map((name) => `${set.namespace}/${name}`);
}

/** The name of a Pod or a claim without its ordinal. */
function setOfOrdinal({ namespace, name }: ObjectRecord): readonly string[] {
  const before = /^(.+)-\d+$/.exec(name)?.[1];
  return before === undefined ? [] : [`${namespace}/${before}`];
}

function isSynced(set: ObjectRecord, settings: SyncInput['settings']): boolean {
  const isLeftAlone = recreates(set) && settings.StatefulSetRecreateStrategy === false;
  return set.facts !== undefined && !isBeingDeleted(set) && !isLeftAlone;
}

/** Its claims, and the pods that it deletes, which their claims may follow (STS-2, STS-6). */
function syncSet(set: ObjectRecord, { view, settings, now, trigger }: SyncInput): Decision[] {
  if (!isSynced(set, settings)) return [];
  const pods = memberPods(view, set);
  const kept = decideOnStatefulSet(view, set, pods, now);
  const outdated = recreates(set) ? outdatedPods(set, pods, now) : [];
  // What delays a change from before a play is unknown.
  if (trigger === 'settled') return [...kept, ...outdated];
  const condemned = condemnedPods(set, pods, now);
  if (trigger === undefined) return [...kept, ...outdated, ...condemned.map(likely)];
  return [...kept, ...outdated, ...condemned, ...claimsWith(set, condemned, kept)];
}

function likely(decision: Decision): Decision {
  return decision.confidence === 'certain' ? { ...decision, confidence: 'likely' } : decision;
}

/** Whether the controller comes as far as a claim: `later`, once a pod before it is ready. */
type Reach = 'now' | 'perhaps' | 'later';

/**
 * In order, it stops at the first pod that is not running and available, also before those beyond the replicas; in any
 * order at one that it fails to make. Mirrors updateStatefulSet and processReplica,
 * pkg/controller/statefulset/stateful_set_control.go.
 */
function decideOnStatefulSet(
  view: ClusterView,
  set: ObjectRecord,
  members: readonly ObjectRecord[],
  now: number,
): Decision[] {
  const named = claimNamesOf(set);
  if (named.length === 0) return [];
  const first = set.facts?.firstOrdinal ?? 0;
  const end = first + replicasOf(set);
  const pods = new Map(members.map((pod) => [ordinalOf(set, pod.name), pod]));
  const arePodsRead = view.covers('pods', set.namespace, '');
  const isInOrder = set.facts?.podManagementPolicy !== 'Parallel';
  const decisions: Decision[] = [];
  const beyond = [...pods.keys()]
    .filter((ordinal) => ordinal < first || ordinal >= end)
    .sort((a, b) => a - b);
  // In any order it comes to the pods beyond its replicas first, since v1.38.
  const areBeyondFirst = !isInOrder && view.minor >= 38;
  let isKnown = true;
  let reach: Reach = 'now';
  if (areBeyondFirst) for (const ordinal of beyond) decideAt(ordinal, true);
  const used = () => [
    ...pods.keys(),
    ...ordinalsOf(named, view.in(persistentVolumeClaims, set.namespace)),
  ];
  for (const ordinal of ordinalsBetween(first, end, used)) {
    const pod = pods.get(ordinal);
    isKnown &&= pod ? pod.facts !== undefined : arePodsRead;
    const isHeld = isKnown && isInOrder && !(pod && isHealthy(pod));
    // It makes a pod that is missing, and sees to the claims of one that is pending.
    const isNew = pod?.facts === undefined || pod.facts.phase === 'Pending';
    // The controller continues after a claim was removed, or after a Pod has been ready for minReadySeconds.
    const isEarly = isNew
      ? claimsAt(ordinal).some(isBeingDeleted)
      : isInOrder && !isReadyFor(pod, set.facts?.minReadySeconds, now);
    if ((!isKnown || isEarly) && reach === 'now') reach = 'perhaps';
    if (isHeld && !isNew) reach = 'later';
    if (isNew || !isPodTerminal(pod)) decideAt(ordinal, false);
    if (isHeld) reach = 'later';
    if (!pod && reach === 'now') reach = 'perhaps';
  }
  if (!areBeyondFirst) for (const ordinal of beyond) decideAt(ordinal, true);
  return decisions;

  function decideAt(ordinal: number, isCondemned: boolean): void {
    for (const claim of claimsAt(ordinal)) {
      decisions.push(...decideClaim(set, pods.get(ordinal), isCondemned, reach, claim, now));
    }
  }

  function claimsAt(ordinal: number): ObjectRecord[] {
    return named.flatMap(
      (name) => view.at(persistentVolumeClaims, set.namespace, `${name}-${ordinal}`) ?? [],
    );
  }
}

function decideClaim(
  set: ObjectRecord,
  pod: ObjectRecord | undefined,
  isCondemned: boolean,
  reach: Reach,
  claim: ObjectRecord,
  now: number,
): Decision[] {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } =
    set.facts?.persistentVolumeClaimRetentionPolicy ?? {};
  const podRef = { apiVersion: 'v1', kind: 'Pod', name: pod?.name ?? '' };
  const setRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: set.name };
  const isStale = claim.ownerReferences.some(
    (one) =>
      (names(one, setRef) && one.uid !== set.uid) ||
      (pod && names(one, podRef) && one.uid !== pod.uid),
  );
  if (isStale) return [];
  const own = claim.ownerReferences.filter((one) => one.uid === set.uid || one.uid === pod?.uid);
  const foreign = claim.ownerReferences.filter((one) => !own.includes(one));
  const isTaken = foreign.some(({ controller }) => controller === true);
  const owner = isTaken ? undefined : wantedOwner(whenDeleted, whenScaled, isCondemned);
  const wanted: OwnerReference[] = [];
  const full = { controller: true, blockOwnerDeletion: true };
  if (owner === 'set') wanted.push({ ...setRef, uid: set.uid, ...full });
  if (owner === 'pod' && pod) wanted.push({ ...podRef, uid: pod.uid, ...full });
  if (sameOwners(own, wanted) || (reach === 'later' && wanted.length === 0)) return [];
  return [
    patching(statefulSetPvcRetention.id, claim, {
      ...nextSync(now),
      patch: { body: { metadata: { ownerReferences: [...foreign, ...wanted] } } },
      because: `StatefulSet ${set.name} has whenScaled ${whenScaled} and whenDeleted ${whenDeleted}${isCondemned ? ', and its pod is beyond the replicas' : ''}: the claim is to be owned by ${ownerWords(wanted)}`,
      rule: isTaken ? 'STS-4' : 'STS-2',
      // The owner of a claim decides when it is deleted: losing an owner must be certain, but getting one may be likely.
      confidence:
        reach === 'now' || (reach === 'perhaps' && wanted.length > 0) ? 'certain' : 'unknown',
    }),
  ];
}

/** The table of STS-2. */
function wantedOwner(
  whenDeleted: string,
  whenScaled: string,
  isCondemned: boolean,
): 'set' | 'pod' | undefined {
  if (whenScaled === 'Delete' && isCondemned) return 'pod';
  return whenDeleted === 'Delete' ? 'set' : undefined;
}

function names(
  { apiVersion, kind, name }: OwnerReference,
  other: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>,
): boolean {
  return apiVersion === other.apiVersion && kind === other.kind && name === other.name;
}

/** An owner reference without `controller: true` is outdated (STS-3). */
function sameOwners(own: readonly OwnerReference[], wanted: readonly OwnerReference[]): boolean {
  return (
    own.length === wanted.length &&
    own.every(({ uid, controller }, index) => controller === true && wanted[index]?.uid === uid)
  );
}

function ownerWords([owner]: readonly OwnerReference[]): string {
  return owner ? `${owner.kind} ${owner.name}` : 'no object';
}
