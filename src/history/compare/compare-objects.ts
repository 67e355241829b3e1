import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { readyOf, statusOf } from '../../kube/object-status.ts';

/** What came to a list and what went from it. */
export interface ListDifference<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/** A value that was there and one that is now; empty: none. */
export interface ValueDifference {
  readonly before: string;
  readonly after: string;
}

/** What differs between an object and the same object later; only what differs is there. */
export interface ObjectDifference {
  /** A reference of which one field changed was removed and added. */
  readonly owners?: ListDifference<OwnerReference>;
  readonly finalizers?: ListDifference<string>;
  /** metadata.deletionTimestamp: where there was none before, its deletion began. */
  readonly deletionTimestamp?: ValueDifference;
  /** STATUS and READY as kubectl prints them, where spec and status were read both times. */
  readonly status?: ValueDifference;
  readonly ready?: ValueDifference;
}

/** Compares an object with itself at another time; undefined where nothing differs. */
export function compareObjects(
  before: ObjectRecord,
  after: ObjectRecord,
): ObjectDifference | undefined {
  const owners = listDifference(before.ownerReferences, after.ownerReferences, referenceKey);
  const finalizers = listDifference(before.finalizers, after.finalizers, (name) => name);
  const deletionTimestamp = valueDifference(
    before.deletionTimestamp ?? '',
    after.deletionTimestamp ?? '',
  );
  const state = before.facts && after.facts ? compareState(before, after) : {};
  const difference: ObjectDifference = {
    ...(owners && { owners }),
    ...(finalizers && { finalizers }),
    ...(deletionTimestamp && { deletionTimestamp }),
    ...state,
  };
  return Object.keys(difference).length > 0 ? difference : undefined;
}

/** That an object is terminating is said by its deletionTimestamp, so it is no change of its STATUS. */
function compareState(
  before: ObjectRecord,
  after: ObjectRecord,
): Pick<ObjectDifference, 'status' | 'ready'> {
  const status =
    before.deletionTimestamp === after.deletionTimestamp
      ? valueDifference(statusOf(before), statusOf(after))
      : undefined;
  const [wasReady, isReady] = [readyOf(before), readyOf(after)];
  // An empty one is not known.
  const isKnown = wasReady !== '' && isReady !== '';
  const ready = isKnown ? valueDifference(wasReady, isReady) : undefined;
  return { ...(status && { status }), ...(ready && { ready }) };
}

function valueDifference(before: string, after: string): ValueDifference | undefined {
  return before === after ? undefined : { before, after };
}

function listDifference<T>(
  before: readonly T[],
  after: readonly T[],
  key: (entry: T) => string,
): ListDifference<T> | undefined {
  const had = new Set(before.map(key));
  const has = new Set(after.map(key));
  const added = after.filter((entry) => !had.has(key(entry)));
  const removed = before.filter((entry) => !has.has(key(entry)));
  return added.length + removed.length > 0 ? { added, removed } : undefined;
}

function referenceKey(reference: OwnerReference): string {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
  return JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion]);
}
