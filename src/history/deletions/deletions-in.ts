import { compareText } from '../../kube/names.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { copyOf } from '../audit-log/request-store.ts';
import type { AuditedRequest } from '../audited-request.ts';
import type { History, Lifetime } from './history.ts';
import { blankLifetime, lifetimesAt } from './lifetimes.ts';
import type { RemovalLink } from './removal.ts';
import { linksOf } from './removal-chain.ts';
import { isDeletion, type Place, placeIn, placeOfRequest } from './request-index.ts';

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

/** Groups of deletions, which are made one after the other: all of them may be more than fits into memory. */
export interface DeletionGroups extends Iterable<DeletionGroup> {
  readonly length: number;
  /** Of all groups. */
  readonly objects: number;
}

/** What is remembered of an object: the request that began its deletion, by which it is found again, where that names it. */
type Member = AuditedRequest | Lifetime;

/** There may be as many as deletions, so that each is small. */
interface FoundGroup {
  /** What began it is read from the chain of this one. */
  readonly first: Member;
  readonly at: string | undefined;
  readonly members: Member[];
  data: number;
  collections: Set<string> | undefined;
}

/**
 * All deletions of a period, grouped by what began them: the group with the most objects first; of two as large, the one with
 * more data.
 */
export function deletionsIn(history: History, period: SearchedPeriod): DeletionGroups {
  const groups = [...groupsIn(history, period)].sort(
    (a, b) =>
      b.members.length - a.members.length || b.data - a.data || compareText(a.at ?? '', b.at ?? ''),
  );
  return {
    length: groups.length,
    objects: groups.reduce((sum, { members }) => sum + members.length, 0),
    *[Symbol.iterator]() {
      for (const group of groups) yield groupOf(history, group);
    },
  };
}

function groupsIn(history: History, period: SearchedPeriod): Iterable<FoundGroup> {
  const groups = new Map<string, FoundGroup>();
  const groupWith = (member: Member, links: readonly RemovalLink[], members: Member[]) => {
    const began = links.at(-1) as RemovalLink;
    const key = groupKey(began);
    const known = groups.get(key);
    known?.members.push(...members);
    const group = known ?? {
      first: member,
      at: began.at,
      members,
      data: 0,
      collections: undefined,
    };
    if (!known) groups.set(copyOf(key), group);
    return group;
  };
  for (const place of placesIn(history, period)) {
    for (const lifetime of lifetimesAt(history, place)) {
      const links = isEndIn(lifetime, period) ? linksOf(history, lifetime) : [];
      if (links.length === 0) continue;
      const member = memberOf(lifetime);
      const group = groupWith(member, links, [member]);
      if (isData(history.referenceTo(place, ''))) group.data++;
    }
  }
  for (const request of history.index.collections()) {
    const lifetime = namelessIn(history, request, period);
    if (!lifetime) continue;
    const group = groupWith(lifetime, linksOf(history, lifetime), []);
    group.collections ??= new Set();
    group.collections.add(lifetime.place.resource);
  }
  return groups.values();
}

function memberOf(lifetime: Lifetime): Member {
  const [began] = lifetime.deletions;
  return began && began.name !== '' ? began : lifetime;
}

function lifetimeOf(history: History, member: Member): Lifetime {
  if ('deletions' in member) return member;
  const found = lifetimesAt(history, placeOfRequest(member)).find(
    ({ deletions: [began] }) => began === member,
  );
  if (!found) throw new Error(`no object for ${member.auditId}`);
  return found;
}

function groupOf(history: History, { first, members, collections }: FoundGroup): DeletionGroup {
  const objects = members.map((member) => {
    const lifetime = lifetimeOf(history, member);
    return deletedObject(history, lifetime, linksOf(history, lifetime));
  });
  return {
    began: linksOf(history, lifetimeOf(history, first)).at(-1) as RemovalLink,
    objects: objects.sort(dataFirst),
    collections: [...(collections ?? [])].sort(),
  };
}

/** Requests have an id, rules of controllers their name. */
function groupKey({ cause, controller, rule, evidence, because, object }: RemovalLink): string {
  if (cause === 'controller') return `${controller} ${rule}`;
  const [first] = evidence;
  return first?.kind === 'audit' ? first.auditId : `${cause} ${because} ${object.uid}`;
}

/** Objects that a deletion named, and those that only the earlier snapshot contains. */
function* placesIn(
  { index, before, after }: History,
  { namespace }: SearchedPeriod,
): Generator<Place> {
  const isIn = (place: Place) => namespace === undefined || place.namespace === namespace;
  for (const place of index.deletedPlaces()) if (isIn(place)) yield place;
  for (const record of before?.graph.snapshot.records ?? []) {
    const place = placeIn(record);
    if (!isIn(place) || index.at(place).some(isDeletion)) continue;
    const isGone = after ? after.isAbsent(place) : index.collectionsWith(place).length > 0;
    if (isGone) yield place;
  }
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
  if (history.before) return undefined;
  const place = { ...placeOfRequest(request), name: '*' };
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
export const dataKinds = [
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Secret',
  'ConfigMap',
  'Namespace',
];

/** Does its deletion lose data? */
export function isData({ kind }: Pick<ObjectReference, 'kind'>): boolean {
  return dataKinds.includes(kind);
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
