import { parseLabelSelector } from '../../kube/label-selector.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { second } from '../../kube/time.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { AuditedRequest } from '../audited-request.ts';
import type { History, Lifetime } from './history.ts';
import { isDeletion, type Place, placeKey } from './request-index.ts';
import { controllerClientOf, kubeletNodeOf } from './requester.ts';

/** Clocks of several API servers of one cluster are rarely further apart. Milliseconds. */
export const clockSkew = 2_000;

type Open = { -readonly [Field in keyof Lifetime]: Lifetime[Field] } & {
  deletions: AuditedRequest[];
  changes: AuditedRequest[];
};

/** Owners and namespaces are asked about again and again; all other objects once, one after the other. */
const mostRemembered = 256;

/** All objects that had a name, the earliest first. */
export function lifetimesAt(history: History, place: Place): readonly Lifetime[] {
  const { lifetimes } = history;
  const key = placeKey(place);
  const known = lifetimes.get(key) ?? readLifetimes(history, place);
  if (lifetimes.size >= mostRemembered) lifetimes.clear();
  lifetimes.set(key, known);
  return known;
}

function readLifetimes(history: History, place: Place): readonly Lifetime[] {
  const named = history.index.at(place);
  const collections = history.index.collectionsWith(place);
  const requests = [...named, ...collections].sort((a, b) => a.answeredAt - b.answeredAt);
  const lifetimes: Open[] = [blankLifetime(place)];
  for (const request of requests) {
    const current = lifetimes.at(-1) as Open;
    const isCreation = request.verb === 'create' && request.subresource === '';
    const isOther = isOfAnother(current, request);
    if (isCreation || isOther) {
      const isFirst =
        lifetimes.length === 1 && isBlank(current) && !holdsBefore(history, current, request);
      if (isFirst) lifetimes.pop();
      else Object.assign(current, { hasEnded: true, next: isCreation ? request : undefined });
      lifetimes.push(blankLifetime(place, isCreation ? request : undefined));
    }
    const now = lifetimes.at(-1) as Open;
    if (request.uid !== undefined && request.verb !== 'deletecollection') now.uid ||= request.uid;
    if (isDeletion(request)) now.deletions.push(request);
    else if (!isCreation) now.changes.push(request);
  }
  giveRecords(history, lifetimes);
  return lifetimes.map((one) => {
    const deletions = one.deletions.filter((request) => mayMatch(request, one));
    return { ...one, ...withoutRehearsals(deletions, one) };
  });
}

/** Of an object of which no more is known. */
export function blankLifetime(place: Place, creation?: AuditedRequest): Open {
  return {
    place,
    uid: creation?.uid ?? '',
    creation,
    record: undefined,
    deletions: [],
    changes: [],
    next: undefined,
    hasEnded: false,
    isDoubtful: false,
  };
}

/**
 * kubectl says in the body of a DELETE that it is a dry run, which a log of level Metadata does not hold; and a collection names
 * no object. A DELETE that removes an object shows that no request before it began its deletion: what is being deleted waits for
 * finalizers, which no DELETE removes, or for the grace period that Pods have.
 */
function withoutRehearsals(
  deletions: AuditedRequest[],
  { record, place }: Open,
): Pick<Lifetime, 'deletions' | 'isDoubtful'> {
  const isGraceful = place.resource === 'pods';
  const removal = deletions.findLastIndex(({ isRemoval }) => isRemoval && !isGraceful);
  if (removal > 0) return { deletions: deletions.slice(removal), isDoubtful: false };
  const last = deletions.findLastIndex(
    (request) =>
      request.name !== '' &&
      controllerClientOf(request) === undefined &&
      kubeletNodeOf(request) === undefined,
  );
  if (last < 1 || deletions.slice(0, last).every(({ hasBody }) => hasBody)) {
    return { deletions, isDoubtful: false };
  }
  const isRemovedAtOnce =
    record !== undefined &&
    record.finalizers.length === 0 &&
    !(isPod(record) && knownNodeOf(record));
  return isRemovedAtOnce
    ? { deletions: deletions.slice(last), isDoubtful: false }
    : { deletions, isDoubtful: true };
}

function isBlank({ deletions, changes, uid }: Open): boolean {
  return deletions.length === 0 && changes.length === 0 && uid === '';
}

