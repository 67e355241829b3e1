import type { SuggestedCommand } from '../errors.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { kindAndName, type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import type { FixRequest } from './fix-request.ts';
import type { Evidence, UnreadEvidence } from './inquiry.ts';
import type { GradedProgram } from './programs/graded-programs.ts';

/** What a link is about. Scripts may rely on the cause; sentences may change. */
export const causes = [
  'terminating',
  'absent',
  'finalizer-controller-running',
  'finalizer-controller-down',
  'finalizer-controller-elsewhere',
  'finalizer-controller-missing',
  'finalizer-controller-forbidden',
  'finalizer-controller-unknown',
  'controller-manager-down',
  'controller-manager-runs',
  'controller-manager-unknown',
  'removal-refused',
  'foreground-blocked',
  'foreground-lost',
  'foreground-unread',
  'self-owner',
  'ownership-ring',
  'dependent-frozen',
  'dependent-not-collected',
  'deletion-refused',
  'orphaning',
  'orphaning-lost',
  'pod-grace',
  'pod-kubelet',
  'node-not-ready',
  'node-out-of-service',
  'node-gone',
  'claim-in-use',
  'claim-unused',
  'volume-bound',
  'volume-unbound',
  'volume-attached',
  'volume-retained',
  'in-use',
  'owner-missing',
  'job-tracking',
  'instances-left',
  'no-instances-left',
  'namespace-missing',
  'namespace-pods',
  'namespace-content',
  'namespace-unread',
  'namespace-empty',
  'namespace-finalizer',
  'api-service-down',
  'discovery-failed',
  'conversion-webhook-down',
  'undecodable-object',
  'admission-webhook-down',
  'admission-policy',
  'object-left',
  'owned',
  'unowned',
  'collectable',
  'overdue',
  'controller-deletes',
  'controller-off',
  'controller-unknown',
  'kept',
  'left-behind',
  'ended',
  'released',
  'frozen',
  'reported',
  'not-watched',
  'unknown',
  'event',
] as const;

export type Cause = (typeof causes)[number];

/**
 * `blocked`: nothing will happen by itself. `waiting`: a controller is working on it. `holds`: it
 * keeps a live object. `fine`: checked, and not the reason. `unknown`: what would show it was not
 * read.
 */
export type LinkState = 'blocked' | 'waiting' | 'holds' | 'fine' | 'unknown';

/** One link of the chain; the links that it waits for are below it. */
export interface Link {
  readonly object: ObjectReference;
  readonly cause: Cause;
  readonly state: LinkState;
  readonly because: string;
  readonly rule: string;
  readonly evidence: readonly Evidence[];
  /** What the user can do about this link; empty where there is nothing to do. */
  readonly next: string;
  /** The command that does or shows it, and what it is for; documents have both at the end of `next`. */
  readonly command?: SuggestedCommand;
  /** The finalizer in question. */
  readonly finalizer?: string;
  /** The programs that may remove it, with how much shows that; the surest first. */
  readonly programs?: readonly GradedProgram[];
  /** RFC 3339: when the deletion began. */
  readonly since?: string;
  /** The smallest step that resolves this link and no other. */
  readonly fix?: FixRequest;
  readonly links: readonly Link[];
}

type LinkDetails = Partial<
  Pick<Link, 'evidence' | 'next' | 'command' | 'finalizer' | 'links' | 'rule' | 'since'>
> & {
  readonly fix?: FixRequest | undefined;
  readonly programs?: readonly GradedProgram[] | undefined;
};

export function link(
  object: ObjectRecord | ObjectReference,
  cause: Cause,
  state: LinkState,
  because: string,
  { fix, finalizer, programs = [], since, command, ...details }: LinkDetails = {},
): Link {
  return {
    object: referenceTo(object),
    cause,
    state,
    because,
    rule: details.rule ?? '',
    evidence: details.evidence ?? [],
    next: details.next ?? '',
    ...(command && { command }),
    ...(finalizer !== undefined && { finalizer }),
    ...(programs.length > 0 && { programs }),
    ...(since !== undefined && { since }),
    ...(fix && { fix }),
    links: details.links ?? [],
  };
}

/**
 * The final blockers of an object, the worst first: the lowest links at which nothing happens by itself, and
 * the lowest ones that are unknown and that no such link explains.
 */
export function blockersOf(chain: Link): Link[] {
  const ends = endsOf(chain);
  const isBlocked = ({ state }: Link) => state === 'blocked';
  return [...ends.filter(isBlocked), ...ends.filter((one) => !isBlocked(one))];
}

function endsOf(chain: Link): Link[] {
  const below = chain.links.flatMap(endsOf);
  if (chain.state === 'blocked')
    return below.some(({ state }) => state === 'blocked') ? below : [chain];
  return below.length === 0 && chain.state === 'unknown' ? [chain] : below;
}

/** What blocks an object, in one sentence: the first of these blockers, and how many more there are. */
export function blockersInWords(uid: string, [first, ...more]: readonly Link[]): string {
  if (!first) return '';
  const { object, because } = first;
  const isOther = object.uid !== '' && object.uid !== uid && !because.includes(object.name);
  const name = isOther ? `${kindAndName(object)}: ` : '';
  return `${name}${because}${more.length === 0 ? '' : `; and ${more.length} more`}`;
}

/** Every link of a chain, the top first. */
export function linksOf(chain: Link): Link[] {
  return [chain, ...chain.links.flatMap(linksOf)];
}

/**
 * `stuck`: something has to be done. `progressing`: a controller is working on it. `alive`: it is
 * not being deleted. `collectable`: the garbage collector is about to delete it. `overdue`: it should have. `absent`: it does
 * not exist. `unknown`: what could be read does not show it.
 */
export type DiagnosisState =
  | 'stuck'
  | 'progressing'
  | 'alive'
  | 'collectable'
  | 'overdue'
  | 'absent'
  | 'unknown';

export function stateOf(chain: Link): DiagnosisState {
  if (chain.cause === 'absent') return 'absent';
  if (chain.cause === 'collectable' || chain.cause === 'overdue') {
    return blockersOf(chain).some(({ state }) => state === 'blocked') ? 'stuck' : chain.cause;
  }
  if (chain.state === 'holds') return 'alive';
  const blockers = blockersOf(chain);
  if (blockers.some(({ state }) => state === 'blocked')) return 'stuck';
  if (blockers.length > 0) return 'unknown';
  return 'progressing';
}

/** The first link from the bottom that a step can resolve; one at a time. */
export function firstFix(chain: Link): Link | undefined {
  for (const next of chain.links) {
    const found = firstFix(next);
    if (found) return found;
  }
  // An unknown state is no reason to change anything.
  return chain.fix && chain.state === 'blocked' ? chain : undefined;
}

/** Everything that links or checks could not read, once each. */
export function unreadOf(links: readonly Pick<Link, 'evidence'>[]): UnreadEvidence[] {
  const unread = links.flatMap(({ evidence }) =>
    evidence.filter((entry): entry is UnreadEvidence => 'couldNotRead' in entry),
  );
  return [...new Map(unread.map((entry) => [entry.what, entry])).values()];
}

/** The path from the object that was asked about to the current one. */
export interface Trail {
  /** uids on the way, the first first. */
  readonly uids: readonly string[];
  /** Goes one object further: why is this one, which is being deleted, not gone? */
  readonly follow: (record: ObjectRecord) => Link;
}

/** The maximum depth of a chain. */
export const deepest = 8;
/** The maximum number of one link's objects to follow; the others are counted. */
export const widest = 5;
