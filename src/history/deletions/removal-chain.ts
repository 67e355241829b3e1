import type { AuditedRequest } from '../audited-request.ts';
import { controllerStep } from './controller-step.ts';
import type { History, Lifetime } from './history.ts';
import { impliedStep } from './implied-step.ts';
import { endOf, lifetimesAt, surelyMatches } from './lifetimes.ts';
import {
  type Began,
  doubted,
  evidenceOf,
  type Step,
  seenLink,
  timeOf,
  unknownLink,
  withNamespace,
} from './link.ts';
import { ownerStep, ownersNextTime } from './owner-step.ts';
import type { Removal, RemovalLink } from './removal.ts';
import { isEviction, type Place, placeKey } from './request-index.ts';
import {
  controllerClientOf,
  garbageCollector,
  kubeletNodeOf,
  namespaceController,
  requesterOf,
} from './requester.ts';

/**
 * How the object with this uid or, without one, the last object of this name that was deleted, was deleted; undefined where
 * the only object of that name exists.
 */
export function removalOf(history: History, place: Place, wanted = ''): Removal | undefined {
  const lifetimes = lifetimesAt(history, place);
  const ended = lifetimes.filter(({ deletions, hasEnded }) => deletions.length > 0 || hasEnded);
  const exact = wanted === '' ? undefined : lifetimes.find(({ uid }) => uid === wanted);
  const lifetime = exact ?? ended.at(-1) ?? lifetimes.at(-1);
  const there = history.after?.find(place);
  if (!lifetime || (ended.length === 0 && there)) return undefined;
  const { next, uid } = lifetime;
  const remains = !next && there !== undefined && (uid === '' || there.uid === uid);
  return {
    object: history.referenceTo(place, uid),
    links: linksOf(history, lifetime),
    earlier: Math.max(ended.indexOf(lifetime), 0),
    ...(remains && { remains }),
    ...(next && { recreated: { at: timeOf(next), requester: requesterOf(next) } }),
  };
}

/** From an object to the request that began its deletion. */
export function linksOf(history: History, lifetime: Lifetime): readonly RemovalLink[] {
  const links: RemovalLink[] = [];
  // Owners may form a circle.
  const passed = new Set<string>();
  let isDoubtful = false;
  for (let at: Lifetime | undefined = lifetime; at; ) {
    const key = `${placeKey(at.place)} ${at.uid}`;
    if (passed.has(key)) break;
    passed.add(key);
    const step = stepOf(history, at);
    links.push(...(isDoubtful ? step.links.map(doubted) : step.links));
    isDoubtful ||= step.isDoubtful ?? false;
    at = step.above;
  }
  return links;
}

function stepOf(history: History, lifetime: Lifetime): Step {
  const [request] = lifetime.deletions;
  if (!request) return impliedStep(history, lifetime);
  const others = otherCollections(lifetime, request);
  if (others.length > 0) return { links: [openLink(history, lifetime, [request, ...others])] };
  const began: Began = { request, link: seenLink(history, lifetime, request) };
  const client = controllerClientOf(request);
  if (client === garbageCollector) return ownerStep(history, lifetime, began);
  if (client === namespaceController) return namespaceStep(history, lifetime, began);
  if (client !== undefined) return controllerStep(history, lifetime, { ...began, client });
  const node = kubeletNodeOf(request);
  if (node === undefined) {
    return { links: [{ ...began.link, because: requestInWords(began.request) }] };
  }
  // A kubelet sends the last DELETE of a Pod that is being deleted, after its containers stop.
  const { at = '', requester = requesterOf(request), object, evidence } = began.link;
  const ended = {
    at,
    requester,
    verb: request.verb,
    certainty: 'seen',
    auditId: request.auditId,
  } as const;
  const unread = unknownLink(history, lifetime, 'the request that began its deletion was not read');
  return { links: [{ ...unread, object, ended, evidence }] };
}

/** Further collections that others deleted, each of which can have been the first that contained the object. */
function otherCollections(lifetime: Lifetime, first: AuditedRequest): readonly AuditedRequest[] {
  if (surelyMatches(first, lifetime)) return [];
  const named = lifetime.deletions.findIndex(({ verb }) => verb !== 'deletecollection');
  return lifetime.deletions
    .slice(1, named < 0 ? undefined : named)
    .filter(({ user }) => user !== first.user);
}

function openLink(
  history: History,
  lifetime: Lifetime,
  requests: readonly AuditedRequest[],
): RemovalLink {
  const users = [...new Set(requests.map(({ user }) => user))].join(' and ');
  const because = `it can have been in collections that ${users} deleted: its labels were not read`;
  return {
    ...unknownLink(history, lifetime, because, ownersNextTime),
    evidence: requests.map(evidenceOf),
  };
}

function namespaceStep(history: History, lifetime: Lifetime, { request, link }: Began): Step {
  const { namespace: name } = lifetime.place;
  const own = { ...link, ...withNamespace };
  const above = endOf(history, { resource: 'namespaces', namespace: '', name }, request);
  if (above) return { links: [own], above };
  const unread = `the request that deleted Namespace ${name} was not read`;
  return { links: [own, unknownLink(history, lifetime, unread)] };
}

/** Of a collection, the audit log has what the guard noted of its first object alone. */
function guardedInWords(guard: Began['request']['guard']): string {
  if (!guard) return '';
  const { verdict, objects, kinds } = guard;
  const effect = objects === '' ? '' : `: it would delete ${objects} (${kinds})`;
  return `; the guard answered ${verdict}${effect}`;
}

function requestInWords(request: Began['request']): string {
  const { verb, propagationPolicy, labelSelector, guard } = request;
  if (isEviction(request)) return 'evicted through the Eviction API';
  const policy = propagationPolicy ? ` with propagationPolicy ${propagationPolicy}` : '';
  if (verb !== 'deletecollection')
    return `deleted by this request${policy}${guardedInWords(guard)}`;
  const which = labelSelector === undefined ? '' : ` with the label selector ${labelSelector}`;
  return `deleted with its collection${which}${policy}`;
}