/** Was the place taken, in the earlier snapshot, before this request? */
function holdsBefore({ before }: History, { place }: Open, request: AuditedRequest): boolean {
  const record = before?.find(place);
  if (!before || !record || before.at > request.receivedAt) return false;
  return request.verb !== 'create' || wasCreatedBy(record, request) !== true;
}

/**
 * The API server sets the time of a creation, in whole seconds, while it answers the request; exports of clouds have one time
 * for both ends of it. Undefined for an object without a time.
 */
function wasCreatedBy(
  { creationTimestamp }: ObjectRecord,
  { receivedAt, answeredAt }: AuditedRequest,
): boolean | undefined {
  if (creationTimestamp === undefined) return undefined;
  const at = Date.parse(creationTimestamp);
  return at > receivedAt - second && at <= answeredAt + clockSkew;
}

/** Names the request another object than the one that had the name so far? */
function isOfAnother({ uid }: Open, request: AuditedRequest): boolean {
  if (uid === '' || request.uid === undefined || request.verb === 'deletecollection') return false;
  return request.uid !== uid;
}

/**
 * Assigns the object of a snapshot to one of them: by its uid, else by the time of its creation. The time at which it was read
 * is one of whole seconds, too: it does not say which of two of them was there.
 */
function giveRecords({ before, after }: History, lifetimes: Open[]): void {
  for (const look of [before, after]) {
    const [first] = lifetimes;
    const record = first && look?.find(first.place);
    if (!record || !look) continue;
    const found =
      lifetimes.find(({ uid }) => uid !== '' && uid === record.uid) ??
      lifetimes.findLast(
        ({ uid, creation }) =>
          uid === '' &&
          (!creation || (wasCreatedBy(record, creation) ?? creation.receivedAt <= look.at)),
      );
    if (!found) continue;
    found.record = record;
    found.uid = record.uid;
  }
  const last = lifetimes.at(-1);
  if (!last || !after) return;
  const there = after.find(last.place);
  last.hasEnded = there ? last.uid !== '' && there.uid !== last.uid : after.isAbsent(last.place);
}

/** Can a request for a collection have meant the object? What labels it had may be unknown. */
function mayMatch(
  { verb, labelSelector, fieldSelector }: AuditedRequest,
  { record, place }: Lifetime,
): boolean {
  if (verb !== 'deletecollection') return true;
  const name = /(?:^|,)metadata\.name==?([^,]*)/.exec(fieldSelector ?? '')?.[1];
  if (name !== undefined && name !== place.name) return false;
  if (labelSelector === undefined || !record) return true;
  try {
    return parseLabelSelector(labelSelector)(record.labels);
  } catch {
    // The server took it; what it means is unknown here.
    return true;
  }
}

/** Did the request for a collection surely mean the object? */
export function surelyMatches(
  { verb, labelSelector, fieldSelector }: AuditedRequest,
  { record }: Lifetime,
): boolean {
  if (verb !== 'deletecollection') return true;
  if (fieldSelector !== undefined && !/^metadata\.name==?[^,]*$/.test(fieldSelector)) return false;
  return labelSelector === undefined || record !== undefined;
}

/** The object at a place that ended before a request: the one with this uid, else the last one. */
export function endOf(
  history: History,
  place: Place,
  until: Pick<AuditedRequest, 'receivedAt'>,
  uid = '',
): Lifetime | undefined {
  const lifetimes = lifetimesAt(history, place);
  const exact = uid === '' ? undefined : lifetimes.find((one) => one.uid === uid);
  if (exact) {
    // Clocks of several API servers may differ; what has this uid is no other object.
    return hasEndedBy(exact, until.receivedAt + clockSkew) ? exact : undefined;
  }
  return lifetimes.findLast(
    (one) => (one.uid === '' || uid === '') && hasEndedBy(one, until.receivedAt),
  );
}

function hasEndedBy(lifetime: Lifetime, time: number): boolean {
  const { deletions, hasEnded } = lifetime;
  return deletions.length > 0 ? beganAt(lifetime) <= time : hasEnded;
}

/** Epoch milliseconds; where the request is not in the log, before all others. */
export function beganAt({ deletions: [began] }: Lifetime): number {
  return began?.receivedAt ?? Number.NEGATIVE_INFINITY;
}
