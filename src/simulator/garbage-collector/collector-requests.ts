import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { Written } from '../api-server/api-server.ts';
import type { Task } from '../engine/clock.ts';
import type { Lookup } from './owner-lookup.ts';
import type { OwnershipNode } from './ownership-node.ts';

/**
 * What the garbage collector asks of an API server, simulated or real: its decisions are the same.
 * `W` is what a request waits for.
 */
export interface CollectorRequests<W = number> {
  /** Mirrors getObject: a GET by the node's own coordinates. */
  get(identity: ObjectReference): Task<Lookup, W>;
  /** `namespace` is that of the object whose reference is followed. */
  findOwner(reference: OwnerReference, namespace: string): Task<Lookup, W>;
  /**
   * Mirrors deleteObject: bound to the object as it was judged; when only something else than its
   * references changed meanwhile, it is deleted all the same (GC-33).
   */
  deleteAsJudged(judged: ObjectRecord, policy: PropagationPolicy): Task<Written, W>;
  /**
   * Mirrors patch: strategic merge, and for custom resources, which do not take one, a JSON merge
   * patch bound to the resourceVersion in the informer's cache (GC-31, GC-32).
   */
  patchReferences(
    node: OwnershipNode,
    record: ObjectRecord,
    patch: ReferencePatch,
  ): Task<Written, W>;
  /** Bound to the resourceVersion of `before`: 409 when it has another by now. */
  setFinalizers(before: ObjectRecord, finalizers: readonly string[]): Task<Written, W>;
  pause(milliseconds: number): Task<void, W>;
  /** Runs tasks at the same time, and waits for all of them. */
  all<T>(tasks: readonly Task<T, W>[]): Task<readonly T[], W>;
}

/**
 * How a patch changes references: given those stored, or those of the garbage collector's own copy;
 * and the same as a strategic merge patch.
 */
export interface ReferencePatch {
  /** Strategic merge: applied by the server to what it has stored. */
  readonly merge: (stored: readonly OwnerReference[]) => readonly OwnerReference[];
  /** JSON merge: the whole list, computed from the cached object. */
  readonly replace: (cached: ObjectRecord) => readonly OwnerReference[];
  /** The list in the strategic merge patch. */
  readonly strategic: readonly object[];
}
