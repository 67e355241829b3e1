import { preciseTimestampOf } from '../../kube/time.ts';
import { garbageCollectorName } from '../../settings/enabled-controllers.ts';
import type { AuditedRequest } from '../audited-request.ts';
import type { History, Lifetime } from './history.ts';
import { surelyMatches } from './lifetimes.ts';
import type { Certainty, RemovalLink } from './removal.ts';
import { namespaceController, requesterOf } from './requester.ts';

/** Why one object was deleted, and where the chain goes on. */
export interface Step {
  readonly links: readonly RemovalLink[];
  /** The object whose end was the reason. */
  readonly above?: Lifetime | undefined;
  /** Another end can have been the reason: all further links are `might be`. */
  readonly isDoubtful?: boolean | undefined;
}

/** The request that began a deletion, and the link that it proves. */
export interface Began {
  readonly request: AuditedRequest;
  readonly link: RemovalLink;
}

export function seenLink(history: History, lifetime: Lifetime, began: AuditedRequest): RemovalLink {
  const ended = endingOf(lifetime, began);
  return {
    object: history.referenceTo(lifetime.place, lifetime.uid),
    cause: 'request',
    certainty: certaintyOf(began, lifetime, ended !== undefined),
    at: timeOf(began),
    requester: requesterOf(began),
    ...(ended && { ended }),
    because: '',
    evidence: [evidenceOf(began)],
  };
}

/** What the namespace controller and the garbage collector do, whether a request of theirs was read or not. */
export const withNamespace = {
  cause: 'namespace',
  controller: namespaceController,
  rule: 'GC-72',
  because: 'the namespace controller deletes all objects of a namespace that is being deleted',
} as const;

/** The garbage collector deleted it: after an owner, because of a reference, or for either reason. */
export function byGarbageCollector(
  cause: 'owner' | 'reference' | 'collected',
  because: string,
  rule = 'GC-22',
) {
  return { controller: garbageCollectorName, cause, because, rule } as const;
}

/** `owners`: `its owner Deployment web`. */
export function afterOwners(owners: string) {
  return byGarbageCollector('owner', `the garbage collector deletes it after ${owners}`);
}

/** `owners`: what is known of them, as `its owner Deployment web does not exist`. */
export function withoutOwners(owners: string) {
  return byGarbageCollector('collected', `the garbage collector deletes it: ${owners}`);
}

/**
 * A request for a collection names no object. That it still existed shows where a later request names it, and that it was in
 * the collection follows from its labels.
 */
function certaintyOf(began: AuditedRequest, lifetime: Lifetime, isNamedLater: boolean): Certainty {
  if (lifetime.isDoubtful) return 'might be';
  if (began.verb !== 'deletecollection') return 'seen';
  return isNamedLater && surelyMatches(began, lifetime) ? 'follows' : 'might be';
}

/** The last request for an object that was being deleted, after which it did not exist. */
function endingOf(
  { deletions, changes, hasEnded }: Lifetime,
  began: AuditedRequest,
): RemovalLink['ended'] {
  const last = [...deletions, ...changes]
    .filter(({ answeredAt, name }) => answeredAt > began.answeredAt && name !== '')
    .sort((a, b) => a.answeredAt - b.answeredAt)
    .at(-1);
  if (!last) return undefined;
  const { auditId, verb } = last;
  const isEmptied = last.body?.finalizers?.length === 0;
  const certainty: Certainty = hasEnded && isEmptied ? 'follows' : 'might be';
  return { at: timeOf(last), verb, requester: requesterOf(last), certainty, auditId };
}

export function doubted(link: RemovalLink): RemovalLink {
  return { ...link, certainty: 'might be' };
}

/** What was read ends here. */
export function unknownLink(
  history: History,
  { place, uid }: Lifetime,
  because: string,
  next?: string,
): RemovalLink {
  const object = history.referenceTo(place, uid);
  return {
    object,
    cause: 'unknown',
    certainty: 'might be',
    because,
    ...(next && { next }),
    evidence: [],
  };
}

export function timeOf({ receivedAt }: AuditedRequest): string {
  return preciseTimestampOf(receivedAt);
}

export function evidenceOf(request: AuditedRequest): RemovalLink['evidence'][number] {
  return { kind: 'audit', auditId: request.auditId, at: timeOf(request) };
}
