import type { ObjectReference } from '../../kube/object-reference.ts';

/**
 * How much a link is worth: `seen` in a log or an Event, `follows` by a rule of Kubernetes from what was seen, or `might be`,
 * where something else can have had the same effect.
 */
export type Certainty = 'seen' | 'follows' | 'might be';

/** Who sent a request. */
export interface Requester {
  /** As it was authenticated. */
  readonly user: string;
  /** As whom, with impersonation. */
  readonly impersonated?: string;
  readonly userAgent: string;
  /** Only with `-o wide`. */
  readonly sourceIps?: readonly string[];
}

/** What a link rests on. */
export type RemovalEvidence =
  | { readonly kind: 'audit'; readonly auditId: string; readonly at: string }
  | {
      readonly kind: 'event';
      /** What the Event is about: the object, or the workload whose controller deleted it. */
      readonly about: Pick<ObjectReference, 'kind' | 'namespace' | 'name'>;
      readonly reason: string;
      readonly source: string;
      readonly at: string;
    }
  | { readonly kind: 'snapshot'; readonly at: string }
  | { readonly kind: 'backup'; readonly path: string; readonly at: string }
  | { readonly kind: 'managed-fields'; readonly manager: string; readonly at: string }
  | { readonly kind: 'rule'; readonly rule: string };

/** Why an object of a chain was deleted. */
export type RemovalCause =
  /** Somebody sent DELETE, a DELETE of the collection, or an eviction: the chain ends here. */
  | 'request'
  /** The garbage collector deleted it after its owner: the next link is about the owner. */
  | 'owner'
  /** The garbage collector deleted it: no owner that it names was there before. The next link is about who wrote its references. */
  | 'reference'
  /** The garbage collector deleted it: whether its owners were deleted or never existed is unknown. */
  | 'collected'
  /** With its namespace: the next link is about the Namespace. */
  | 'namespace'
  /** With its CustomResourceDefinition: the next link is about that. */
  | 'definition'
  /** A controller decided it, by one of its rules or after a change of the object in the next link, if any. */
  | 'controller'
  /** A request changed an object, which made a controller delete another: the chain ends here. */
  | 'change'
  /** What was read does not say. */
  | 'unknown';

/** One object of a chain, and why it was deleted. */
export interface RemovalLink {
  readonly object: ObjectReference;
  readonly cause: RemovalCause;
  readonly certainty: Certainty;
  /** When its deletion began, RFC 3339; undefined where that does not show. */
  readonly at?: string;
  /** Who sent the request that began it. */
  readonly requester?: Requester;
  /** The controller that sent it, by its name in kube-controller-manager, as `garbage-collector-controller`. */
  readonly controller?: string;
  /** As in GC-22.13. */
  readonly rule?: string;
  /** The field or flag that decided, as `spec.ttlSecondsAfterFinished`. */
  readonly setting?: string;
  /** The last request for an object that was being deleted: whose finalizer or grace period it waited for. */
  readonly ended?: {
    readonly at: string;
    readonly verb: string;
    readonly requester: Requester;
    readonly certainty: Certainty;
    readonly auditId: string;
  };
  readonly because: string;
  /** How to have read next time what is missing now. */
  readonly next?: string;
  readonly evidence: readonly RemovalEvidence[];
}

/** From an object that was deleted to the request that began it. */
export interface Removal {
  readonly object: ObjectReference;
  /** The first is about the object, the last about what began it. */
  readonly links: readonly RemovalLink[];
  /** Earlier objects of the same name that were deleted in the same period. */
  readonly earlier: number;
  /** Its deletion began, and the cluster or a later snapshot still has it. */
  readonly remains?: boolean;
  /** An object of the same name was created afterwards: by whom and when. */
  readonly recreated?: { readonly at: string; readonly requester: Requester };
}
