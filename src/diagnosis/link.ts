import type { ObjectRecord } from '../kube/object-record.ts';
import type { Evidence } from './evidence.ts';
import type { FixStep } from './fix-step.ts';
import { type LinkedObject, linkedObject } from './linked-object.ts';

/** What a link is about. A cause is what a script may look at; sentences may change. */
export const causes = [
  'terminating',
  'absent',
  'finalizer-controller-running',
  'finalizer-controller-down',
  'finalizer-controller-missing',
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
  'node-gone',
  'claim-in-use',
  'claim-unused',
  'volume-bound',
  'volume-unbound',
  'job-tracking',
  'instances-left',
  'no-instances-left',
  'namespace-pods',
  'namespace-content',
  'namespace-unread',
  'namespace-empty',
  'namespace-finalizer',
  'api-service-down',
  'discovery-failed',
  'conversion-webhook-down',
  'admission-webhook-down',
  'object-left',
  'owned',
  'unowned',
  'collectable',
  'frozen',
  'not-watched',
  'unknown',
  'event',
] as const;

export type Cause = (typeof causes)[number];

/**
 * `blocked`: nothing will happen by itself. `waiting`: somebody is at it. `holds`: it keeps a live
 * object. `fine`: looked at, and not the reason. `unknown`: nobody could tell.
 */
export type LinkState = 'blocked' | 'waiting' | 'holds' | 'fine' | 'unknown';

/** One link of the chain; what it waits for hangs below it. */
export interface Link {
  readonly object: LinkedObject;
  readonly cause: Cause;
  readonly state: LinkState;
  readonly because: string;
  readonly rule: string;
  readonly evidence: readonly Evidence[];
  /** What a person can do about this link; empty where nothing is to be done. */
  readonly next: string;
  /** The finalizer in question. */
  readonly finalizer?: string;
  /** The smallest safe step that resolves this link and no other. */
  readonly fix?: FixStep;
  readonly links: readonly Link[];
}

export type LinkDetails = Partial<
  Pick<Link, 'evidence' | 'next' | 'finalizer' | 'links' | 'rule'>
> & { readonly fix?: FixStep | undefined };

export function link(
  object: ObjectRecord | LinkedObject,
  cause: Cause,
  state: LinkState,
  because: string,
  { fix, finalizer, ...details }: LinkDetails = {},
): Link {
  return {
    object: linkedObject(object),
    cause,
    state,
    because,
    rule: details.rule ?? '',
    evidence: details.evidence ?? [],
    next: details.next ?? '',
    ...(finalizer !== undefined && { finalizer }),
    ...(fix && { fix }),
    links: details.links ?? [],
  };
}

/**
 * The real blockers: the lowest links at which nothing happens by itself. Only where there is none,
 * what nobody could tell.
 */
export function blockersOf(chain: Link): Link[] {
  const stuck = endsOf(chain, 'blocked');
  return stuck.length > 0 ? stuck : endsOf(chain, 'unknown');
}

function endsOf(chain: Link, state: LinkState): Link[] {
  const below = chain.links.flatMap((next) => endsOf(next, state));
  if (below.length > 0) return below;
  return chain.state === state ? [chain] : [];
}

/** Every link of a chain, the top first. */
export function linksOf(chain: Link): Link[] {
  return [chain, ...chain.links.flatMap(linksOf)];
}
