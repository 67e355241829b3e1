import type { RemovalCause } from '../../src/history/deletions/removal.ts';

/** What names an object in a chain; the namespace is empty for cluster-scoped objects. */
export interface TrueObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One link of a chain that is known because the test made it. */
export interface TrueLink {
  readonly object: TrueObject;
  readonly cause: RemovalCause;
  /** The controller that deleted the object or, for a link that is a controller's change, made that. */
  readonly controller?: string;
  /** Who sent the request, as it was authenticated. */
  readonly user?: string;
  readonly impersonated?: string;
  /** The rule of the controller, as `TTL-4`. */
  readonly rule?: string;
  /** Part of the truth, but an answer may end or continue without it. */
  readonly isOptional?: true;
}

/** An object that was deleted, and why. */
export interface TrueRemoval extends TrueObject {
  /** `scenario/what`. */
  readonly id: string;
  readonly group: string;
  readonly resource: string;
  readonly uid: string;
  /** From the object to the request that began it. Where two controllers compete, each way is a chain. */
  readonly chains: readonly (readonly TrueLink[])[];
  /** Who sent the last request that let the object be removed, where it was not removed immediately. */
  readonly endedBy?: string;
  /** Who created another object of the same name afterwards. */
  readonly recreatedBy?: string;
  /** How many objects of the same name were deleted before it. */
  readonly earlier?: number;
}

/** The truth of one recording. */
export interface TrueRemovals {
  readonly level: 'Metadata' | 'Request' | 'RequestResponse';
  readonly usesServiceAccounts: boolean;
  readonly removals: readonly TrueRemoval[];
}
