import {
  isBeingDeleted,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Controller, Decision } from '../controller.ts';
import { controllerOf, nextSync, patching } from '../decision.ts';

const id = 'statefulset-pvc-retention';
const claims = 'persistentvolumeclaims';

/**
 * Never deletes a claim itself: it sets the owners that let the garbage collector delete it
 * (STS-1).
 */
export const statefulSetPvcRetention: Controller = {
  id,
  controllers: ['statefulset-controller'],
  reads: ['statefulsets.apps', 'pods', claims],
  decide: (view, _settings, now) =>
    view
      .all('statefulsets.apps')
      .filter((set) => set.facts !== undefined && !isBeingDeleted(set))
      .flatMap((set) => decideOn(view, set, now)),
};

function decideOn(view: ClusterView, set: ObjectRecord, now: number): Decision[] {
  const templates = set.facts?.volumeClaimTemplates ?? [];
  if (templates.length === 0) return [];
  const first = set.facts?.firstOrdinal ?? 0;
  const end = first + (set.facts?.replicas ?? 1);
  const pods = new Map(podsOf(view, set).map((pod) => [ordinalOf(set, pod.name), pod]));
  const ordinals = new Set(pods.keys());
  for (let ordinal = first; ordinal < end; ordinal++) ordinals.add(ordinal);
  return [...ordinals]
    .sort((a, b) => a - b)
    .flatMap((ordinal) => {
      const isCondemned = ordinal < first || ordinal >= end;
      return templates.flatMap((template) => {
        const claim = view.at(claims, set.namespace, `${template}-${set.name}-${ordinal}`);
        return claim ? decideClaim(set, pods.get(ordinal), isCondemned, claim, now) : [];
      });
    });
}

function decideClaim(
  set: ObjectRecord,
  pod: ObjectRecord | undefined,
  isCondemned: boolean,
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
  if (sameOwners(own, wanted)) return [];
  return [
    patching(id, claim, {
      ...nextSync(now),
      patch: { body: { metadata: { ownerReferences: [...foreign, ...wanted] } } },
      because: `StatefulSet ${set.name} has whenScaled ${whenScaled} and whenDeleted ${whenDeleted}${isCondemned ? ', and its pod is beyond the replicas' : ''}: the claim is to be owned by ${ownerWords(wanted)}`,
      rule: isTaken ? 'STS-4' : 'STS-2',
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

function podsOf(view: ClusterView, set: ObjectRecord): ObjectRecord[] {
  return view
    .in('pods', set.namespace)
    .filter((pod) => controllerOf(pod)?.uid === set.uid && ordinalOf(set, pod.name) >= 0);
}

function ordinalOf({ name }: ObjectRecord, podName: string): number {
  const rest = podName.startsWith(`${name}-`) ? podName.slice(name.length + 1) : '';
  return /^\d+$/.test(rest) ? Number(rest) : -1;
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
