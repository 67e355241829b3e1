import { jsonOf } from '../../kube/json-value.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { type KubeObject, objectOf, recordOf } from '../../kube/record-codec.ts';
import { parseApiVersion, type ResourceType } from '../../kube/resource-type.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { restoredKind } from '../kinds/restored-kinds.ts';
import { type FoundObject, type LiveObjects, uidOf } from '../plan/live-objects.ts';
import { givenContent, prepareManifest } from '../plan/prepare-manifest.ts';
import {
  type PlannedRestoration,
  pendingOwners,
  type RelinkedReference,
} from '../plan/restoration.ts';
import { hasForeignManagers } from './field-managers.ts';
import { OwnerLookup, relinkReference } from './relink.ts';

/**
 * What to do about an object that is there: give it the references back that it lost, if it is the
 * saved object itself or what an earlier restoration has made of it; else leave it alone.
 */
export function missingReferences(
  saved: SavedObject,
  { manifest: live, partly }: Pick<FoundObject, 'manifest' | 'partly'>,
  references: readonly RelinkedReference[],
  isOfFix = false,
): Pick<PlannedRestoration, 'action' | 'because' | 'liveUid' | 'isUnfinished'> &
  Partial<Pick<PlannedRestoration, 'references'>> {
  const { ownerReferences } = recordOf(live, saved.type);
  const isItself = saved.uid !== '' && saved.uid === uidOf(live);
  const lost = lostOf(references, ownerReferences).filter(
    // A reference that led to a living owner and is missing now was removed on purpose; a fix is undone.
    ({ told }) => !(isItself && !isOfFix && told.change === 'kept'),
  );
  const names = ownerNames(lost);
  const liveUid = uidOf(live);
  if (isItself) {
    const because = `it is still there, but not owned by ${names} any more`;
    return lost.length === 0
      ? { action: 'exists', ...asFixed(ownerReferences, references, isOfFix) }
      : { action: 'relink', because, liveUid };
  }
  if (partly) {
    const because = 'it already exists; the snapshot does not show whether its content is the same';
    return { action: 'exists', because };
  }
  const isSame = saved.manifest !== undefined && hasSameContent(saved.type, saved.manifest, live);
  const unfinished =
    isSame && (isPending(live) || hasForeignManagers(saved, live))
      ? ({ isUnfinished: true } as const)
      : {};
  if (lost.length > 0 && isSame) {
    const because = `it is there, but not owned by ${names} yet`;
    return { action: 'relink', because, liveUid, ...unfinished };
  }
  if (unfinished.isUnfinished) {
    const because = 'an earlier run has created it, and was cut off before it was complete';
    return { action: 'relink', because, liveUid, ...unfinished };
  }
  if (lost.length > 0 && isPending(live)) {
    const because = `it is there with other content and is left as it is, though its annotation ${pendingOwners} says that it waits for its owner: ${names}`;
    return { action: 'cannot', because };
  }
  const because = isSame
    ? 'it already exists, with the same content'
    : 'it already exists, with other content, and is left as it is';
  return { action: 'exists', because };
}

/** Would a restoration give an object of the graph a reference back, once a fix has left it with these? */
export function losesOwner(
  { snapshot, at }: Graph,
  record: ObjectRecord,
  left: readonly OwnerReference[],
): boolean {
  const live: Pick<LiveObjects, 'at'> = {
    at({ type, namespace, name }) {
      const found = at(type, namespace, name);
      return found ? { found: 'object', manifest: objectOf(found) } : { found: 'nothing' };
    },
  };
  const lookup = new OwnerLookup(snapshot.types, []);
  const context = { lookup, live, toCome: new Map(), sameCluster: true };
  const references = record.ownerReferences.map((one) => relinkReference(record, one, context));
  return lostOf(references, left).length > 0;
}

function lostOf(
  references: readonly RelinkedReference[],
  there: readonly OwnerReference[],
): RelinkedReference[] {
  return references.filter(
    (relinked) =>
      relinked.end === 'solid' && !there.some((reference) => leadsTo(reference, relinked)),
  );
}

/** A fix that removed a reference is only undone where it led to an owner that lives. */
function asFixed(
  there: readonly OwnerReference[],
  references: readonly RelinkedReference[],
  isOfFix: boolean,
): Pick<PlannedRestoration, 'because' | 'references'> {
  const isGone = ({ end, reference }: RelinkedReference) =>
    isOfFix && end !== 'solid' && !there.some(({ uid }) => uid === reference.uid);
  const names = ownerNames(references.filter(isGone));
  const because = `it is still there; no reference to ${names} is set again: it is not known to lead to an owner that lives`;
  return {
    because: names === '' ? 'it is still there' : because,
    references: references.map((relinked) =>
      isGone(relinked)
        ? { ...relinked, told: { ...relinked.told, to: '', change: 'dropped' } }
        : relinked,
    ),
  };
}

/** `Deployment web, Job pi`: the owners. */
export function ownerNames(references: readonly RelinkedReference[]): string {
  return references.map(({ told }) => `${told.kind} ${told.name}`).join(', ');
}

function leadsTo(
  reference: OwnerReference,
  { told, reference: wanted }: RelinkedReference,
): boolean {
  return told.to !== '' && reference.uid === wanted.uid && isSameOwner(reference, wanted);
}

/** Do two references of one object name the same owner, whatever its uid? */
export function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  const [first, second] = [a, b].map(({ apiVersion }) => parseApiVersion(apiVersion)?.group);
  return a.kind === b.kind && a.name === b.name && first === second;
}

/** Was it created by a restoration that has not added all references yet? */
export function isPending(live: KubeObject): boolean {
  return jsonOf(live.metadata.annotations)?.[pendingOwners] !== undefined;
}

/** Is the object that is there what a restoration would make, references aside? */
export function hasSameContent(type: ResourceType, saved: KubeObject, live: KubeObject): boolean {
  return isContainedIn(comparable(type, saved), comparable(type, live));
}

/** The same of what a restoration sets of an object that a controller gives every namespace. */
export function hasGivenContent(type: ResourceType, saved: KubeObject, live: KubeObject): boolean {
  return hasSameContent(type, givenContent(saved), givenContent(live));
}

function comparable(type: ResourceType, object: KubeObject): object {
  const { manifest } = prepareManifest(type, object);
  // Whether a custom resource has a status subresource, so that its status is not restored, is not known here.
  const leveled = restoredKind(type).level?.(manifest) ?? manifest;
  const { metadata, status: __, ...rest } = leveled;
  const { finalizers: _, ...kept } = metadata;
  return { metadata: kept, ...rest };
}

/**
 * Is everything that `saved` says also in `live`? What the API server and controllers have filled
 * in since is no difference.
 */
function isContainedIn(saved: unknown, live: unknown): boolean {
  if (saved === undefined) return true;
  if (Array.isArray(saved)) {
    return (
      Array.isArray(live) &&
      live.length === saved.length &&
      saved.every((entry, index) => isContainedIn(entry, live[index]))
    );
  }
  const fields = jsonOf(saved);
  if (!fields) return saved === live || isNothing(saved, live);
  const others = jsonOf(live) ?? {};
  return Object.entries(fields).every(([field, value]) => isContainedIn(value, others[field]));
}

/** Unset, null and an empty string are stored alike. */
function isNothing(saved: unknown, live: unknown): boolean {
  return (saved ?? '') === '' && (live ?? '') === '';
}
