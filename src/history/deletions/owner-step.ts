import type { OwnerReference } from '../../kube/object-record.ts';
import { kindAndName } from '../../kube/object-reference.ts';
import { humanDurationUp } from '../../kube/time.ts';
import { classifyReference } from '../../snapshot/graph/classify-reference.ts';
import type { AuditedRequest } from '../audited-request.ts';
import { type ReportedReference, reportedReference } from './event-step.ts';
import type { History, Lifetime } from './history.ts';
import { ownersOf } from './known-owners.ts';
import { beganAt, endOf, lifetimesAt } from './lifetimes.ts';
import {
  afterOwners,
  type Began,
  byGarbageCollector,
  doubted,
  evidenceOf,
  type Step,
  timeOf,
  unknownLink,
  withoutOwners,
} from './link.ts';
import { endByName } from './named-owner.ts';
import type { RemovalLink } from './removal.ts';
import { containersOf, longestReaction, type Place } from './request-index.ts';
import { requesterOf } from './requester.ts';

/** The garbage collector deleted it: after which of its owners? (GC-22) */
export function ownerStep(
  history: History,
  lifetime: Lifetime,
  { request, link: seen }: Began,
): Step {
  const { owners, evidence, mayHaveChanged } = ownersOf(history, lifetime);
  const link = { ...seen, evidence: [...seen.evidence, ...evidence] };
  if (owners.length === 0) {
    const reported = reportedReference(history, lifetime);
    if (reported) return reportedStep(history, lifetime, { request, link }, reported);
    const above = endByName(history, lifetime, request);
    if (above)
      return {
        links: [doubted({ ...link, ...guessedOwner(history, above) })],
        above,
        isDoubtful: true,
      };
    const own = { ...link, ...withoutOwners('no owner that its references name exists') };
    const unnamed = `what was read does not name its owners${shortLife(lifetime, request)}`;
    return { links: [own, unknownLink(history, lifetime, unnamed, ownersNextTime)] };
  }
  const wrong = neverThere(history, lifetime, owners);
  if (wrong) {
    const own = { ...link, ...byGarbageCollector('reference', wrong.because, wrong.rule) };
    return { links: [own, writerOf(history, lifetime, owners)] };
  }
  const { last, isComplete, names } = endsOfOwners(history, lifetime, owners, request);
  const isDoubtful =
    !isComplete || mayHaveChanged || (last !== undefined && isLate(history, last, request));
  // An owner that ended at an unknown time may have been there.
  if (mayHaveChanged && (last?.deletions ?? []).length === 0) {
    const own = { ...link, ...withoutOwners('no owner that its references name exists') };
    const changed = `a request whose body was not read may have changed its owner references, and none that deleted ${names} was read`;
    return { links: [own, unknownLink(history, lifetime, changed, ownersNextTime)] };
  }
  if (last) return { links: [{ ...link, ...afterOwners(names) }], above: last, isDoubtful };
  const own = {
    ...link,
    ...withoutOwners(`${names} ${owners.length > 1 ? 'do' : 'does'} not exist`),
  };
  const unread = `no request that deleted ${names} was read${shortLife(lifetime, request)}`;
  return { links: [own, unknownLink(history, lifetime, unread)] };
}

function guessedOwner(history: History, { place, uid }: Lifetime) {
  const { kind, name } = history.referenceTo(place, uid);
  return { ...afterOwners(`its owner ${kind} ${name} (guess: by its name)`), next: ownersNextTime };
}

/** What the garbage collector reported of a reference, where nothing else names the owners. */
function reportedStep(
  history: History,
  lifetime: Lifetime,
  { request, link }: Began,
  { owner, time, evidence }: ReportedReference,
): Step {
  const because = `${kindAndName(owner)} is not in namespace ${lifetime.place.namespace}`;
  const own = {
    ...link,
    ...byGarbageCollector('reference', because, 'GC-28'),
    evidence: [...link.evidence, evidence],
  };
  // Later, another owner may have been deleted first.
  const isReason = Math.abs(request.receivedAt - time) <= immediately;
  const writer = writerOf(history, lifetime, [owner]);
  return { links: isReason ? [own, writer] : [own, writer].map(doubted) };
}

