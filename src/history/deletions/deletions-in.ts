import type { ObjectReference } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { AuditedRequest } from '../audited-request.ts';
import type { History } from './history.ts';
import type { Lifetime } from './lifetime.ts';
import { blankLifetime, lifetimesAt } from './lifetimes.ts';
import type { RemovalLink } from './removal.ts';
import { linksOf } from './removal-chain.ts';
import { isDeletion, type Place, placeIn, placeKey } from './request-index.ts';

/** An object that was deleted, in a group of those that one request deleted. */
export interface DeletedObject {
  readonly object: ObjectReference;
  /** Of the whole chain. */
  readonly certainty: RemovalLink['certainty'];
  /** When its own deletion began; undefined where that does not show. */
  readonly at?: string;
  /** It does not exist any more, is still being deleted, or was not read afterwards. */
  readonly state: 'deleted' | 'remains' | 'unknown';
  /** An object of the same name was created afterwards. */
  readonly isRecreated: boolean;
}

/** What one request, or one rule of a controller, deleted. */
export interface DeletionGroup {
  /** The last link of the chains: what began the deletions, or that it is unknown. */
  readonly began: RemovalLink;
  /** Data first: volumes, claims, Secrets, ConfigMaps, Namespaces. */
  readonly objects: readonly DeletedObject[];
  /** Kinds whose collections were deleted, though no name of an object in them is known. */
  readonly collections: readonly string[];
}

export interface SearchedPeriod {
  /** Undefined: all namespaces, and cluster-scoped objects. */
  readonly namespace: string | undefined;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
}

/**
 * All deletions of a period, grouped by what began them: the group with the most objects first; of two as large, the one with
 * more data.
 */
export function deletionsIn(history: History, period: SearchedPeriod): readonly DeletionGroup[] {
  const groups = new Map<
    string,
    { began: RemovalLink; objects: DeletedObject[]; collections: Set<string> }
  >();
  const groupOf = (links: readonly RemovalLink[]) => {
    const began = links.at(-1) as RemovalLink;
    const key = groupKey(began);
    const known = groups.get(key) ?? { began, objects: [], collections: new Set<string>() };
    groups.set(key, known);
    return known;
  };
  for (const place of placesIn(history, period)) {
    for (const lifetime of lifetimesAt(history, place)) {
      const links = isEndIn(lifetime, period) ? linksOf(history, lifetime) : [];
      if (links.length > 0) groupOf(links).objects.push(deletedObject(history, lifetime, links));
    }
  }
  for (const request of history.index.collections()) {
    const lifetime = namelessIn(history, request, period);
    if (lifetime) groupOf(linksOf(history, lifetime)).collections.add(lifetime.place.resource);
  }
  return [...groups.values()]
    .map(({ began, objects, collections }) => ({
      began,
      objects: objects.sort(dataFirst),
      collections: [...collections].sort(),
    }))
    .sort(
      (a, b) =>
        b.objects.length - a.objects.length ||
        dataIn(b.objects) - dataIn(a.objects) ||
        compareTimes(a.began, b.began),
    );
}

/** Requests have an id, rules of controllers their name. */
function groupKey({ cause, controller, rule, evidence, because, object }: RemovalLink): string {
  if (cause === 'controller') return `${controller} ${rule}`;
  const [first] = evidence;
  return first?.kind === 'audit' ? first.auditId : `${cause} ${because} ${object.uid}`;
}

/** Objects that a deletion named, and those that only the earlier snapshot contains. */
function placesIn(
  { index, before, after }: History,
  { namespace }: SearchedPeriod,
): Iterable<Place> {
  const places = new Map<string, Place>();
  const isIn = (place: Place) => namespace === undefined || place.namespace === namespace;
  for (const place of index.places()) {
    if (isIn(place) && index.at(place).some(isDeletion)) places.set(placeKey(place), place);
  }
  for (const record of before?.graph.snapshot.records ?? []) {
    const place = placeIn(record);
    if (!isIn(place) || places.has(placeKey(place))) continue;
    const isGone = after ? after.isAbsent(place) : index.collectionsWith(place).length > 0;
    if (isGone) places.set(placeKey(place), place);
  }
  return places.values();
}

function isEndIn(
  { deletions: [began], hasEnded, record }: Lifetime,
  { from, to }: SearchedPeriod,
): boolean {
  if (!began) return hasEnded && record !== undefined;
  return began.receivedAt >= from && began.receivedAt <= to;
}

/** A collection of which no object is known, as of a lifetime of any object in it. */
function namelessIn(
  history: History,
  request: AuditedRequest,
  { namespace, from, to }: SearchedPeriod,
): Lifetime | undefined {
  const { receivedAt, uid = '' } = request;
  if (receivedAt < from || receivedAt > to) return undefined;
  if (namespace !== undefined && request.namespace !== namespace) return undefined;
  const place = { resource: groupResourceOf(request), namespace: request.namespace, name: '*' };
  if (history.before) return undefined;
  return { ...blankLifetime(place), uid, deletions: [request] };
}

function deletedObject(
  { referenceTo, after }: History,
  { place, uid, hasEnded, next }: Lifetime,
  links: readonly RemovalLink[],
): DeletedObject {
  const at = links[0]?.at;
  const isDoubtful = links.some(({ certainty }) => certainty === 'might be');
  const follows = links.some(({ certainty }) => certainty === 'follows');
  return {
    object: referenceTo(place, uid),
    certainty: isDoubtful ? 'might be' : follows ? 'follows' : 'seen',
    ...(at !== undefined && { at }),
    state: hasEnded ? 'deleted' : after?.find(place) ? 'remains' : 'unknown',
    isRecreated: next !== undefined,
  };
}

/** The order of the data of a group: what is hardest to get back comes first. */
const dataKinds = ['PersistentVolume', 'PersistentVolumeClaim', 'Secret', 'ConfigMap', 'Namespace'];

/** Does its deletion lose data? */
export function isData({ kind }: Pick<ObjectReference, 'kind'>): boolean {
  return dataKinds.includes(kind);
}

function dataIn(objects: readonly DeletedObject[]): number {
  return objects.filter(({ object }) => isData(object)).length;
}

function dataFirst(a: DeletedObject, b: DeletedObject): number {
  return rankOf(a) - rankOf(b) || (deletedName(a) < deletedName(b) ? -1 : 1);
}

function rankOf({ object }: DeletedObject): number {
  const rank = dataKinds.indexOf(object.kind);
  return rank < 0 ? dataKinds.length : rank;
}

function deletedName({ object: { kind, namespace, name } }: DeletedObject): string {
  return `${kind} ${namespace}/${name}`;
}

function compareTimes({ at: a = '' }: RemovalLink, { at: b = '' }: RemovalLink): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
