import { storageLeft } from '../../controllers/volumes/volume-deleter.ts';
import { claimOrdinalOf } from '../../controllers/workloads/statefulset-pods.ts';
import { managedResourceFinalizer } from '../../delivery/crossplane.ts';
import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import { compareText } from '../../kube/names.ts';
import {
  controllerOf,
  isBeingDeleted,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { compareObjects, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { isClaim } from '../../kube/well-known-kinds.ts';
import { minorOrAssumed } from '../../settings/setting-definition.ts';
import type { PlanRemark } from '../plan/plan.ts';
import {
  countedNames,
  deletedWith,
  identitiesOf,
  namesOf,
  type RemarkInput,
} from './remark-input.ts';

/** What becomes of claims, of volumes, and of the data on them. */
export function dataRemarks(input: RemarkInput): PlanRemark[] {
  return [
    ...claimRemarks(input),
    ...statefulSetRemarks(input),
    ...backingObjects(input),
    ...externalResources(input),
    ...leftStorage(input),
  ];
}

function claimRemarks({ going, goingOf, snapshot, played, lastFateOf }: RemarkInput): PlanRemark[] {
  const claims = goingOf('persistentvolumeclaims').map(({ record }) => record);
  if (claims.length === 0) return [];
  const leaving = new Set(going.map(({ key }) => key));
  const open = new Set(
    played.touched.flatMap((object) =>
      lastFateOf(object) === 'unknown' ? [object.record.uid] : [],
    ),
  );
  // Those that were read: afterwards one may be gone.
  const volumes = snapshot.records.filter(
    ({ type }) => groupResourceOf(type) === 'persistentvolumes',
  );
  const byName = new Map(volumes.map((volume) => [volume.name, volume]));
  const byClaim = new Map(
    volumes.flatMap((volume) => {
      const { namespace = '', name = '', uid } = volume.facts?.claimRef ?? {};
      return name === '' ? [] : [[uid ?? `${namespace}/${name}`, volume] as const];
    }),
  );
  const pairs = claims.map((claim) => {
    const named = claim.facts?.volumeName;
    const volume =
      byClaim.get(claim.uid) ??
      byClaim.get(`${claim.namespace}/${claim.name}`) ??
      (named === undefined ? undefined : byName.get(named));
    // A manifest does not show the volume.
    const isPending =
      claim.uid !== '' && claim.facts !== undefined && named === undefined && !volume;
    const policy = volume?.facts?.persistentVolumeReclaimPolicy ?? 'unknown';
    const isLeaving = policy === 'Retain' && volume && leaving.has(objectKey(volume));
    const isOpen = volume !== undefined && open.has(volume.uid);
    return { claim, volume, isOpen, policy: isPending || isLeaving ? 'none' : policy };
  });
  const groups = [...Map.groupBy(pairs, ({ policy, isOpen }) => `${policy} ${isOpen}`)];
  return groups
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([, group]) => {
      const [{ policy, isOpen } = { policy: 'none', isOpen: false }] = group;
      const objects = identitiesOf(group.map(({ claim }) => claim));
      const held = identitiesOf(group.flatMap(({ volume }) => volume ?? []));
      return reclaimRemark(policy, isOpen, objects, held);
    });
}

type Identities = ReturnType<typeof identitiesOf>;

/** `isOpen`: nothing shows that a provisioner deletes the volumes. */
function reclaimRemark(
  policy: string,
  isOpen: boolean,
  claims: Identities,
  held: Identities,
): PlanRemark[] {
  const objects = [...claims, ...held].sort(compareObjects);
  // Volumes of a provisioner are named by a uid, which does not help a reader.
  const some = held.length > 1 ? counted(held.length, 'PersistentVolume') : namesOf(held);
  const dataGoes = (message: string): PlanRemark[] => [
    { code: 'data', severity: 'warning', message, objects },
  ];
  const [own, stay] = held.length === 1 ? ['its', 'it stays'] : ['their', 'they stay'];
  const [are, volumes] = claims.length === 1 ? ['is', 'its volume'] : ['are', 'their volumes'];
  switch (policy) {
    case 'none':
      return [];
    case 'Delete':
    case 'Recycle':
      return dataGoes(
        `The data of ${some} ${isOpen ? 'might be' : 'is'} deleted with ${claimsInWords(claims)}: reclaim policy ${policy}. To keep the data, set the reclaim policy to Retain first.`,
      );
    case 'Retain':
      return [
        {
          code: 'volume',
          severity: 'note',
          message: `${some}: reclaim policy Retain, ${stay} Released with ${own} data when ${namesOf(claims)} ${are} deleted.`,
          objects,
        },
      ];
    default:
      return dataGoes(
        `Unknown whether the data of ${countedNames(claims)} is deleted: the reclaim policy of ${volumes} was not read.`,
      );
  }
}

/** Volumes that are deleted themselves, and what backs them is not. */
function leftStorage({ goingOf, snapshot }: RemarkInput): PlanRemark[] {
  const minor = minorOrAssumed(snapshot.serverVersion);
  return goingOf('persistentvolumes').flatMap(({ record, isTarget, identity }): PlanRemark[] => {
    const left = isTarget ? storageLeft(record, minor) : undefined;
    if (left === undefined) return [];
    const message = `PersistentVolume ${record.name}: ${left}. Delete its claim instead, and the volume follows.`;
    return [{ code: 'volume', severity: 'warning', message, objects: [identity] }];
  });
}

/**
 * Custom resources that are the volumes of a CSI driver, as those of Longhorn, OpenEBS and TopoLVM: they have the name of the
 * PersistentVolume, and an API of the driver's domain. The PersistentVolume stays without its data.
 */
function backingObjects({ going, snapshot }: RemarkInput): PlanRemark[] {
  const leaving = new Set(going.map(({ key }) => key));
  const byName = new Map(
    snapshot.records
      .filter((volume) => volume.facts?.source?.csi && !leaving.has(objectKey(volume)))
      .map((volume) => [volume.name, volume]),
  );
  return going.flatMap(({ record, identity }): PlanRemark[] => {
    const { group, kind } = record.type;
    const volume = isBuiltInGroup(group) ? undefined : byName.get(record.name);
    const { claimRef, source: { csi: driver = '' } = {} } = volume?.facts ?? {};
    if (!volume || domainOf(driver) !== domainOf(group)) return [];
    const claim = claimRef?.name ? ` of claim ${claimRef.namespace}/${claimRef.name}` : '';
    const message = `The data of PersistentVolume ${volume.name}${claim} is deleted with ${kind} ${record.name}, in which driver ${driver} keeps it. The PersistentVolume stays without it.`;
    const objects = [identity, ...identitiesOf([volume])];
    return [{ code: 'data', severity: 'warning', message, objects }];
  });
}

/** Managed resources of Crossplane: their provider deletes what they stand for, unless they say otherwise. */
function externalResources({ going }: RemarkInput): PlanRemark[] {
  const managed = going.filter(({ record }) =>
    record.finalizers.includes(managedResourceFinalizer),
  );
  if (managed.length === 0) return [];
  const objects = identitiesOf(managed.map(({ record }) => record));
  const message = `What ${namesOf(objects)} ${objects.length === 1 ? 'stands' : 'stand'} for outside of the cluster may be deleted as well: deletionPolicy is Delete unless it says Orphan.`;
  return [{ code: 'data', severity: 'warning', message, objects }];
}

/** `longhorn.io` of `driver.longhorn.io`. */
function domainOf(name: string): string {
  return name.split('.').slice(-2).join('.');
}

/** Claims of a StatefulSet have its name in theirs; only some retention policies own them. */
function statefulSetRemarks({ goingOf, after, played, fateOf }: RemarkInput): PlanRemark[] {
  const leaving = new Set(goingOf('persistentvolumeclaims').map(({ key }) => key));
  const orphaning = deletedWith(played, 'Orphan');
  return goingOf('statefulsets.apps').flatMap(({ record: set, key }): PlanRemark[] => {
    const left = after
      .in('persistentvolumeclaims', set.namespace)
      .filter(
        (claim) =>
          !isBeingDeleted(claim) && !leaving.has(objectKey(claim)) && isClaimOf(claim, set),
      );
    const open = played.touched
      .filter((object) => fateOf(object) === 'unknown')
      .map(({ record }) => record)
      .filter(
        (claim) => claim.namespace === set.namespace && isClaim(claim) && isClaimOf(claim, set),
      );
    if (open.length > 0) return [openRemark(set, open)];
    if (left.length === 0) return [];
    const claims = identitiesOf(left);
    const { facts } = set;
    const wanted = facts?.persistentVolumeClaimRetentionPolicy?.whenDeleted;
    const [stays, them, data] =
      claims.length === 1 ? ['stays', 'it', 'its data'] : ['stay', 'them', 'their data'];
    const isKept = wanted !== 'Delete' || orphaning.has(key);
    const policy =
      wanted === 'Delete' && isKept
        ? `the deletion orphans ${them}`
        : facts
          ? `retention policy ${wanted ?? 'Retain'}`
          : 'its retention policy was not read';
    // Without a volume there is none.
    const isBound = left.every((claim) => claim.facts?.volumeName !== undefined);
    const begin = `${counted(claims.length, 'claim')} of StatefulSet ${set.name} ${stays} behind${isBound ? `, with ${data}` : ''}: ${namesOf(claims)} (${policy}`;
    const objects = [referenceTo(set), ...claims];
    if (isKept) {
      return [{ code: 'volume', severity: 'note', message: `${begin}).`, objects }];
    }
    const message = `${begin}, but no reference to the set is in place). Delete ${them} afterwards if nothing needs ${data}.`;
    return [{ code: 'volume', severity: 'warning', message, objects }];
  });
}

/** Each volume has one claim. */
function claimsInWords(claims: Identities): string {
  return claims.length === 1
    ? namesOf(claims)
    : `their claims (${firstOf(claims.map(({ name }) => name))})`;
}

/** The StatefulSet's controller makes it the owner of its claims, or no longer, at a time that only it knows. */
function openRemark(set: ObjectRecord, open: readonly ObjectRecord[]): PlanRemark {
  const claims = open.map(referenceTo).sort(compareObjects);
  const { whenDeleted } = set.facts?.persistentVolumeClaimRetentionPolicy ?? {};
  const policy =
    whenDeleted === 'Delete'
      ? 'Delete, but no reference to the set is in place yet'
      : 'Retain, but a reference to the set may be in place still';
  const message = `${counted(claims.length, 'claim')} of StatefulSet ${set.name} might be deleted with it or remain: ${namesOf(claims)} (retention policy ${policy}).`;
  return { code: 'volume', severity: 'warning', message, objects: [referenceTo(set), ...claims] };
}

/** `<template>-<set>-<ordinal>`; where the templates were not read, any that fits. */
function isClaimOf(claim: ObjectRecord, set: ObjectRecord): boolean {
  if (set.facts) return claimOrdinalOf(set, claim) >= 0;
  const at = claim.name.lastIndexOf(`-${set.name}-`);
  return at > 0 && /^\d+$/.test(claim.name.slice(at + set.name.length + 2));
}

/** Pods that are deleted with their Node, and that nothing recreates: without a controller, or of a Job that has all it needs. */
export function lostPods({ goingOf, recreations, after }: RemarkInput): PlanRemark[] {
  const nodes = new Set(goingOf('nodes').map(({ record }) => record.name));
  if (nodes.size === 0) return [];
  const lost = goingOf('pods').flatMap((object) => {
    const { record, isTarget } = object;
    if (isTarget || recreations.has(object) || !nodes.has(knownNodeOf(record) ?? '')) return [];
    const controller = controllerOf(record);
    const isAlone = controller === undefined || isOfJob(controller, after);
    return isAlone ? record : [];
  });
  if (lost.length === 0) return [];
  const objects = identitiesOf(lost);
  const them = objects.length === 1 ? 'it' : 'them';
  const message = `${countedNames(objects)} ${objects.length === 1 ? 'is' : 'are'} lost: no controller recreates ${them}.`;
  return [{ code: 'data', severity: 'warning', message, objects }];
}

function isOfJob({ kind, uid }: OwnerReference, after: RemarkInput['after']): boolean {
  return kind === 'Job' && after.living(uid) !== undefined;
}

/** Secrets that no controller recreates: as far as the cluster shows, no other object contains their data. */
export function secrets({ goingOf, recreations }: RemarkInput): PlanRemark[] {
  const lost = goingOf('secrets').filter((object) => !recreations.has(object));
  if (lost.length === 0) return [];
  const objects = identitiesOf(lost.map(({ record }) => record));
  const them = objects.length === 1 ? 'it' : 'them';
  const message = `${countedNames(objects)} ${objects.length === 1 ? 'is' : 'are'} lost: no known controller recreates ${them}.`;
  return [{ code: 'data', severity: 'warning', message, objects }];
}