/** How the owners of an object ended, before a request. */
export function endsOfOwners(
  history: History,
  lifetime: Lifetime,
  owners: readonly OwnerReference[],
  until: Pick<AuditedRequest, 'receivedAt'>,
) {
  const ends = owners.map((owner) => {
    const place = history.placeOfOwner(lifetime.place, owner);
    return place && (endOf(history, place, until, owner.uid) ?? endWithin(history, place, until));
  });
  // The last owner that was deleted made it garbage.
  const [last] = ends.filter((end) => end !== undefined).sort((a, b) => beganAt(b) - beganAt(a));
  const named = owners.map(kindAndName).join(' and ');
  return {
    last,
    // Without its request, an end may have come later than another one.
    isComplete:
      ends.length === 1
        ? last !== undefined
        : ends.every((end) => end !== undefined && end.deletions.length > 0),
    names: `its ${owners.length > 1 ? 'owners' : 'owner'} ${named}`,
  };
}

/**
 * The garbage collector had nothing to do between the end of the owner and this request. So the object became garbage later,
 * and the request that gave it another owner may be missing in the log.
 */
function isLate({ index }: History, { deletions, changes }: Lifetime, request: AuditedRequest) {
  const { receivedAt } = request;
  const ends = [...deletions, ...changes].flatMap((one) =>
    one.receivedAt <= receivedAt ? one.answeredAt : [],
  );
  return ends.length > 0 && Math.max(...ends) < index.busySince(request) - longestReaction;
}

/** An owner that was deleted with its CustomResourceDefinition or namespace. */
function endWithin(
  history: History,
  place: Place,
  until: Pick<AuditedRequest, 'receivedAt'>,
): Lifetime | undefined {
  const isEnding = containersOf(place).some((container) => {
    const end = endOf(history, container, until);
    return end !== undefined && (end.deletions.length > 0 || end.record !== undefined);
  });
  return isEnding ? lifetimesAt(history, place).at(-1) : undefined;
}

/** References that led nowhere before anything was deleted: to another uid, to another namespace. */
function neverThere(
  { before }: History,
  { record }: Lifetime,
  owners: readonly OwnerReference[],
): { readonly because: string; readonly rule: string } | undefined {
  if (!before || !record || record.ownerReferences !== owners) return undefined;
  const classified = owners.map((owner) => classifyReference(before.graph, record, owner));
  const [first] = classified;
  return classified.every((one) => one.class === 'dangling') ? first : undefined;
}

/** An object that is deleted as soon as it is created mostly came with references that name no existing object. */
function shortLife({ creation }: Lifetime, { receivedAt }: AuditedRequest): string {
  const livedFor = creation && Math.max(receivedAt - creation.answeredAt, 0);
  if (livedFor === undefined || livedFor > immediately) return '';
  const seconds = humanDurationUp(livedFor / 1000);
  return `; it was created only ${seconds} before, perhaps with owner references to objects that did not exist`;
}

/** Milliseconds. The garbage collector takes less; an owner is rarely deleted so soon. */
const immediately = 10_000;

/** Who wrote its owner references, where a body says it. */
function writerOf(
  history: History,
  lifetime: Lifetime,
  owners: readonly OwnerReference[],
): RemovalLink {
  const { changes, creation, deletions, place, uid } = lifetime;
  const until = deletions[0]?.receivedAt ?? Number.POSITIVE_INFINITY;
  const writes = [...(creation ? [creation] : []), ...changes].filter(
    ({ receivedAt }) => receivedAt <= until,
  );
  const isWriter = ({ body }: AuditedRequest) =>
    owners.every((owner) => body?.owners?.some((one) => one.uid === owner.uid));
  const writer = writes.find(isWriter);
  // No other request in the log wrote the object: one that wrote the references may be missing there.
  const only = creation && !creation.hasBody && writes.length === 1 ? creation : undefined;
  const request = writer ?? only;
  if (!request) {
    return unknownLink(
      history,
      lifetime,
      'what was read does not say who wrote its owner references',
      ownersNextTime,
    );
  }
  return {
    object: history.referenceTo(place, uid),
    cause: 'change',
    certainty: writer ? 'seen' : 'might be',
    at: timeOf(request),
    requester: requesterOf(request),
    because: writer
      ? 'this request wrote its owner references'
      : 'this request created it; no other one that wrote it was read',
    evidence: [evidenceOf(request)],
  };
}

export const ownersNextTime =
  'Save a snapshot from time to time and give it with --before, or log the creations with level Request.';
